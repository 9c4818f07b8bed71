#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "edgewise/attention/fused/edge_rows.hpp"
#include "edgewise/attention/fused/gradients.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

/// The second pass, over the rows of destinations, which only sums:
///   forward was   x = scale * sum of attention_vector * value(query, key)
///   so now        query gradient[v] += x gradient * scale * attention_vector * d value / d query
/// with the x gradients that the source pass kept, at the position of each edge in the transpose.
template <class Score, class Layout, class Element, bool kHasEdges>
class DestinationPass {
 public:
  using Inputs = Problem<Score, Element>;
  static constexpr int kEdges = 64;

  DestinationPass(const Inputs& inputs, const Layout& layout, Rows<float> gradient)
      : in_(inputs),
        layout_(layout),
        gradient_(gradient),
        is_far_(inputs.is_far(inputs.mask.source_count(), layout.columns())) {}

  /// The edges of the transpose from number `first` to number `last`, whose x gradients are `kept`. `unfinished`, zeros
  /// at first, has the sums of rows between calls where it takes more than one, the last of which is told that it is;
  /// they go on exactly where they stopped.
  void run(const float* kept, EdgeIndex first, EdgeIndex last, bool is_done, Rows<float> unfinished) const {
    const graph::FrozenGraph& mask = in_.mask;
    parallel_chunks(mask.incoming_chunks.size() - 1, [&](std::size_t chunk) {
      State state(layout_);
      for (Node row = mask.incoming_chunks[chunk]; row < mask.incoming_chunks[chunk + 1]; ++row)
        add_row(row, kept, first, last, is_done, unfinished, state);
    });
  }

 private:
  static constexpr int kAhead = 48;

  struct State {
    alignas(64) float gradients[(kEdges + 2) * kLanes];
    EdgeRows key_rows;
    std::vector<float> sums;

    explicit State(const Layout& layout)
        : key_rows(kHasEdges ? layout.columns() : 0), sums(static_cast<std::size_t>(layout.columns() + kLanes)) {}
  };

  /// The edges of a row that are among those of this call.
  std::pair<EdgeIndex, EdgeIndex> edges_of(Node row, EdgeIndex first, EdgeIndex last) const {
    const EdgeIndex begin = in_.mask.incoming.offsets[row], end = in_.mask.incoming.offsets[row + 1];
    if (first == 0 && last == in_.mask.slot_count()) return {begin, end};
    const graph::StoredEdge* positions = in_.mask.incoming_position.data();
    const auto from = std::lower_bound(positions + begin, positions + end, first);
    const auto to = std::lower_bound(from, positions + end, last);
    return {static_cast<EdgeIndex>(from - positions), static_cast<EdgeIndex>(to - positions)};
  }

  [[gnu::noinline]] void add_row(Node row, const float* kept, EdgeIndex first, EdgeIndex last, bool is_done,
                                 Rows<float> unfinished, State& state) const {
    const auto [begin, end] = edges_of(row, first, last);
    float* sums = unfinished.data != nullptr ? unfinished[row] : state.sums.data();
    if (unfinished.data == nullptr) std::fill_n(sums, sum_columns(), 0.0F);
    for (EdgeIndex slot = begin; slot < end; slot += kEdges) {
      const int count = static_cast<int>(std::min<EdgeIndex>(kEdges, end - slot));
      float* gradients = state.gradients;
      if constexpr (Score::kIsPerHead) {
        // The lane that an edge is added to follows from its slot, so it does not matter where a call stops.
        const int lead = static_cast<int>(slot % static_cast<EdgeIndex>(layout_.edges())) * layout_.heads();
        store(gradients, Floats{});
        gradients += lead;
      }
      gather_kept(slot, count, kept, first, gradients);
      if constexpr (Score::kIsPerHead)
        store(sums, add_lanes(load(sums), state.gradients,
                              static_cast<int>(gradients - state.gradients) + count * layout_.heads()));
      else
        add_block(row, slot, count, sums, state);
    }
    if (is_done) finish(row, sums);
  }

  int sum_columns() const { return Score::kIsPerHead ? kLanes : layout_.columns(); }

  EDGEWISE_INLINE void gather_kept(EdgeIndex slot, int count, const float* kept, EdgeIndex first,
                                   float* gradients) const {
    const auto heads = static_cast<EdgeIndex>(layout_.heads());
    const graph::StoredEdge* positions = in_.mask.incoming_position.data();
    const EdgeIndex most = in_.mask.slot_count() - 1;
    for (int e = 0; e < count; ++e) {
      if (is_far_) {
        const EdgeIndex later = std::min(slot + static_cast<EdgeIndex>(e + kAhead), most);
        __builtin_prefetch(kept + (positions[later] - first) * heads);
        if constexpr (!Score::kIsPerHead) prefetch(in_.key[in_.mask.incoming.columns[later]], 0, layout_.columns());
      }
      const float* from = kept + (positions[slot + static_cast<EdgeIndex>(e)] - first) * heads;
      float* to = gradients + e * layout_.heads();
      if constexpr (Layout::kIsStatic)
        std::memcpy(to, from, heads * sizeof(float));
      else
        store(to, load(from));  // the next edge overwrites what is not its own
    }
  }

  EDGEWISE_INLINE void add_block(Node row, EdgeIndex slot, int count, float* sums, State& state) const {
    using KeyElement = std::conditional_t<kHasEdges, float, Element>;
    Gathered<KeyElement> far{in_.key, in_.mask.incoming.columns.data() + slot};
    if constexpr (kHasEdges)
      if (in_.edge_weight.data != nullptr) {
        state.key_rows.fill(
            in_.mask, in_.edge_weight, 0, count, [&](int e) { return far[e]; },
            [&](int e) { return slot + static_cast<EdgeIndex>(e); });
        far = state.key_rows.rows();
      }
    const auto own = Row<Layout, Element>(in_.query[row]);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      Floats of_row[size];
      for (int v = 0; v < size; ++v) of_row[v] = load(sums + (first + v) * kLanes);
      add_score_gradients<End::destination, size>(
          in_.score, layout_, first, state.gradients, [&](int, int v) EDGEWISE_INLINE_LAMBDA { return own[v]; }, far,
          count, of_row, nullptr, [](int, const Floats*) EDGEWISE_INLINE_LAMBDA {});
      for (int v = 0; v < size; ++v) store(sums + (first + v) * kLanes, of_row[v]);
    });
  }

  EDGEWISE_INLINE void finish(Node row, const float* sums) const {
    if constexpr (Score::kIsPerHead) {
      add_heads(layout_, load(sums), gradient_[row]);
    } else {
      layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
        Floats of_row[size];
        for (int v = 0; v < size; ++v) of_row[v] = load(sums + (first + v) * kLanes);
        multiply_by_factor(in_, first, of_row, size);
        add_to(gradient_[row], first, of_row, size);
      });
    }
  }

  const Inputs& in_;
  Layout layout_;
  Rows<float> gradient_;
  bool is_far_;
};

}  // namespace edgewise::attention::fused
