#pragma once

#include <algorithm>
#include <vector>

#include "edgewise/attention/fused/passes/edge_rows.hpp"
#include "edgewise/attention/fused/passes/gradients.hpp"
#include "edgewise/attention/fused/traversal/kept_numbers.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::attention::fused {

/// The edges of some rows: all, those in blocks of columns, or those that the next call processes.
struct RowRanges {
  const graph::FrozenGraph& mask;
  const graph::BlockedEdges* blocks;
  const RowProgress* progress;
  const Node* columns = (blocks == nullptr ? mask.incoming.columns : blocks->incoming.columns).data();
  /// Of each edge in the transpose, in its blocks if there are any.
  const graph::StoredEdge* transposed = (blocks == nullptr ? mask.incoming_position : blocks->outgoing_position).data();

  EDGEWISE_INLINE Node row(std::size_t i) const {
    return blocks == nullptr ? static_cast<Node>(i) : blocks->incoming.segments[i].row;
  }
  /// With blocks, each segment counts as a row, whose sums are added to its gradients.
  EDGEWISE_INLINE RowEdges operator[](std::size_t i) const {
    if (blocks != nullptr) {
      RowEdges segment = RowSegments{mask.incoming, blocks->incoming}[i];
      segment.are_first = segment.are_last = true;
      return segment;
    }
    if (progress == nullptr) return WholeRows{mask.incoming}[i];
    const EdgeIndex *offsets = mask.incoming.offsets.data() + i, begin = progress->begins[i], end = progress->ends[i];
    return {static_cast<Node>(i), begin, begin, end - begin, begin == offsets[0], end == offsets[1]};
  }
};

/// The second of the two passes of the backward pass, over the rows of destinations. It only sums:
///   forward was   x = scale * sum of attention_vector * value(query, key)
///   so now        query gradient[v] += x gradient * scale * attention_vector * d value / d query
/// with the x gradients that the source pass kept, at the position of each edge in the transpose.
template <class Score, class Layout, bool kHasEdges>
class DestinationPass {
 public:
  using Inputs = Problem<Score>;

  /// blocks: nullptr if each row is processed as a whole.
  DestinationPass(const Inputs& inputs, const Layout& layout, Rows<float> gradient, const graph::BlockedEdges* blocks)
      : in_(inputs), layout_(layout), gradient_(gradient), blocks_(blocks) {}

  /// The floats per row that `unfinished` needs.
  static std::size_t sum_columns(const Layout& layout) {
    return static_cast<std::size_t>(Score::kIsPerHead ? kLanes : layout.columns());
  }

  /// Processes the edges whose gradients are `kept`. If these are not all, `progress` holds how far each row has come.
  /// unfinished: scratch memory for its sums between calls, which continue exactly where they stopped.
  void run(const KeptGradients& kept, RowProgress* progress, Rows<float> unfinished) const {
    const graph::ColumnBlocks* blocks = blocks_ == nullptr || progress != nullptr ? nullptr : &blocks_->incoming;
    const std::vector<Node>& rows = in_.mask.incoming_chunks;
    const std::size_t chunks = rows.size() - 1;
    const RowRanges ranges{in_.mask, blocks == nullptr ? nullptr : blocks_, progress};
    const bool has_far_keys = !Score::kIsPerHead && in_.is_far(kept.sources);
    const std::size_t kept_bytes =
        (kept.end - kept.numbers.first) * static_cast<std::size_t>(layout_.heads()) * sizeof(float);
    const bool has_far_rows = in_.is_far(in_.mask.destination_count());
    const bool prefetches = has_far_keys || kept_bytes > in_.near_bytes;
    for (std::size_t columns = 0; columns < (blocks == nullptr ? 1 : blocks->count); ++columns)
      parallel_chunks(chunks, [&](std::size_t chunk) {
        const std::uint32_t* first = blocks == nullptr ? nullptr : blocks->begins.data() + columns * chunks + chunk;
        const std::size_t begin = first == nullptr ? rows[chunk] : first[0],
                          end = first == nullptr ? rows[chunk + 1] : first[1];
        if (progress != nullptr) progress->find_ends(in_, rows[chunk], rows[chunk + 1], kept.end);
        State state(layout_, kept.numbers, unfinished, {ranges, has_far_keys, begin, prefetches ? end : begin});
        for (int e = 0; e < kAhead; ++e) prefetch_next(state);
        for (std::size_t i = begin; i < end; ++i) {
          if (has_far_rows) prefetch_own(ranges.row(std::min(i + kRowsAhead, end - 1)));
          add_row(ranges[i], state);
        }
        if (progress != nullptr)
          std::copy(progress->ends.data() + begin, progress->ends.data() + end, progress->begins.data() + begin);
      });
  }

 private:
  static constexpr int kEdges = 64;  ///< The edges of a block, whose edge terms are computed together.
  static constexpr int kAhead = 48;  ///< The prefetch distance in edges.
  static constexpr std::size_t kRowsAhead = 8;

  /// Runs ahead over the edges of consecutive rows to prefetch what they need.
  struct Cursor {
    const RowRanges& ranges;
    bool has_far_keys;
    std::size_t next;  ///< The row after the current one.
    std::size_t end;
    EdgeIndex position = 0;
    EdgeIndex edges_left = 0;

    /// Whether there is an edge left. If so, it is at `position`.
    EDGEWISE_INLINE bool is_at_edge() {
      while (edges_left == 0) {
        if (next >= end) return false;
        const RowEdges edges = ranges[next++];
        position = edges.position;
        edges_left = edges.count;
      }
      return true;
    }
  };

  struct State {
    KeptNumbers kept;
    Rows<float> unfinished;
    Cursor ahead;
    EdgeRows key_rows;
    std::vector<float> sums;  ///< Of a row between its blocks, if all of its edges come at once.

    State(const Layout& layout, const KeptNumbers& numbers, const Rows<float>& to_continue, const Cursor& first)
        : kept(numbers),
          unfinished(to_continue),
          ahead(first),
          key_rows(kHasEdges ? layout.columns() : 0),
          sums(sum_columns(layout)) {}
  };

  EDGEWISE_INLINE const float* kept_of(EdgeIndex position, const State& state) const {
    return state.kept.at(state.ahead.ranges.transposed[position], layout_.heads());
  }

  EDGEWISE_INLINE void prefetch_own(Node row) const {
    if constexpr (Score::kIsPerHead) {
      __builtin_prefetch(gradient_[row]);
    } else {
      prefetch(gradient_[row], 0, layout_.columns());
      prefetch(in_.query[row], 0, layout_.columns());
    }
  }

  EDGEWISE_INLINE void prefetch_next(State& state) const {
    Cursor& ahead = state.ahead;
    if (!ahead.is_at_edge()) return;
    __builtin_prefetch(kept_of(ahead.position, state));
    if (ahead.has_far_keys) prefetch(in_.key[ahead.ranges.columns[ahead.position]], 0, layout_.columns());
    ++ahead.position;
    --ahead.edges_left;
  }

  [[gnu::noinline]] void add_row(const RowEdges& edges, State& state) const {
    if (edges.count == 0) return;
    float* kept_sums = state.unfinished.data != nullptr ? state.unfinished[edges.row] : state.sums.data();
    if constexpr (Score::kIsPerHead) {
      Floats sum = edges.are_first ? Floats{} : load(kept_sums);
      for (EdgeIndex position = edges.position; position < edges.position + edges.count; ++position) {
        prefetch_next(state);
        sum += layout_.repeat(kept_of(position, state));
      }
      store(kept_sums, sum);
      if (edges.are_last)
        for (int h = 0; h < layout_.heads(); ++h) gradient_[edges.row][h] += kept_sums[h];
    } else {
      for (EdgeIndex from = 0; from < edges.count; from += kEdges)
        add_block(edges.part(from, static_cast<int>(std::min<EdgeIndex>(kEdges, edges.count - from)), 0),
                  edges.position + from, kept_sums, state);
    }
  }

  /// The edges of `part` are at `position` and after it.
  EDGEWISE_INLINE void add_block(const RowPart& part, EdgeIndex position, float* kept_sums, State& state) const {
    Gathered far{in_.key, state.ahead.ranges.columns + position};
    if constexpr (kHasEdges)
      if (in_.edge_weight.data != nullptr) {
        if (in_.has_far_features()) in_.features.prefetch_after(part.slot, part.end);
        state.key_rows.fill(
            layout_, in_.features, in_.edge_weight, 0, part.end, [far](int e) EDGEWISE_INLINE_LAMBDA { return far[e]; },
            [slot = part.slot](int e) EDGEWISE_INLINE_LAMBDA { return slot + static_cast<EdgeIndex>(e); });
        far = state.key_rows.rows();
      }
    const auto own = Row<Layout>(in_.query[part.row]);
    layout_.for_each_block([&](int first, auto size) EDGEWISE_INLINE_LAMBDA {
      Floats sums[size]{};
      if (!part.is_first) load_row<size>(kept_sums, first, sums);
      add_score_gradients<End::destination, size>(
          in_.score, layout_, first,
          [&](int e) EDGEWISE_INLINE_LAMBDA { return kept_of(position + static_cast<EdgeIndex>(e), state); },
          [&](int, int v) EDGEWISE_INLINE_LAMBDA { return own[v]; }, far, part.end, sums, nullptr,
          [&](int, const Floats*) EDGEWISE_INLINE_LAMBDA {
            if (first == 0) prefetch_next(state);
          });
      if (!part.is_last) return store_row<size>(sums, first, kept_sums);
      multiply_by_factor<Score::kHasVector>(in_, first, sums, size);
      add_to(gradient_[part.row], first, sums, size);
    });
  }

  const Inputs& in_;
  Layout layout_;
  Rows<float> gradient_;
  const graph::BlockedEdges* blocks_;
};

}  // namespace edgewise::attention::fused
