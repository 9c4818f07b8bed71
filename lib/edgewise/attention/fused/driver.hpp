#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "edgewise/attention/fused/destination_pass.hpp"
#include "edgewise/attention/fused/forward.hpp"
#include "edgewise/attention/fused/instances.hpp"
#include "edgewise/attention/fused/packed_rows.hpp"
#include "edgewise/attention/fused/source_pass.hpp"
#include "edgewise/attention/normalisers/all.hpp"

/// @file
/// The driver: packs the tables of a call and runs the passes for each group of heads, in the layout that fits them.
namespace edgewise::attention::fused {

/// Tables up to this size are read from the L2 cache, so they are not prefetched.
inline constexpr std::size_t kNearBytes = std::size_t{1} << 19;

/// Consecutive chunks of rows, grouped into ranges of at most `edges_wanted` edges, but of at least one chunk.
struct ChunkRanges {
  std::vector<std::size_t> chunks = {0};  ///< The first chunk of each range, then the number of chunks.
  std::size_t max_edges = 0;             ///< In a range.

  ChunkRanges(const Traversal& traversal, std::size_t edges_wanted);
  std::size_t count() const { return chunks.size() - 1; }
};

/// Whether attention uses edge features.
inline bool has_edges(const Tables& tables) {
  const Parts<const float*>& parts = tables.parts;
  return parts.edge_weight != nullptr || parts.value_edge_weight != nullptr || parts.edge_bias != nullptr;
}

/// The packed inputs of a call.
template <class Score>
class PackedCall {
 public:
  PackedCall(const graph::FrozenGraph& mask, const Tables& tables, Workspace& workspace)
      : shape_(tables.heads, tables.width),
        mask_(mask),
        tables_(tables),
        score_(tables.score, tables.width) {
    const std::size_t sources = mask.source_count(), destinations = mask.destination_count();
    const auto features = static_cast<std::size_t>(mask.edge_features.cols());
    const Parts<const float*>& parts = tables.parts;
    query_ = pack_query_or_key(parts.query, destinations, workspace);
    key_ = pack_query_or_key(parts.key, sources, workspace);
    if constexpr (!Score::kIsPerHead)
      if (parts.value == parts.key) value_ = key_;
    if (value_ == nullptr) value_ = pack_rows(parts.value, sources, shape_, workspace);
    attention_vector_ = pack_rows(parts.attention_vector, 1, shape_, workspace);
    if (Score::kHasVector && attention_vector_ == nullptr) attention_vector_ = ones(workspace);
    edge_weight_ = pack_rows(parts.edge_weight, features, shape_, workspace);
    value_edge_weight_ = pack_rows(parts.value_edge_weight, features, shape_, workspace);
    edge_bias_ = pack_heads(parts.edge_bias, features, shape_, workspace);
  }

  const PackedShape& shape() const { return shape_; }

  /// Whether the forward pass subtracted anything from the scores of any row.
  bool has_maxima(const float* row_statistics) const {
    const std::size_t count = mask_.destination_count() * static_cast<std::size_t>(shape_.packed_heads);
    std::uint32_t bits = 0;
    for (std::size_t i = count; i < 2 * count; ++i) bits |= std::bit_cast<std::uint32_t>(row_statistics[i]);
    return bits != 0;
  }

  /// Calls body(layout, problem) for each group of heads.
  template <bool kHasEdges, class Body>
  void for_each_group(const float* output_gradient, float* output, float* row_statistics, const Body& body) const {
    for (int first = 0; first < shape_.packed_heads; first += shape_.group_size(first)) {
      const int heads = shape_.group_size(first);
      const auto problem = problem_of(first, output_gradient, output, row_statistics);
      const auto run_if = [&]<int kHeads, int kWidth>(Layout<kHeads, kWidth> layout) {
        if (heads != kHeads || shape_.packed_width != kWidth) return false;
        body(layout, problem);
        return true;
      };
      if (run_if(Layout<4, 16>()) || run_if(Layout<8, 8>()) || run_if(Layout<1, kLanes>())) continue;
      if constexpr (!kHasEdges)
        if (run_if(Layout<4, 32>()) || run_if(Layout<1, 64>()) || run_if(Layout<8, 4>())) continue;
      body(AnyLayout{heads, shape_.packed_width}, problem);
    }
  }

 private:
  const float* pack_query_or_key(const float* table, std::size_t rows, Workspace& workspace) const {
    if constexpr (Score::kIsPerHead)
      return pack_heads(table, rows, shape_, workspace);
    else
      return pack_rows(table, rows, shape_, workspace);
  }
  const float* ones(Workspace& workspace) const {
    float* vector = workspace.take(shape_.packed_columns());
    std::fill_n(vector, shape_.packed_columns(), 1.0F);
    return vector;
  }

  Problem<Score> problem_of(int first_head, const float* output_gradient, float* output,
                                     float* row_statistics) const {
    const std::size_t heads = static_cast<std::size_t>(shape_.packed_heads), columns = shape_.packed_columns();
    const std::size_t column = static_cast<std::size_t>(first_head * shape_.packed_width);
    const auto head = static_cast<std::size_t>(first_head);
    constexpr std::size_t kCounters = std::size_t{1} << 32;
    const auto from = [](auto* table, std::size_t offset, std::size_t stride) {
      return Rows<std::remove_pointer_t<decltype(table)>>{table == nullptr ? nullptr : table + offset, stride};
    };
    const std::size_t score_column = Score::kIsPerHead ? head : column,
                      score_stride = Score::kIsPerHead ? heads : columns;
    return {
        .mask = mask_,
        .score = score_,
        .query = from(query_, score_column, score_stride),
        .key = from(key_, score_column, score_stride),
        .value = from(value_, column, columns),
        .output_gradient = from(output_gradient, column, columns),
        .attention_vector = attention_vector_ == nullptr ? nullptr : attention_vector_ + column,
        .features = FeatureTable(mask_),
        .edge_weight = from(edge_weight_, column, columns),
        .value_edge_weight = from(value_edge_weight_, column, columns),
        .edge_bias = from(edge_bias_, head, heads),
        .dropout = {edgewise::detail::DropoutMask(tables_.dropout.probability, tables_.dropout.key), shape_.heads,
                    first_head, mask_.slot_count() * static_cast<std::size_t>(shape_.heads) > kCounters},
        .output = from(output, column, columns),
        .row_statistics = from(row_statistics, head, heads),
        .row_maxima = from(row_statistics, mask_.destination_count() * heads + head, heads),
        .near_bytes = kNearBytes,
        .column_blocks = tables_.column_blocks};
  }

  PackedShape shape_;
  const graph::FrozenGraph& mask_;
  const Tables& tables_;
  Score score_;
  const float* query_ = nullptr;
  const float* key_ = nullptr;
  const float* value_ = nullptr;
  const float* attention_vector_ = nullptr;
  const float* edge_weight_ = nullptr;
  const float* value_edge_weight_ = nullptr;
  const float* edge_bias_ = nullptr;
};

/// The gradients of a call in packed form, to be added to the given tables at the end.
class PackedGradients {
 public:
  PackedGradients(const graph::FrozenGraph& mask, const PackedShape& shape, bool has_heads,
                  const TableGradients& gradients, Workspace& workspace);

  /// Those of the group of heads from `first` on.
  Gradients group(int first) const;
  /// Adds the gradients of what all edges share, for a group of heads.
  void add_shared(const SharedSums& sums, const AnyLayout& layout, int first, std::size_t features);
  void put_back();

 private:
  std::size_t column(int head) const { return static_cast<std::size_t>(head * shape_.packed_width); }

  const PackedShape& shape_;
  bool has_heads_;
  std::size_t sources_;
  std::size_t destinations_;
  std::size_t features_;
  const TableGradients& given_;
  TableGradients packed_;
};

/// The passes for a score, with any normaliser.
template <class Score>
class Passes {
 public:
  static void forward(const Steps<Score>& normaliser, const graph::FrozenGraph& mask,
                      const Tables& tables, float* output, float* row_statistics, Workspace& workspace) {
    workspace.begin();
    with_edges(tables, [&]<bool kHasEdges>() {
      const PackedCall<Score> call(mask, tables, workspace);
      const std::size_t rows = mask.destination_count();
      float* packed = packed_target(output, rows, call.shape(), workspace);
      call.template for_each_group<kHasEdges>(
          nullptr, packed, row_statistics, [&](const auto& layout, const auto& problem) {
            attend<kHasEdges>(normaliser, layout, problem, tables.edge_bytes_limit, workspace);
          });
      put_back_rows(packed, output, rows, call.shape(), PutBack::replace);
    });
  }

  static void weights(const Steps<Score>& normaliser, const graph::FrozenGraph& mask,
                      const Tables& tables, const float* row_statistics, float* weights, Workspace& workspace) {
    workspace.begin();
    with_edges(tables, [&]<bool kHasEdges>() {
      const PackedCall<Score> call(mask, tables, workspace);
      call.template for_each_group<kHasEdges>(
          nullptr, nullptr, const_cast<float*>(row_statistics), [&](const auto& layout, const auto& problem) {
            const AnyLayout any{layout.heads(), layout.width()};
            const Traversal rows{mask.incoming, Tiles(mask.incoming_chunks)};
            ForwardPass<Score, AnyLayout, kHasEdges>(problem, any, normaliser, rows).weights(weights);
          });
    });
  }

  static void backward(const Steps<Score>& normaliser, const graph::FrozenGraph& mask,
                       const Tables& tables, const float* output, const float* output_gradient,
                       const float* row_statistics, const TableGradients& gradients, Workspace& workspace) {
    workspace.begin();
    with_edges(tables, [&]<bool kHasEdges>() {
      const PackedCall<Score> call(mask, tables, workspace);
      const PackedShape& shape = call.shape();
      const std::size_t rows = mask.destination_count();
      const float* packed_gradient = pack_rows(output_gradient, rows, shape, workspace);
      const float* packed_output = pack_rows(output, rows, shape, workspace);
      PackedGradients packed(mask, shape, Score::kIsPerHead, gradients, workspace);
      const bool has_maxima = normaliser.sums_to_one && call.has_maxima(row_statistics);
      call.template for_each_group<kHasEdges>(packed_gradient, const_cast<float*>(packed_output),
                                              const_cast<float*>(row_statistics),
                                              [&](const auto& layout, const auto& problem) {
                                                differentiate<kHasEdges>(normaliser, has_maxima, layout, problem,
                                                                         gradients, tables.edge_bytes_limit, packed,
                                                                         workspace);
                                              });
      packed.put_back();
    });
  }

 private:
  /// Calls body.operator()<kHasEdges>().
  template <class Body>
  static void with_edges(const Tables& tables, const Body& body) {
    if (has_edges(tables)) return body.template operator()<true>();
    body.template operator()<false>();
  }

  template <bool kHasEdges, class Layout>
  static void attend(const Steps<Score>& normaliser, const Layout& layout, const Problem<Score>& problem,
                     std::size_t edge_bytes_limit, Workspace& workspace) {
    const graph::BlockedEdges* blocks = problem.blocks(layout.columns(), graph::LazyBlockedEdges::Make::on_later_call);
    const Traversal traversal = problem.traversal(End::destination, layout.columns(), blocks);
    const ForwardPass<Score, Layout, kHasEdges> pass(problem, layout, normaliser, traversal);
    if (!problem.has_two_tables() || traversal.tiles.are_used()) return pass.run(0, traversal.chunks(), nullptr);
    const ChunkRanges ranges(traversal, max_kept_edges(problem.mask, layout, edge_bytes_limit));
    float* kept = take_kept(ranges, layout, workspace);
    for (std::size_t range = 0; range < ranges.count(); ++range)
      pass.run(ranges.chunks[range], ranges.chunks[range + 1], kept);
  }

  template <bool kHasEdges, class Layout>
  static void differentiate(const Steps<Score>& normaliser, bool has_maxima, const Layout& layout,
                            const Problem<Score>& problem, const TableGradients& wanted,
                            std::size_t edge_bytes_limit, PackedGradients& packed, Workspace& workspace) {
    const graph::FrozenGraph& mask = problem.mask;
    const auto heads = static_cast<std::size_t>(layout.heads());
    const AnyLayout any{layout.heads(), layout.width()};
    const Gradients gradients = packed.group(problem.dropout.first_head);
    const std::size_t numbers_of_row = (has_maxima ? 3 : 2) * heads;
    const Rows<float> statistics{workspace.take(mask.destination_count() * numbers_of_row), numbers_of_row};
    gather_statistics(problem, layout, normaliser.sums_to_one, statistics);

    const auto features = static_cast<std::size_t>(mask.edge_features.cols());
    const graph::BlockedEdges* blocks = problem.blocks(layout.columns(), graph::LazyBlockedEdges::Make::now);
    const Traversal traversal = problem.traversal(End::source, layout.columns(), blocks);
    const std::vector<Node>& rows = traversal.tiles.chunks;
    PartialSums partial(wanted, any, features, traversal.chunks(), workspace);
    const SourcePass<Score, Layout, kHasEdges> source_pass(problem, layout, normaliser, traversal, gradients,
                                                                    {statistics.data, statistics.stride});
    using Destinations = DestinationPass<Score, Layout, kHasEdges>;
    const Destinations destination_pass(problem, layout, gradients.query, blocks);

    const ChunkRanges ranges(traversal, max_kept_edges(mask, layout, edge_bytes_limit));
    float* kept = take_kept(ranges, layout, workspace);
    std::optional<RowProgress> progress;
    if (ranges.count() > 1) progress.emplace(mask.incoming);
    Rows<float> unfinished{nullptr, Destinations::sum_columns(layout)};
    if (progress) unfinished.data = workspace.take(mask.destination_count() * unfinished.stride);
    for (std::size_t range = 0; range < ranges.count(); ++range) {
      const std::size_t first_chunk = ranges.chunks[range], end_chunk = ranges.chunks[range + 1];
      const Node first = rows[first_chunk], end = rows[end_chunk];
      const KeptNumbers numbers{kept, mask.outgoing.offsets[first], !progress};
      source_pass.run(first_chunk, end_chunk, numbers, partial);
      if (gradients.query.data != nullptr)
        destination_pass.run({numbers, mask.outgoing.offsets[end], end - first}, progress ? &*progress : nullptr,
                             unfinished);
    }
    const SharedSums total = partial.total();
    multiply_shared(problem, layout, features, total);
    packed.add_shared(total, any, problem.dropout.first_head, features);
  }

  /// Multiplies the sums by the factors that the passes leave out of each term.
  template <class Layout>
  static void multiply_shared(const Problem<Score>& problem, const Layout& layout, std::size_t features,
                              const SharedSums& total) {
    if (total.attention_vector != nullptr)
      for (int c = 0; c < layout.columns(); ++c) total.attention_vector[c] *= problem.score.scale;
    if (total.edge_weight == nullptr) return;
    for (std::size_t f = 0; f < features; ++f)
      for (int v = 0; v < layout.vectors(); ++v) {
        float* of = total.edge_weight + f * static_cast<std::size_t>(layout.columns()) + v * kLanes;
        Floats sum = load(of);
        multiply_by_factor(problem, v, &sum, 1);
        store(of, sum);
      }
  }

  template <class Layout>
  static float* take_kept(const ChunkRanges& ranges, const Layout& layout, Workspace& workspace) {
    return workspace.take((ranges.max_edges + kLanes) * static_cast<std::size_t>(layout.heads()));
  }

  template <class Layout>
  static std::size_t max_kept_edges(const graph::FrozenGraph& mask, const Layout& layout, std::size_t limit) {
    const std::size_t rows = 2 * (mask.source_count() + mask.destination_count());
    const std::size_t bytes = limit > 0 ? limit : rows * static_cast<std::size_t>(layout.columns()) * sizeof(float);
    return mask.columns_ascend ? bytes / (static_cast<std::size_t>(layout.heads()) * sizeof(float)) : mask.slot_count();
  }
};

/// The passes with a normaliser.
template <class Score, class Normaliser>
struct Driver {
  static constexpr Steps<Score> kSteps = normaliser_steps<Normaliser>(static_cast<Steps<Score>*>(nullptr));

  static void forward(const graph::FrozenGraph& mask, const Tables& tables, float* output, float* row_statistics,
                      Workspace& workspace) {
    Passes<Score>::forward(kSteps, mask, tables, output, row_statistics, workspace);
  }
  static void backward(const graph::FrozenGraph& mask, const Tables& tables, const float* output,
                       const float* output_gradient, const float* row_statistics, const TableGradients& gradients,
                       Workspace& workspace) {
    Passes<Score>::backward(kSteps, mask, tables, output, output_gradient, row_statistics, gradients, workspace);
  }
  static void weights(const graph::FrozenGraph& mask, const Tables& tables, const float* row_statistics, float* weights,
                      Workspace& workspace) {
    Passes<Score>::weights(kSteps, mask, tables, row_statistics, weights, workspace);
  }
};

template <class Score, class... Policies>
std::vector<Kernels> drivers_for(PolicyList<Policies...>) {
  return {Kernels{&Driver<Score, Policies>::forward, &Driver<Score, Policies>::backward,
                  &Driver<Score, Policies>::weights}...};
}

template <class Score>
std::vector<Kernels> drivers() {
  return drivers_for<Score>(Normalisers());
}

}  // namespace edgewise::attention::fused
