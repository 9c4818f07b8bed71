#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "edgewise/attention/fused/passes/edge_rows.hpp"
#include "edgewise/attention/fused/passes/gradients.hpp"
#include "edgewise/attention/fused/passes/weigh.hpp"
#include "edgewise/attention/fused/traversal/kept_numbers.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

/// Turns the sums of the weights of rows into log-sum-exps. Returns the rows whose sums are not safe, which are to be
/// processed again.
std::vector<Node> finish_rows(const Group& group, Node begin, Node end);

/// The forward pass over the rows of destinations, a block of at most kEdges edges at a time:
///   step 1   x = scale * sum over columns of attention_vector * value(query, key) + bias;  score = activate(x)
///   step 2   weight = normaliser(score)
///   step 3   weight *= dropout factor
///   step 4   output += weight * value row
///   step 5   if weights sum to 1: output /= sum of the weights (before dropout)
/// If keys and values are two tables, it makes two sweeps over the edges: step 1, which keeps the scores, then the
/// others. Otherwise nothing per edge outlives its block. kHasEdges: there are edge features.
template <class Score, class Layout, bool kHasEdges>
class ForwardPass {
 public:
  using Inputs = Problem<Score>;
  static constexpr int kEdges = kMaxRows;

  ForwardPass(const Inputs& inputs, const Layout& layout, const Steps<Score>& normaliser, const Traversal& traversal)
      : in_(inputs),
        layout_(layout),
        normaliser_(normaliser),
        traversal_(traversal),
        is_far_(!traversal.tiles.are_used() && inputs.is_far(inputs.mask.source_count())) {}

  /// Fills the rows of `output`, and those of `row_statistics` if weights sum to 1, for consecutive chunks of rows.
  /// kept: scratch memory for the scores of their edges, [edges, heads]; nullptr: it makes a single sweep.
  void run(std::size_t first_chunk, std::size_t end_chunk, float* kept) const {
    const KeptNumbers scores{kept, traversal_.csr.offsets[traversal_.tiles.chunks[first_chunk]],
                             end_chunk - first_chunk == traversal_.chunks()};
    if (kept != nullptr) sweep(first_chunk, end_chunk, Sweep::scores, scores);
    sweep(first_chunk, end_chunk, kept == nullptr ? Sweep::all : Sweep::values, scores);
  }

  /// Fills weights [slots, all heads]: steps 1 and 2, with the row statistics of an earlier forward pass.
  void weights(float* weights) const {
    const std::vector<Node>& chunks = in_.mask.incoming_chunks;
    parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
      State state(layout_, Sweep::scores, {});
      for_each_row_block(in_.mask.incoming, chunks[chunk], chunks[chunk + 1], kEdges, [&](const RowBlock& block) {
        begin(block, state);
        score(block, {}, state);
        normaliser_.known(block, layout_.any(), {in_.row_statistics.data, in_.row_statistics.stride},
                          {in_.row_maxima.data, in_.row_maxima.stride}, state.scores);
        copy_weights(block, state.scores, weights);
      });
    });
  }

 private:
  static constexpr int kAhead = kEdges + kEdges / 2;  ///< The prefetch distance in edges, with both tables in a sweep.
  static constexpr int kAheadOfOne = 32;              ///< Likewise, with one of them.

  /// What a sweep does: steps 1 to 5, step 1, or steps 2 to 5.
  enum class Sweep { all, scores, values };

  struct State {
    Sweep sweep;
    KeptNumbers kept;
    const Floats* maximum = nullptr;  ///< Of the row, per head and repeated, if it is to be subtracted from scores.
    BlockNodes<kEdges, kAhead> nodes;
    BlockSlots<kEdges> slots;
    BlockRows<Layout::kSharesVectors ? kEdges : 0> rows;
    alignas(64) float scores[(kEdges + 1) * kLanes];
    alignas(64) float dropped[(kEdges + 1) * kLanes];  ///< Weights after dropout.
    alignas(64) std::array<float, kHasEdges ? (kEdges + 1) * kLanes : 0> bias{};
    EdgeRows key_rows;
    EdgeRows value_rows;

    State(const Layout& layout, Sweep of, const KeptNumbers& scores_of_edges)
        : sweep(of),
          kept(scores_of_edges),
          key_rows(kHasEdges ? layout.columns() : 0),
          value_rows(kHasEdges ? layout.columns() : 0) {}
  };

  void sweep(std::size_t first_chunk, std::size_t end_chunk, Sweep what, const KeptNumbers& kept) const {
    for (std::size_t columns = 0; columns < traversal_.block_count(); ++columns)
      parallel_chunks(end_chunk - first_chunk, [&](std::size_t i) {
        const std::size_t chunk = first_chunk + i;
        State state(layout_, what, kept);
        traversal_.for_each_block(columns, chunk, kEdges, [&](const RowBlock& block) { attend(block, state); });
        const bool are_done = what != Sweep::scores && columns + 1 == traversal_.block_count();
        if (!are_done || !normaliser_.sums_to_one) return;
        state.sweep = Sweep::all;
        for (const Node row : finish_rows(in_, traversal_.tiles.chunks[chunk], traversal_.tiles.chunks[chunk + 1]))
          attend_again(row, state);
      });
  }

  Gathered key_rows(const RowBlock& block, State& state) const {
    const Gathered gathered{in_.key, state.nodes.of};
    if constexpr (kHasEdges && !Score::kIsPerHead) {
      if (in_.edge_weight.data != nullptr) return with_edges(block, in_.edge_weight, gathered, state, state.key_rows);
    }
    return gathered;
  }
  Gathered value_rows(const RowBlock& block, State& state) const {
    const Gathered gathered{in_.value, state.nodes.of};
    if constexpr (kHasEdges) {
      if (in_.value_edge_weight.data != nullptr)
        return with_edges(block, in_.value_edge_weight, gathered, state, state.value_rows);
    }
    return gathered;
  }

  [[gnu::noinline]] Gathered with_edges(const RowBlock& block, const Rows<const float>& weight,
                                        const Gathered& gathered, const State& state, EdgeRows& rows) const {
    rows.fill(
        layout_, in_.features, weight, 0, block.count, [gathered](int e) EDGEWISE_INLINE_LAMBDA { return gathered[e]; },
        slots_of(state));
    return rows.rows();
  }
  static auto slots_of(const State& state) {
    return [of = state.slots.of.data()](int e) EDGEWISE_INLINE_LAMBDA { return static_cast<EdgeIndex>(of[e]); };
  }

  bool reads_one_table() const { return in_.key.data == in_.value.data; }

  void begin(const RowBlock& block, State& state) const {
    state.nodes.fill(*block.columns, block.position, !traversal_.tiles.are_used());
    if (kHasEdges || in_.dropout.mask.is_active()) state.slots.fill(block);
    if constexpr (kHasEdges)
      if (in_.has_far_features()) in_.features.prefetch_after(block.parts[0].slot, block.count);
  }

  [[gnu::noinline]] void attend(const RowBlock& block, State& state) const {
    begin(block, state);
    const Gathered values = state.sweep == Sweep::scores ? Gathered{} : value_rows(block, state);
    if (state.sweep == Sweep::values)
      state.kept.get(block, layout_.heads(), state.scores);
    else
      score(block, values, state);
    if (state.sweep == Sweep::scores) return state.kept.put(block, layout_.heads(), state.scores);
    if (state.maximum != nullptr) subtract(*state.maximum, block.count * layout_.heads(), state.scores);
    normaliser_.forward(block, layout_.heads(), state.scores);
    if (in_.dropout.mask.is_active()) drop(block, state);
    for (const RowPart& part : block) sum_row(part, values, state);
  }

  /// Step 1.
  [[gnu::noinline]] void score(const RowBlock& block, const Gathered& values, State& state) const {
    const Gathered keys = key_rows(block, state);
    if constexpr (kHasEdges)
      if (in_.edge_bias.data != nullptr)
        fill_edge_bias(in_.features, in_.edge_bias, layout_.heads(), block.count, slots_of(state), state.bias.data());
    if constexpr (Layout::kSharesVectors) {
      state.rows.fill(block);
      score_edges(0, block.count, own_rows(state), keys, values, state);
    } else {
      for (const RowPart& part : block) {
        if (is_far_ && state.sweep == Sweep::scores) prefetch_own_query(part.row);
        score_edges(part.begin, part.end, own_row(part.row), keys, values, state);
      }
    }
  }

  template <class Own>
  EDGEWISE_INLINE void score_edges(int begin, int end, const Own& own, const Gathered& keys,
                                   const Gathered& values, State& state) const {
    const auto vector = Row<Layout>(Score::kHasVector ? in_.attention_vector : state.scores);
    const bool prefetches_values = is_far_ && values.nodes != nullptr, prefetches_keys = is_far_ && !prefetches_values;
    const int ahead = ahead_of_one(in_.edge_weight);
    for (int e = begin; e < end; e += layout_.edges()) {
      if (prefetches_values) prefetch_values(state.nodes.of + e);
      if (prefetches_keys)
        for (int i = 0; i < layout_.edges(); ++i)
          prefetch(in_.key[state.nodes.of[e + i + ahead]], 0, Score::kIsPerHead ? 1 : layout_.columns());
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
      return [kept = Row<Layout>(in_.query[row])](int, int v) EDGEWISE_INLINE_LAMBDA { return kept[v]; };
  }
  /// Likewise for the rows of a block.
  auto own_rows(const State& state) const {
    const Gathered rows{in_.query, state.rows.of.data()};
    if constexpr (Score::kIsPerHead)
      return [rows, this](int e)
                 EDGEWISE_INLINE_LAMBDA { return layout_.gather(rows.table.data, rows.nodes + e, rows.table.stride); };
    else
      return [rows](int e, int v) EDGEWISE_INLINE_LAMBDA { return load(rows[e] + v * kLanes); };
  }
  template <class Own, class Vector>
  EDGEWISE_INLINE Floats edge_scores(const Own& own, int first, const Gathered& keys,
                                     const Vector& vector) const {
    if constexpr (Score::kIsPerHead) {
      return in_.score.value(own(first), layout_.gather(keys.table.data, keys.nodes, keys.table.stride));
    } else {
      return column_scores<End::destination>(
          in_.score, layout_, [&](int e, int v) EDGEWISE_INLINE_LAMBDA { return own(first + e, v); }, keys, vector);
    }
  }

  /// The prefetch distance in a sweep that gathers from one table. Edge terms are added to the rows of a whole block at
  /// once, so then it is the next block.
  static int ahead_of_one(const Rows<const float>& edge_weight) {
    return kHasEdges && edge_weight.data != nullptr ? kEdges : kAheadOfOne;
  }

  /// If a sweep does all, each phase prefetches what the other one reads next: scoring the values of the same edges,
  /// summing the keys of the next block. If one table is both, each prefetches half of a row. Edge terms are added to
  /// the values of a whole block before scoring, so then scoring prefetches the values of the next block.
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

  static void subtract(Floats maximum, int count, float* scores) {
    for (int i = 0; i < count; i += kLanes) store(scores + i, load(scores + i) - maximum);
  }

  /// Step 3.
  void drop(const RowBlock& block, State& state) const {
    for (int e = 0; e < block.count; e += layout_.edges()) {
      const Floats factors = in_.dropout.factors(layout_, state.slots.of.data() + e);
      store(state.dropped + e * layout_.heads(), load(state.scores + e * layout_.heads()) * factors);
    }
  }

  /// Steps 4 and 5. The sum of the weights is in `row_statistics` until `finish`.
  EDGEWISE_INLINE void sum_row(const RowPart& part, const Gathered& values, const State& state) const {
    const int heads = layout_.heads(), count = part.end - part.begin;
    const Node* nodes = state.nodes.of + part.begin;
    const bool is_alone = state.sweep == Sweep::values, drops = in_.dropout.mask.is_active();
    const float *undropped = state.scores + part.begin * heads,
                *weights = drops ? state.dropped + part.begin * heads : undropped;
    const int ahead = ahead_of_one(in_.value_edge_weight);
    float *output = in_.output[part.row], *kept = in_.row_statistics[part.row];
    if (is_far_) prefetch_own_row(part.row, state.sweep);
    Floats weight_sum{};
    if (normaliser_.sums_to_one && !part.is_first) weight_sum = layout_.repeat_row(kept);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      Floats sums[size]{};
      if (!part.is_first) load_row<size>(output, first, sums);
      add_weighted_rows<size>(layout_, first, weights, values.from(part.begin), count, sums,
                              [&](int e, Floats of_heads) EDGEWISE_INLINE_LAMBDA {
                                if (first > 0) return;
                                weight_sum += drops ? layout_.repeat(undropped + e * heads) : of_heads;
                                if (!is_far_) return;
                                if (is_alone)
                                  prefetch(in_.value[nodes[e + ahead]], 0, layout_.columns());
                                else
                                  prefetch_keys(nodes[e + kEdges], nodes[e + kAhead]);
                              });
      if (normaliser_.sums_to_one && part.is_last) divide(weight_sum, first, size, sums);
      store_row<size>(sums, first, output);
    });
    if (normaliser_.sums_to_one) layout_.store_row_of_heads(kept, weight_sum);
  }

  /// Divides `size` vectors of a row by one number per head; a row without edges stays as it is.
  template <class Size>
  EDGEWISE_INLINE void divide(Floats by, int first, Size size, Floats* sums) const {
    Floats of_columns[size];
    layout_.template spread<size>(first)(1.0F / (by == 0.0F ? Floats{} + 1.0F : by), of_columns);
    for (int v = 0; v < size; ++v) sums[v] *= of_columns[v];
  }

  /// Processes a row with its maximum subtracted from its scores.
  [[gnu::noinline]] void attend_again(Node row, State& state) const {
    Floats maximum = Floats{} - std::numeric_limits<float>::infinity();
    const auto for_each_part = [&](const auto& body) {
      for_each_row_block(in_.mask.incoming, row, row + 1, kEdges, body);
    };
    for_each_part([&](const RowBlock& block) {
      begin(block, state);
      score(block, {}, state);
      const int count = block.count * layout_.heads();
      for (int i = 0; i < count; i += kLanes) {
        const Floats scores = load(state.scores + i);
        maximum = (i + kLane < count) & (scores > maximum) ? scores : maximum;
      }
    });
    maximum = across_edges(maximum, layout_.heads(),
                           [](Floats a, Floats b) EDGEWISE_INLINE_LAMBDA { return a > b ? a : b; });
    state.maximum = &maximum;
    for_each_part([&](const RowBlock& block) { attend(block, state); });
    state.maximum = nullptr;
    float* of_row = in_.row_statistics[row];
    simd::store_first(of_row, simd::log(layout_.repeat_row(of_row)), layout_.heads());
    simd::store_first(in_.row_maxima[row], maximum, layout_.heads());
  }

  EDGEWISE_INLINE Node later_row(Node row) const {
    constexpr Node kRowsAhead = 8;
    return std::min(row + kRowsAhead, static_cast<Node>(in_.mask.destination_count()) - 1);
  }
  EDGEWISE_INLINE void prefetch_own_query(Node row) const {
    prefetch(in_.query[later_row(row)], 0, Score::kIsPerHead ? 1 : layout_.columns());
  }
  EDGEWISE_INLINE void prefetch_own_row(Node row, Sweep sweep) const {
    prefetch(in_.output[later_row(row)], 0, layout_.columns());
    if (!Score::kIsPerHead && sweep == Sweep::all) prefetch_own_query(row);
  }

  void copy_weights(const RowBlock& block, const float* from, float* weights) const {
    const int all = in_.dropout.all_heads, first = in_.dropout.first_head;
    for (int e = 0; e < block.count; ++e)
      std::copy_n(from + e * layout_.heads(), std::min(layout_.heads(), all - first),
                  weights + (block.parts[0].slot + static_cast<EdgeIndex>(e)) * static_cast<EdgeIndex>(all) + first);
  }

  const Inputs& in_;
  Layout layout_;
  const Steps<Score>& normaliser_;
  const Traversal& traversal_;
  bool is_far_;
};

}  // namespace edgewise::attention::fused
