#pragma once

#include <algorithm>
#include <vector>

#include "edgewise/attention/fused/edge_rows.hpp"
#include "edgewise/attention/fused/gradients.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

/// The edges of each row to process: slots `begins[row]` to `ends[row]`.
struct RowRanges {
  const EdgeIndex* begins;
  const EdgeIndex* ends;
};

/// Where each row begins and ends in the next call of the destination pass, if it takes several.
struct RowProgress {
  std::vector<EdgeIndex> begins;
  std::vector<EdgeIndex> ends;

  /// Starts at the beginning of each row.
  explicit RowProgress(const graph::Csr& csr) : begins(csr.offsets.begin(), csr.offsets.end() - 1), ends(begins) {}
};

/// The x gradients [edges, heads] that the source pass kept, for edges `first` to `last` of the transpose, which are
/// those of `sources` rows. Whole vectors may be read.
struct KeptGradients {
  const float* data;
  EdgeIndex first;
  EdgeIndex last;
  std::size_t sources;
};

/// The second of the two passes of the backward pass, over the rows of destinations. It only sums:
///   forward was   x = scale * sum of attention_vector * value(query, key)
///   so now        query gradient[v] += x gradient * scale * attention_vector * d value / d query
/// with the x gradients that the source pass kept, at the position of each edge in the transpose.
template <class Score, class Layout, class Element, bool kHasEdges>
class DestinationPass {
 public:
  using Inputs = Problem<Score, Element>;

  DestinationPass(const Inputs& inputs, const Layout& layout, Rows<float> gradient)
      : in_(inputs), layout_(layout), gradient_(gradient) {}

  /// Processes the edges whose gradients are `kept`. If these are not all, `progress` holds how far each row has come
  /// and `unfinished`, initially zeros, its sums between calls, which continue exactly where they stopped. is_done:
  /// whether this is the last call.
  void run(const KeptGradients& kept, RowProgress* progress, bool is_done, Rows<float> unfinished) const {
    const graph::FrozenGraph& mask = in_.mask;
    const std::size_t kept_bytes = (kept.last - kept.first) * static_cast<std::size_t>(layout_.heads()) * sizeof(float);
    const bool has_far_keys = !Score::kIsPerHead && in_.is_far(kept.sources, layout_.columns());
    const bool prefetches = has_far_keys || kept_bytes > in_.near_bytes;
    const EdgeIndex* offsets = mask.incoming.offsets.data();
    const RowRanges ranges = progress == nullptr ? RowRanges{offsets, offsets + 1}
                                                 : RowRanges{progress->begins.data(), progress->ends.data()};
    parallel_chunks(mask.incoming_chunks.size() - 1, [&](std::size_t chunk) {
      const Node begin = mask.incoming_chunks[chunk], end = mask.incoming_chunks[chunk + 1];
      if (progress != nullptr) find_ends(begin, end, kept, *progress);
      State state(layout_, {ranges, has_far_keys, begin, prefetches ? end : begin});
      for (int e = 0; e < kAhead; ++e) prefetch_next(kept, state.ahead);
      for (Node row = begin; row < end; ++row) add_row(row, kept, ranges, is_done, unfinished, state);
      if (progress != nullptr) std::copy(ranges.ends + begin, ranges.ends + end, progress->begins.data() + begin);
    });
  }

 private:
  static constexpr int kEdges = 64;  ///< The edges of a block, whose edge terms are computed together.
  static constexpr int kAhead = 48;  ///< The prefetch distance in edges.

  /// Runs ahead over the edges of consecutive rows to prefetch what they need.
  struct Cursor {
    RowRanges ranges;
    bool has_far_keys;
    Node row;
    Node end;
    EdgeIndex slot = row < end ? ranges.begins[row] : 0;

    /// Whether there is an edge left. If so, it is at `slot`.
    EDGEWISE_INLINE bool is_at_edge() {
      while (row < end && slot == ranges.ends[row])
        if (++row < end) slot = ranges.begins[row];
      return row < end;
    }
  };

  /// The sums of a row before a block of its edges; not read if `is_first`.
  struct Sums {
    float* of;
    bool is_first;
    bool is_last;
  };

  struct State {
    Cursor ahead;
    EdgeRows key_rows;
    std::vector<float> sums;

    State(const Layout& layout, const Cursor& first)
        : ahead(first),
          key_rows(kHasEdges ? layout.columns() : 0),
          sums(static_cast<std::size_t>(layout.columns() + kLanes)) {}
  };

  /// Finds the end of the kept edges of each row, which are contiguous because columns ascend. Their positions and
  /// columns are far from those of other rows in memory, so they are prefetched.
  void find_ends(Node begin, Node end, const KeptGradients& kept, RowProgress& progress) const {
    constexpr Node kRowsAhead = 4;
    const graph::StoredEdge* positions = in_.mask.incoming_position.data();
    const auto prefetch_row = [&](Node row) EDGEWISE_INLINE_LAMBDA {
      const EdgeIndex slot = progress.begins[row];
      prefetch(positions + slot, 0, kEdges + kLanes);
      if constexpr (!Score::kIsPerHead) prefetch(in_.mask.incoming.columns.data() + slot, 0, kEdges + kLanes);
    };
    for (Node row = begin; row < std::min(begin + kRowsAhead, end); ++row) prefetch_row(row);
    for (Node row = begin; row < end; ++row) {
      if (row + kRowsAhead < end) prefetch_row(row + kRowsAhead);
      EdgeIndex slot = progress.begins[row];
      for (int count = kEdges; count == kEdges; slot += static_cast<EdgeIndex>(count))
        count = count_below(positions + slot, std::min<EdgeIndex>(kEdges, in_.mask.incoming.offsets[row + 1] - slot),
                            kept.last);
      progress.ends[row] = slot;
    }
  }

  EDGEWISE_INLINE const float* kept_of(const KeptGradients& kept, EdgeIndex slot) const {
    return kept.data + (in_.mask.incoming_position[slot] - kept.first) * static_cast<EdgeIndex>(layout_.heads());
  }

  EDGEWISE_INLINE void prefetch_next(const KeptGradients& kept, Cursor& ahead) const {
    if (!ahead.is_at_edge()) return;
    __builtin_prefetch(kept_of(kept, ahead.slot));
    if (ahead.has_far_keys) prefetch(in_.key[in_.mask.incoming.columns[ahead.slot]], 0, layout_.columns());
    ++ahead.slot;
  }

  [[gnu::noinline]] void add_row(Node row, const KeptGradients& kept, const RowRanges& ranges, bool is_done,
                                 Rows<float> unfinished, State& state) const {
    float* sums = unfinished.data != nullptr ? unfinished[row] : state.sums.data();
    const EdgeIndex begin = ranges.begins[row], end = ranges.ends[row];
    if constexpr (Score::kIsPerHead) {
      Floats sum = unfinished.data != nullptr ? load(sums) : Floats{};
      for (EdgeIndex slot = begin; slot < end; ++slot) {
        prefetch_next(kept, state.ahead);
        sum += layout_.repeat(kept_of(kept, slot));
      }
      store(sums, sum);
      if (is_done) finish(row, sums);
    } else {
      for (EdgeIndex slot = begin; slot < end; slot += kEdges) {
        const int count = static_cast<int>(std::min<EdgeIndex>(kEdges, end - slot));
        const bool is_first = unfinished.data == nullptr && slot == begin;
        const bool is_last = is_done && slot + static_cast<EdgeIndex>(count) == end;
        add_block(row, slot, count, kept, {sums, is_first, is_last}, state);
      }
      if (begin == end && is_done && unfinished.data != nullptr) finish(row, sums);
    }
  }

  int sum_columns() const { return Score::kIsPerHead ? kLanes : layout_.columns(); }

  EDGEWISE_INLINE void add_block(Node row, EdgeIndex slot, int count, const KeptGradients& kept, const Sums& sums,
                                 State& state) const {
    using KeyElement = std::conditional_t<kHasEdges, float, Element>;
    Gathered<KeyElement> far{in_.key, in_.mask.incoming.columns.data() + slot};
    if constexpr (kHasEdges)
      if (in_.edge_weight.data != nullptr) {
        if (in_.has_far_features()) in_.features.prefetch_after(slot, count);
        state.key_rows.fill(
            layout_, in_.features, in_.edge_weight, 0, count, [far](int e) EDGEWISE_INLINE_LAMBDA { return far[e]; },
            [slot](int e) EDGEWISE_INLINE_LAMBDA { return slot + static_cast<EdgeIndex>(e); });
        far = state.key_rows.rows();
      }
    const auto own = Row<Layout, Element>(in_.query[row]);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      Floats of_row[size];
      for (int v = 0; v < size; ++v) of_row[v] = sums.is_first ? Floats{} : load(sums.of + (first + v) * kLanes);
      add_score_gradients<End::destination, size>(
          in_.score, layout_, first,
          [&](int e) EDGEWISE_INLINE_LAMBDA { return kept_of(kept, slot + static_cast<EdgeIndex>(e)); },
          [&](int, int v) EDGEWISE_INLINE_LAMBDA { return own[v]; }, far, count, of_row, nullptr,
          [&](int, const Floats*) EDGEWISE_INLINE_LAMBDA {
            if (first == 0) prefetch_next(kept, state.ahead);
          });
      if (sums.is_last) {
        multiply_by_factor(in_, first, of_row, size);
        add_to(gradient_[row], first, of_row, size);
      } else {
        for (int v = 0; v < size; ++v) store(sums.of + (first + v) * kLanes, of_row[v]);
      }
    });
  }

  EDGEWISE_INLINE void finish(Node row, const float* sums) const {
    if constexpr (Score::kIsPerHead) {
      for (int h = 0; h < layout_.heads(); ++h) gradient_[row][h] += sums[h];
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
};

}  // namespace edgewise::attention::fused
