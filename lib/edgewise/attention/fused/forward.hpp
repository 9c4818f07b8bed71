#pragma once

#include <array>

#include "edgewise/attention/fused/edge_rows.hpp"
#include "edgewise/attention/fused/weigh.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

/// The forward pass over the rows of destinations, a block of at most kEdges edges at a time:
///   step 1   x = scale * sum over columns of attention_vector * value(query, key) + bias;  score = activate(x)
///   step 2   weight = normaliser(score)
///   step 3   weight *= dropout factor
///   step 4   output += weight * value row
///   step 5   if weights sum to 1: output /= sum of the weights (before dropout)
/// Nothing per edge outlives its block. kHasEdges: there are edge features.
template <class Score, class Layout, class Element, bool kHasEdges>
class ForwardPass {
 public:
  using Inputs = Problem<Score, Element>;
  static constexpr int kEdges = kMaxRows;

  ForwardPass(const Inputs& inputs, const Layout& layout, const Steps<Score>& normaliser)
      : in_(inputs),
        layout_(layout),
        normaliser_(normaliser),
        tiles_(inputs.tiles(End::destination, layout)),
        is_far_(!tiles_.are_used() && inputs.is_far(inputs.mask.source_count(), layout.columns())) {}

  /// Fills the rows of `output`, and those of `row_statistics` if weights sum to 1.
  void run() const {
    const std::vector<Node>& chunks = tiles_.chunks;
    parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
      State state(layout_);
      for_each_block<kEdges>(in_.mask.incoming, chunks[chunk], chunks[chunk + 1], tiles_,
                             [&](const RowBlock& block) { attend(block, state); });
    });
  }

  /// Fills weights [slots, all heads]: steps 1 and 2, with the row statistics of an earlier forward pass.
  void weights(float* weights) const {
    const std::vector<Node>& chunks = in_.mask.incoming_chunks;
    parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
      State state(layout_);
      for_each_row_block<kEdges>(in_.mask.incoming, chunks[chunk], chunks[chunk + 1], [&](const RowBlock& block) {
        state.nodes.fill(in_.mask.incoming.columns, block.slot, true);
        const auto keys = key_rows(block, state);
        score(block, keys, {}, state);
        normaliser_.template of<Layout>().known(block, layout_, {in_.row_statistics.data, in_.row_statistics.stride},
                                                state.scores);
        copy_weights(block, state.scores, weights);
      });
    });
  }

 private:
  using KeyElement = std::conditional_t<kHasEdges, float, typename Inputs::QueryKey>;
  using ValueElement = std::conditional_t<kHasEdges, float, Element>;
  static_assert(!kHasEdges || std::is_same_v<Element, float>);
  static constexpr int kAhead = kEdges + kEdges / 2;  ///< The prefetch distance in edges.

  struct State {
    RunningSoftmax<Layout> softmax;
    BlockNodes<kEdges, kAhead> nodes;
    BlockRows<Layout::kSharesVectors ? kEdges : 0> rows;
    alignas(64) float scores[(kEdges + 1) * kLanes];
    alignas(64) std::array<float, kHasEdges ? (kEdges + 1) * kLanes : 0> bias{};
    EdgeRows key_rows;
    EdgeRows value_rows;

    explicit State(const Layout& layout)
        : softmax(layout),
          key_rows(kHasEdges ? layout.columns() : 0),
          value_rows(kHasEdges ? layout.columns() : 0) {}
  };

  Gathered<KeyElement> key_rows(const RowBlock& block, State& state) const {
    const Gathered<KeyElement> gathered{in_.key, state.nodes.of};
    if constexpr (kHasEdges && !Score::kIsPerHead) {
      if (in_.edge_weight.data != nullptr) return with_edges(block, in_.edge_weight, gathered, state.key_rows);
    }
    return gathered;
  }
  Gathered<ValueElement> value_rows(const RowBlock& block, State& state) const {
    const Gathered<ValueElement> gathered{in_.value, state.nodes.of};
    if constexpr (kHasEdges) {
      if (in_.value_edge_weight.data != nullptr)
        return with_edges(block, in_.value_edge_weight, gathered, state.value_rows);
    }
    return gathered;
  }

  Gathered<float> with_edges(const RowBlock& block, const Rows<const float>& weight, const Gathered<float>& gathered,
                             EdgeRows& rows) const {
    rows.fill(
        layout_, in_.features, weight, 0, block.count, [gathered](int e) EDGEWISE_INLINE_LAMBDA { return gathered[e]; },
        [slot = block.slot](int e) EDGEWISE_INLINE_LAMBDA { return slot + static_cast<EdgeIndex>(e); });
    return rows.rows();
  }

  bool reads_one_table() const {
    return static_cast<const void*>(in_.key.data) == static_cast<const void*>(in_.value.data);
  }

  [[gnu::noinline]] void attend(const RowBlock& block, State& state) const {
    state.nodes.fill(in_.mask.incoming.columns, block.slot, !tiles_.are_used());
    if constexpr (kHasEdges)
      if (in_.has_far_features()) in_.features.prefetch_after(block.slot, block.count);
    const auto keys = key_rows(block, state);
    const auto values = value_rows(block, state);
    score(block, keys, values, state);
    normaliser_.template of<Layout>().forward(block, layout_, state.softmax, state.scores);
    if (normaliser_.sums_to_one && block.is_last) store_statistics(block, state);
    if (in_.dropout.mask.is_active()) drop(block, state.scores);
    for (int r = 0; r < block.rows; ++r) sum_row(block, block.part(r), values, state);
  }

  /// Step 1.
  EDGEWISE_INLINE void score(const RowBlock& block, const Gathered<KeyElement>& keys,
                             const Gathered<ValueElement>& values, State& state) const {
    if constexpr (kHasEdges)
      if (in_.edge_bias.data != nullptr)
        fill_edge_bias(
            in_.features, in_.edge_bias, layout_.heads(), block.count,
            [slot = block.slot](int e) EDGEWISE_INLINE_LAMBDA { return slot + static_cast<EdgeIndex>(e); },
            state.bias.data());
    if constexpr (Layout::kSharesVectors) {
      state.rows.fill(block);
      score_edges(0, block.count, own_rows(state), keys, values, state);
    } else {
      for (int r = 0; r < block.rows; ++r) {
        const RowPart part = block.part(r);
        score_edges(part.begin, part.end, own_row(part.row), keys, values, state);
      }
    }
  }

  /// Prefetches `values`, which are read next; they have no nodes if no sums follow.
  template <class Own>
  EDGEWISE_INLINE void score_edges(int begin, int end, const Own& own, const Gathered<KeyElement>& keys,
                                   const Gathered<ValueElement>& values, State& state) const {
    const auto vector = Row<Layout, float>(Score::kHasVector ? in_.attention_vector : state.scores);
    const bool prefetches = is_far_ && values.nodes != nullptr;
    for (int e = begin; e < end; e += layout_.edges()) {
      if (prefetches) prefetch_values(state.nodes.of + e);
      Floats x = edge_scores(own, e, keys.from(e), vector);
      if constexpr (kHasEdges)
        if (in_.edge_bias.data != nullptr) x += load(state.bias.data() + e * layout_.heads());
      store(state.scores + e * layout_.heads(), in_.score.activate(x));
    }
  }

  /// The query of one row: own(e) has the numbers per head of `layout.edges()` edges from e on, or own(e, v) is vector
  /// v of edge e.
  auto own_row(Node row) const {
    if constexpr (Score::kIsPerHead)
      return [kept = layout_.repeat_row(in_.query[row])](int) EDGEWISE_INLINE_LAMBDA { return kept; };
    else
      return [kept = Row<Layout, Element>(in_.query[row])](int, int v) EDGEWISE_INLINE_LAMBDA { return kept[v]; };
  }
  /// Likewise for the rows of a block.
  auto own_rows(const State& state) const {
    const Gathered<typename Inputs::QueryKey> rows{in_.query, state.rows.of.data()};
    if constexpr (Score::kIsPerHead)
      return [rows, this](int e)
                 EDGEWISE_INLINE_LAMBDA { return layout_.gather(rows.table.data, rows.nodes + e, rows.table.stride); };
    else
      return [rows](int e, int v) EDGEWISE_INLINE_LAMBDA { return load(rows[e] + v * kLanes); };
  }
  template <class Own, class Vector>
  EDGEWISE_INLINE Floats edge_scores(const Own& own, int first, const Gathered<KeyElement>& keys,
                                     const Vector& vector) const {
    if constexpr (Score::kIsPerHead) {
      return in_.score.value(own(first), layout_.gather(keys.table.data, keys.nodes, keys.table.stride));
    } else {
      return column_scores<End::destination>(
          in_.score, layout_, [&](int e, int v) EDGEWISE_INLINE_LAMBDA { return own(first + e, v); }, keys, vector);
    }
  }

  /// Each phase prefetches what the other one reads next: scoring prefetches the values of the same edges, summing the
  /// keys of the next block. If one table is both, each prefetches half of a row. Edge terms are added to the values of
  /// a whole block before scoring, so then scoring prefetches the values of the next block.
  EDGEWISE_INLINE void prefetch_values(const Node* nodes) const {
    const int columns = layout_.columns();
    const int ahead = kHasEdges && in_.value_edge_weight.data != nullptr ? kEdges : 0;
    if constexpr (Score::kIsPerHead)
      for (int e = 0; e < layout_.edges(); ++e) __builtin_prefetch(in_.key[nodes[e + kAhead]]);
    else if (reads_one_table())
      for (int e = 0; e < layout_.edges(); ++e) prefetch(in_.value[nodes[e + kAhead]], 0, columns / 2);
    else
      for (int e = 0; e < layout_.edges(); ++e) prefetch(in_.value[nodes[e + ahead]], 0, columns);
  }
  EDGEWISE_INLINE void prefetch_keys(Node now, Node later) const {
    const int columns = layout_.columns();
    if constexpr (Score::kIsPerHead)
      prefetch(in_.value[now], 0, columns);
    else if (reads_one_table())
      prefetch(in_.value[later], columns / 2, columns);
    else
      prefetch(in_.key[now], 0, columns);
  }

  /// Step 3.
  void drop(const RowBlock& block, float* weights) const {
    for (int e = 0; e < block.count; e += layout_.edges()) {
      float* of = weights + e * layout_.heads();
      store(of, load(of) * in_.dropout.factors(layout_, block.slot + static_cast<EdgeIndex>(e)));
    }
  }

  /// Steps 4 and 5.
  EDGEWISE_INLINE void sum_row(const RowBlock& block, const RowPart& part, const Gathered<ValueElement>& values,
                               const State& state) const {
    float* output = in_.output[part.row];
    const int heads = layout_.heads(), count = part.end - part.begin;
    const Node* nodes = state.nodes.of + part.begin;
    if (is_far_) prefetch_own_row(part.row);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      const auto spread = layout_.template spread<size>(first);
      Floats sums[size]{};
      const auto multiply = [&](Floats of_heads) EDGEWISE_INLINE_LAMBDA {
        Floats of_columns[size];
        spread(of_heads, of_columns);
        for (int v = 0; v < size; ++v) sums[v] *= of_columns[v];
      };
      if (!block.is_first) {
        for (int v = 0; v < size; ++v) sums[v] = load(output + (first + v) * kLanes);
        if (normaliser_.sums_to_one) multiply(state.softmax.rescale());
      }
      add_weighted_rows<size>(layout_, first, state.scores + part.begin * heads, values.from(part.begin), count, sums,
                              [&](int e) EDGEWISE_INLINE_LAMBDA {
                                if (is_far_ && first == 0) prefetch_keys(nodes[e + kEdges], nodes[e + kAhead]);
                              });
      if (normaliser_.sums_to_one && block.is_last) multiply(layout_.repeat(state.softmax.row_factor(part.index)));
      for (int v = 0; v < size; ++v) store(output + (first + v) * kLanes, sums[v]);
    });
  }

  EDGEWISE_INLINE void prefetch_own_row(Node row) const {
    constexpr Node kRowsAhead = 8;
    const Node last = static_cast<Node>(in_.mask.destination_count()) - 1;
    const Node next = std::min(row + kRowsAhead, last);
    prefetch(in_.output[next], 0, layout_.columns());
    if constexpr (!Score::kIsPerHead) prefetch(in_.query[next], 0, layout_.columns());
  }

  void store_statistics(const RowBlock& block, const State& state) const {
    const auto heads = static_cast<std::size_t>(layout_.heads());
    const float* from = state.softmax.row_statistics(block.index);
    const auto rows = static_cast<std::size_t>(block.rows);
    if (in_.row_statistics.stride == heads)
      std::memcpy(in_.row_statistics[block.row], from, rows * heads * sizeof(float));
    else
      for (std::size_t r = 0; r < rows; ++r, from += heads)
        std::memcpy(in_.row_statistics[block.row + static_cast<Node>(r)], from, heads * sizeof(float));
  }

  void copy_weights(const RowBlock& block, const float* from, float* weights) const {
    const int all = in_.dropout.all_heads, first = in_.dropout.first_head;
    for (int e = 0; e < block.count; ++e)
      std::copy_n(from + e * layout_.heads(), std::min(layout_.heads(), all - first),
                  weights + (block.slot + static_cast<EdgeIndex>(e)) * static_cast<EdgeIndex>(all) + first);
  }

  const Inputs& in_;
  Layout layout_;
  const Steps<Score>& normaliser_;
  Tiles tiles_;
  bool is_far_;
};

}  // namespace edgewise::attention::fused
