#pragma once

#include <array>

#include "edgewise/attention/fused/passes/edge_rows.hpp"
#include "edgewise/attention/fused/passes/gradients.hpp"
#include "edgewise/attention/fused/passes/weigh.hpp"
#include "edgewise/attention/fused/traversal/kept_numbers.hpp"

namespace edgewise::attention::fused {

/// The first of the two passes of the backward pass, over the rows of sources in the transpose. Everything about an
/// edge u -> v is computed once, here:
///   step 1   score of (query[v], key[u]) as forward
///   step 2   forward was  output[v] += weight * value[u]
///            so now       weight gradient = output gradient[v] . value[u]
///   step 3   weight, from the row statistics of v; forward was  weight * dropout factor, weight = normaliser(score),
///            score = activate(x); so now  weight gradient *= dropout factor, x gradient = activate'(normaliser'(...))
///   step 4   value gradient[u] += weight * dropout factor * output gradient[v]
///   step 5   forward was  x = scale * sum of attention_vector * value(query, key)
///            so now       key gradient[u] += x gradient * scale * attention_vector * d value / d key, and likewise for
///                         the attention vector
/// The x gradients are kept for the destination pass, 4 bytes per edge and head. If it gathers rows of queries and of
/// output gradients from tables that exceed the L2 cache, the pass makes three sweeps over the edges: step 1, steps 2
/// to 4, and step 5.
template <class Score, class Layout, bool kHasEdges>
class SourcePass {
 public:
  using Inputs = Problem<Score>;
  static constexpr int kEdges = 32;

  SourcePass(const Inputs& inputs, const Layout& layout, const Steps<Score>& normaliser, const Traversal& traversal,
             const Gradients& gradients, Rows<const float> statistics)
      : in_(inputs),
        layout_(layout),
        normaliser_(normaliser),
        traversal_(traversal),
        gradients_(gradients),
        statistics_(statistics),
        is_far_(!traversal.tiles.are_used() && inputs.is_far(inputs.mask.destination_count())) {}

  /// Processes the rows of consecutive chunks. x gradients go to `kept`.
  void run(std::size_t first_chunk, std::size_t end_chunk, const KeptNumbers& kept, const PartialSums& partial) const {
    if (Score::kIsPerHead || !is_far_)
      return sweep(first_chunk, end_chunk, Sweep::all, kept, partial);
    for (const Sweep each : {Sweep::scores, Sweep::values, Sweep::keys})
      sweep(first_chunk, end_chunk, each, kept, partial);
  }

 private:
  static constexpr int kAhead = 128;      ///< The prefetch distance in edges, with all tables in a sweep.
  static constexpr int kAheadOfOne = 32;  ///< Likewise, with one of them.
  /// With edge terms, each edge has its own row.
  static constexpr bool kSharesVectors = Layout::kSharesVectors && !kHasEdges;

  /// What a sweep does: steps 1 to 5, step 1, steps 2 to 4, or step 5.
  enum class Sweep { all, scores, values, keys };

  struct State {
    Sweep sweep;
    KeptNumbers kept;
    SharedSums shared;
    BlockNodes<kEdges, kAhead> nodes;
    BlockNodes<kEdges, kHasEdges ? kAhead : 0> slots;
    BlockRows<kSharesVectors ? kEdges : 0> rows;
    alignas(64) float weights[(kEdges + 1) * kLanes];
    alignas(64) float gradients[(kEdges + 1) * kLanes];
    alignas(64) std::array<float, kHasEdges ? (kEdges + 1) * kLanes : 0> bias{};
    EdgeRows key_rows;
    EdgeRows value_rows;

    State(const Layout& layout, Sweep of, const KeptNumbers& to, const SharedSums& sums)
        : sweep(of),
          kept(to),
          shared(sums),
          key_rows(kHasEdges ? layout.columns() : 0),
          value_rows(kHasEdges ? layout.columns() : 0) {}
  };

  void sweep(std::size_t first_chunk, std::size_t end_chunk, Sweep what, const KeptNumbers& kept,
             const PartialSums& partial) const {
    for (std::size_t columns = 0; columns < traversal_.block_count(); ++columns)
      parallel_chunks(end_chunk - first_chunk, [&](std::size_t i) {
        const std::size_t chunk = first_chunk + i;
        State state(layout_, what, kept, partial.of_chunk(chunk));
        traversal_.for_each_block(columns, chunk, kEdges, [&](const RowBlock& block) {
          if (block.count > 0) differentiate(block, state);
        });
      });
  }

  [[gnu::noinline]] void differentiate(const RowBlock& block, State& state) const {
    const Sweep sweep = state.sweep;
    const int heads = layout_.heads();
    const bool prefetches = !traversal_.tiles.are_used();
    state.nodes.fill(*block.columns, block.position, prefetches);
    if (kHasEdges || in_.dropout.mask.is_active()) state.slots.fill_by_slot(in_.mask.outgoing_slot, block, prefetches);
    if constexpr (kHasEdges) prepare_features(block, state);
    if constexpr (kSharesVectors) state.rows.fill(block);
    if (sweep == Sweep::keys) state.kept.get(block, heads, state.gradients);
    if (sweep == Sweep::values) state.kept.get(block, heads, state.weights);
    if (sweep == Sweep::all || sweep == Sweep::scores) score(block, state);
    if (sweep == Sweep::scores) return state.kept.put(block, heads, state.weights);
    if (sweep != Sweep::keys) differentiate_weights(block, state);
    if (sweep != Sweep::keys) add_value_gradients(block, state);
    if (sweep != Sweep::values) add_key_gradients(block, state);
  }

  static EdgeIndex slot_of(const State& state, int e) { return static_cast<EdgeIndex>(state.slots.of[e]); }
  static auto slots_of(const State& state) {
    return [of = state.slots.of](int e) EDGEWISE_INLINE_LAMBDA { return static_cast<EdgeIndex>(of[e]); };
  }

  void prepare_features(const RowBlock& block, State& state) const {
    if (in_.has_far_features())
      for (int e = 0; e < block.count; ++e) in_.features[slot_of(state, e + kAhead)].prefetch();
    if (in_.edge_bias.data != nullptr)
      fill_edge_bias(in_.features, in_.edge_bias, layout_.heads(), block.count, slots_of(state), state.bias.data());
  }

  /// The row of a source for each of its edges: the same one, or with the term of the edge added, from `scratch`.
  EDGEWISE_INLINE auto own_rows(const float* row, bool has_terms, const EdgeRows& scratch) const {
    if constexpr (kHasEdges) {
      const Gathered terms = scratch.rows();
      const float* first = has_terms ? terms[0] : row;
      const std::size_t stride = has_terms ? terms.table.stride : 0;
      return [=](int e, int v)
                 EDGEWISE_INLINE_LAMBDA { return load(first + static_cast<std::size_t>(e) * stride + v * kLanes); };
    } else {
      return [kept = Row<Layout>(row)](int, int v) EDGEWISE_INLINE_LAMBDA { return kept[v]; };
    }
  }
  EDGEWISE_INLINE auto own_keys(Node row, const State& state) const {
    return own_rows(in_.key[row], in_.edge_weight.data != nullptr, state.key_rows);
  }
  EDGEWISE_INLINE auto own_values(Node row, const State& state) const {
    return own_rows(in_.value[row], in_.value_edge_weight.data != nullptr, state.value_rows);
  }
  void fill_key_rows(const RowPart& part, State& state) const {
    if constexpr (kHasEdges && !Score::kIsPerHead)
      fill_edge_rows(part, in_.key[part.row], in_.edge_weight, state, state.key_rows);
  }
  void fill_value_rows(const RowPart& part, State& state) const {
    if constexpr (kHasEdges)
      fill_edge_rows(part, in_.value[part.row], in_.value_edge_weight, state, state.value_rows);
  }
  [[gnu::noinline]] void fill_edge_rows(const RowPart& part, const float* own, const Rows<const float>& weight,
                                        const State& state, EdgeRows& rows) const {
    if (weight.data == nullptr) return;
    rows.fill(
        layout_, in_.features, weight, part.begin, part.end, [own](int) EDGEWISE_INLINE_LAMBDA { return own; },
        slots_of(state));
  }

  /// Step 1: scores go to state.weights.
  EDGEWISE_INLINE void score(const RowBlock& block, State& state) const {
    if constexpr (kSharesVectors) {
      score_edges(0, block.count, scores_of_rows(state), state);
    } else {
      for (const RowPart& part : block) {
        fill_key_rows(part, state);
        if (!Score::kIsPerHead && is_far_) prefetch_own(in_.key, part.row);
        score_edges(part.begin, part.end, scores_of(part, state), state);
      }
    }
  }

  template <class ScoreOf>
  EDGEWISE_INLINE void score_edges(int begin, int end, const ScoreOf& score_of, State& state) const {
    const Score score = in_.score;
    const bool is_far = is_far_;
    for (int e = begin; e < end; e += layout_.edges()) {
      if (is_far) prefetch_queries(state.nodes.of + e);
      Floats x = score_of(e);
      if constexpr (kHasEdges)
        if (in_.edge_bias.data != nullptr) x += load(state.bias.data() + e * layout_.heads());
      store(state.weights + e * layout_.heads(), score.activate(x));
    }
  }

  /// Step 2: weight gradients go to state.gradients.
  EDGEWISE_INLINE void differentiate_weights(const RowBlock& block, State& state) const {
    if constexpr (kSharesVectors) {
      differentiate_edges(0, block.count, gathered({in_.value, state.rows.of.data()}), state);
    } else {
      for (const RowPart& part : block) {
        fill_value_rows(part, state);
        if (is_far_) prefetch_own(in_.value, part.row);
        differentiate_edges(part.begin, part.end, own_values(part.row, state), state);
      }
    }
  }

  template <class Values>
  EDGEWISE_INLINE void differentiate_edges(int begin, int end, const Values& values, State& state) const {
    const Node* nodes = state.nodes.of;
    const Rows<const float> output_gradient = in_.output_gradient;
    const bool is_far = !Score::kIsPerHead && is_far_;
    for (int e = begin; e < end; e += layout_.edges()) {
      if (is_far) prefetch_output_gradients(nodes + e);
      const float* rows[kLanes];
      for (int i = 0; i < layout_.edges(); ++i) rows[i] = output_gradient[nodes[e + i]];
      store(state.gradients + e * layout_.heads(), layout_.sums_of_heads([&](int i, int v) EDGEWISE_INLINE_LAMBDA {
        return values(e + i, v) * load(rows[i] + v * kLanes);
      }));
    }
  }

  /// Vector v of the row of edge e of a block.
  static auto gathered(const Gathered& rows) {
    return [rows](int e, int v) EDGEWISE_INLINE_LAMBDA { return load(rows[e] + v * kLanes); };
  }

  /// x without its bias, for `layout.edges()` edges of a row from the given one on.
  EDGEWISE_INLINE auto scores_of(const RowPart& part, State& state) const {
    const Node* nodes = state.nodes.of;
    if constexpr (Score::kIsPerHead) {
      return [score = in_.score, query = in_.query, layout = layout_, nodes,
              own = layout_.repeat_row(in_.key[part.row])](int e) EDGEWISE_INLINE_LAMBDA {
        return score.value(layout.gather(query.data, nodes + e, query.stride), own);
      };
    } else {
      return [score = in_.score, query = in_.query, layout = layout_, nodes, own = own_keys(part.row, state),
              vector = vector_row(state)](int e) EDGEWISE_INLINE_LAMBDA {
        const Gathered queries{query, nodes + e};
        return column_scores<End::source>(
            score, layout, [&](int i, int v) EDGEWISE_INLINE_LAMBDA { return own(e + i, v); }, queries, vector);
      };
    }
  }
  /// Likewise for the rows of a block.
  EDGEWISE_INLINE auto scores_of_rows(const State& state) const {
    const Node *nodes = state.nodes.of, *rows = state.rows.of.data();
    if constexpr (Score::kIsPerHead) {
      return [this, nodes, rows](int e) EDGEWISE_INLINE_LAMBDA {
        return in_.score.value(layout_.gather(in_.query.data, nodes + e, in_.query.stride),
                               layout_.gather(in_.key.data, rows + e, in_.key.stride));
      };
    } else {
      return [this, nodes, own = gathered({in_.key, rows}), vector = vector_row(state)](int e) EDGEWISE_INLINE_LAMBDA {
        const Gathered queries{in_.query, nodes + e};
        return column_scores<End::source>(
            in_.score, layout_, [&](int i, int v) EDGEWISE_INLINE_LAMBDA { return own(e + i, v); }, queries, vector);
      };
    }
  }
  EDGEWISE_INLINE auto vector_row(const State& state) const {
    return Row<Layout>(Score::kHasVector ? in_.attention_vector : state.weights);
  }

  /// Steps 3 and 4.
  EDGEWISE_INLINE void add_value_gradients(const RowBlock& block, State& state) const {
    normaliser_.template backward<Layout>()(in_.score, layout_.any(),
                                            {state.nodes.of, state.slots.of, block.count}, statistics_, in_.dropout,
                                            state.weights, state.gradients);
    state.kept.put(block, layout_.heads(), state.gradients);
    for (const RowPart& part : block) add_value_gradient(part, state);
    if constexpr (kHasEdges) {
      // This has overwritten the scratch rows of values with their gradients.
      if (state.shared.value_edge_weight != nullptr)
        state.value_rows.add_products(layout_, in_.features, block.count, slots_of(state),
                                      state.shared.value_edge_weight);
    }
  }

  EDGEWISE_INLINE void add_value_gradient(const RowPart& part, State& state) const {
    const Node* nodes = state.nodes.of + part.begin;
    const Gathered far{in_.output_gradient, nodes};
    const float* weights = state.weights + part.begin * layout_.heads();
    const int count = part.end - part.begin;
    const bool prefetches = is_far_ && state.sweep == Sweep::all;
    if (is_far_ && gradients_.value.data != nullptr) prefetch_own(gradients_.value, part.row);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      if (gradients_.value.data != nullptr) {
        Floats sums[size]{};
        add_weighted_rows<size>(layout_, first, weights, far, count, sums, [&](int e, Floats) EDGEWISE_INLINE_LAMBDA {
          if (prefetches && first == 0) prefetch(in_.output_gradient[nodes[e + kAhead]], 0, layout_.columns());
        });
        add_to(gradients_.value[part.row], first, sums, size);
      }
      if constexpr (kHasEdges)
        if (state.shared.value_edge_weight != nullptr) {
          const auto spread = layout_.template spread<size>(first);
          for (int e = 0; e < count; ++e) {
            Floats row[size];
            spread(layout_.repeat(weights + e * layout_.heads()), row);
            float* kept = state.value_rows.at(part.begin + e, first);
            for (int v = 0; v < size; ++v) store(kept + v * kLanes, row[v] * load(far[e] + (first + v) * kLanes));
          }
        }
    });
  }

  /// Step 5.
  EDGEWISE_INLINE void add_key_gradients(const RowBlock& block, State& state) const {
    for (const RowPart& part : block) {
      if constexpr (Score::kIsPerHead) {
        const float* from = state.gradients + part.begin * layout_.heads();
        if (gradients_.key.data != nullptr)
          add_heads(layout_, add_lanes(Floats{}, from, (part.end - part.begin) * layout_.heads()),
                    gradients_.key[part.row]);
      } else {
        if (state.sweep == Sweep::keys) fill_key_rows(part, state);
        add_key_gradient(part, state);
      }
    }
    if constexpr (kHasEdges) {
      // This has overwritten the scratch rows of keys with their gradients.
      const SharedSums& sums = state.shared;
      if (sums.edge_weight != nullptr)
        state.key_rows.add_products(layout_, in_.features, block.count, slots_of(state), sums.edge_weight);
      if (sums.edge_bias != nullptr) add_bias_gradient(block, state);
    }
  }

  EDGEWISE_INLINE void add_key_gradient(const RowPart& part, State& state) const {
    const float* from = state.gradients + part.begin * layout_.heads();
    const int count = part.end - part.begin;
    const bool prefetches = is_far_ && state.sweep == Sweep::keys;
    const auto keys = own_keys(part.row, state);
    const Node* nodes = state.nodes.of + part.begin;
    const Gathered far{in_.query, nodes};
    if (is_far_ && gradients_.key.data != nullptr) prefetch_own(gradients_.key, part.row);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      Floats sums[size]{}, of_vector[size]{};
      add_score_gradients<End::source, size>(
          in_.score, layout_, first,
          [&](int e) EDGEWISE_INLINE_LAMBDA { return from + e * layout_.heads(); },
          [&](int e, int v) EDGEWISE_INLINE_LAMBDA { return keys(part.begin + e, v); }, far, count, sums, of_vector,
          [&](int e, const Floats* of_edge) EDGEWISE_INLINE_LAMBDA {
            if (prefetches && first == 0) prefetch(in_.query[nodes[e + kAheadOfOne]], 0, layout_.columns());
            if constexpr (kHasEdges)
              if (state.shared.edge_weight != nullptr) {
                float* kept = state.key_rows.at(part.begin + e, first);
                for (int v = 0; v < size; ++v) store(kept + v * kLanes, of_edge[v]);
              }
          });
      multiply_by_factor<Score::kHasVector>(in_, first, sums, size);
      if (gradients_.key.data != nullptr) add_to(gradients_.key[part.row], first, sums, size);
      if (Score::kHasVector && state.shared.attention_vector != nullptr)
        add_to(state.shared.attention_vector, first, of_vector, size);
    });
  }

  void add_bias_gradient(const RowBlock& block, const State& state) const {
    constexpr int kTogether = 8;
    const auto add = [&]<int kSize>(int first) {
      add_bias_gradients<kSize>(in_.features, first, layout_.heads(), block.count, slots_of(state), state.gradients,
                                state.shared.edge_bias);
      return first + kSize;
    };
    int f = 0;
    while (f + kTogether <= in_.features.count()) f = add.template operator()<kTogether>(f);
    while (f < in_.features.count()) f = add.template operator()<1>(f);
  }

  /// For step 1 of later edges. With all steps in a sweep, those of output gradients are prefetched in step 4.
  EDGEWISE_INLINE void prefetch_queries(const Node* nodes) const {
    for (int i = 0; i < layout_.edges(); ++i) {
      const Node later = nodes[i + (Score::kIsPerHead ? kAhead : kAheadOfOne)];
      prefetch(in_.query[later], 0, Score::kIsPerHead ? 1 : layout_.columns());
      if (Score::kIsPerHead && normaliser_.uses_statistics) __builtin_prefetch(statistics_[later]);
    }
  }
  /// For step 2 of later edges.
  EDGEWISE_INLINE void prefetch_output_gradients(const Node* nodes) const {
    for (int i = 0; i < layout_.edges(); ++i) {
      const Node later = nodes[i + kAheadOfOne];
      prefetch(in_.output_gradient[later], 0, layout_.columns());
      if (normaliser_.uses_statistics) __builtin_prefetch(statistics_[later]);
    }
  }
  template <class Number>
  EDGEWISE_INLINE void prefetch_own(const Rows<Number>& table, Node row) const {
    constexpr Node kRowsAhead = 8;
    const Node next = std::min(row + kRowsAhead, static_cast<Node>(in_.mask.source_count()) - 1);
    prefetch(table[next], 0, layout_.columns());
  }

  const Inputs& in_;
  Layout layout_;
  const Steps<Score>& normaliser_;
  const Traversal& traversal_;
  const Gradients& gradients_;
  Rows<const float> statistics_;
  bool is_far_;
};

}  // namespace edgewise::attention::fused
