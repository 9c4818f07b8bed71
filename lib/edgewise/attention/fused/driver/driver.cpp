#include "edgewise/attention/fused/driver/driver.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "edgewise/attention/fused/driver/packed_rows.hpp"

namespace edgewise::attention {
namespace fused {
namespace {

/// Tables up to this size are read from the L2 cache, so they are not prefetched.
constexpr std::size_t kNearBytes = std::size_t{1} << 19;

/// Consecutive chunks of rows, grouped into ranges of at most `edges_wanted` edges, but of at least one chunk.
struct ChunkRanges {
  std::vector<std::size_t> chunks = {0};  ///< The first chunk of each range, then the number of chunks.
  std::size_t max_edges = 0;              ///< In a range.

  ChunkRanges(const Traversal& traversal, std::size_t edges_wanted) {
    const std::vector<Node>& rows = traversal.tiles.chunks;
    const auto edges_before = [&](std::size_t chunk) { return traversal.csr.offsets[rows[chunk]]; };
    for (std::size_t chunk = 1; chunk < rows.size(); ++chunk) {
      const std::size_t begin = chunks.back();
      const bool is_last = chunk + 1 == rows.size();
      if (!is_last && edges_before(chunk + 1) - edges_before(begin) <= edges_wanted) continue;
      chunks.push_back(chunk);
      max_edges = std::max<std::size_t>(max_edges, edges_before(chunk) - edges_before(begin));
    }
  }

  std::size_t count() const { return chunks.size() - 1; }
  ChunkRange range(const Traversal& traversal, std::size_t i) const { return {traversal, chunks[i], chunks[i + 1]}; }
};

/// The packed inputs of a call.
class PackedCall {
 public:
  PackedCall(const graph::FrozenGraph& mask, const Tables& tables, const PassTraits& score, Workspace& workspace)
      : shape_(tables.heads, tables.width), mask_(mask), tables_(tables), score_(score) {
    const std::size_t sources = mask.source_count(), destinations = mask.destination_count();
    const auto features = static_cast<std::size_t>(mask.edge_features.cols());
    const Parts<const float*>& parts = tables.parts;
    const auto pack_query_or_key = score.is_per_head ? pack_heads : pack_rows;
    packed_.query = pack_query_or_key(parts.query, destinations, shape_, workspace);
    packed_.key = pack_query_or_key(parts.key, sources, shape_, workspace);
    const bool is_one_table = !score.is_per_head && parts.value == parts.key;
    packed_.value = is_one_table ? packed_.key : pack_rows(parts.value, sources, shape_, workspace);
    if (score.has_vector)
      packed_.attention_vector = parts.attention_vector == nullptr
                                     ? ones(workspace)
                                     : pack_rows(parts.attention_vector, 1, shape_, workspace);
    packed_.edge_weight = pack_rows(parts.edge_weight, features, shape_, workspace);
    packed_.value_edge_weight = pack_rows(parts.value_edge_weight, features, shape_, workspace);
    packed_.edge_bias = pack_heads(parts.edge_bias, features, shape_, workspace);
  }

  const PackedShape& shape() const { return shape_; }

  /// Whether the forward pass subtracted anything from the scores of any row.
  bool has_maxima(const float* row_statistics) const {
    const std::size_t count = mask_.destination_count() * static_cast<std::size_t>(shape_.packed_heads);
    std::uint32_t bits = 0;
    for (std::size_t i = count; i < 2 * count; ++i) bits |= std::bit_cast<std::uint32_t>(row_statistics[i]);
    return bits != 0;
  }

  /// Calls body(group) for each group of heads.
  template <class Body>
  void for_each_group(const float* output_gradient, float* output, float* row_statistics, const Body& body) const {
    for (int first = 0; first < shape_.packed_heads; first += shape_.group_size(first))
      body(group(first, output_gradient, output, row_statistics));
  }

 private:
  const float* ones(Workspace& workspace) const {
    float* vector = workspace.take(shape_.packed_columns());
    std::fill_n(vector, shape_.packed_columns(), 1.0F);
    return vector;
  }

  Group group(int first_head, const float* output_gradient, float* output, float* row_statistics) const {
    constexpr std::size_t kCounters = std::size_t{1} << 32;
    const std::size_t heads = static_cast<std::size_t>(shape_.packed_heads), columns = shape_.packed_columns();
    const std::size_t column = static_cast<std::size_t>(first_head * shape_.packed_width);
    const auto head = static_cast<std::size_t>(first_head);
    const auto from = [](auto* table, std::size_t offset, std::size_t stride) {
      return Rows<std::remove_pointer_t<decltype(table)>>{table == nullptr ? nullptr : table + offset, stride};
    };
    const std::size_t score_column = score_.is_per_head ? head : column,
                      score_stride = score_.is_per_head ? heads : columns;
    return {.mask = mask_,
            .is_per_head = score_.is_per_head,
            .layout = {shape_.group_size(first_head), shape_.packed_width},
            .query = from(packed_.query, score_column, score_stride),
            .key = from(packed_.key, score_column, score_stride),
            .value = from(packed_.value, column, columns),
            .output_gradient = from(output_gradient, column, columns),
            .attention_vector = from(packed_.attention_vector, column, columns).data,
            .scale = score_.scale,
            .features = FeatureTable(mask_),
            .edge_weight = from(packed_.edge_weight, column, columns),
            .value_edge_weight = from(packed_.value_edge_weight, column, columns),
            .edge_bias = from(packed_.edge_bias, head, heads),
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
  const PassTraits& score_;
  Parts<const float*> packed_;
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

PackedGradients::PackedGradients(const graph::FrozenGraph& mask, const PackedShape& shape, bool has_heads,
                                 const TableGradients& gradients, Workspace& workspace)
    : shape_(shape),
      has_heads_(has_heads),
      sources_(mask.source_count()),
      destinations_(mask.destination_count()),
      features_(static_cast<std::size_t>(mask.edge_features.cols())),
      given_(gradients) {
  const auto rows = [&](float* table, std::size_t count) { return packed_target(table, count, shape, workspace); };
  const auto heads = [&](float* table, std::size_t count) {
    return packed_heads_target(table, count, shape, workspace);
  };
  packed_.query = has_heads ? heads(gradients.query, destinations_) : rows(gradients.query, destinations_);
  packed_.key = has_heads ? heads(gradients.key, sources_) : rows(gradients.key, sources_);
  packed_.value = rows(gradients.value, sources_);
  packed_.attention_vector = rows(gradients.attention_vector, 1);
  packed_.edge_weight = rows(gradients.edge_weight, features_);
  packed_.value_edge_weight = rows(gradients.value_edge_weight, features_);
  packed_.edge_bias = heads(gradients.edge_bias, features_);
}

Gradients PackedGradients::group(int first) const {
  const auto rows = [&](float* table) {
    return Rows<float>{table == nullptr ? nullptr : table + column(first), shape_.packed_columns()};
  };
  const auto heads = [&](float* table) {
    return Rows<float>{table == nullptr ? nullptr : table + first, static_cast<std::size_t>(shape_.packed_heads)};
  };
  if (has_heads_) return {heads(packed_.query), heads(packed_.key), rows(packed_.value)};
  return {rows(packed_.query), rows(packed_.key), rows(packed_.value)};
}

void PackedGradients::add_shared(const SharedSums& sums, const AnyLayout& layout, int first, std::size_t features) {
  const auto add = [](const float* from, std::size_t rows, std::size_t columns, float* to, std::size_t first,
                      std::size_t stride) {
    if (from == nullptr) return;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t c = 0; c < columns; ++c) to[row * stride + first + c] += from[row * columns + c];
  };
  const auto columns = static_cast<std::size_t>(layout.columns()), heads = static_cast<std::size_t>(layout.heads());
  const std::size_t stride = shape_.packed_columns(), at = column(first);
  add(sums.attention_vector, 1, columns, packed_.attention_vector, at, stride);
  add(sums.edge_weight, features, columns, packed_.edge_weight, at, stride);
  add(sums.value_edge_weight, features, columns, packed_.value_edge_weight, at, stride);
  add(sums.edge_bias, features, heads, packed_.edge_bias, static_cast<std::size_t>(first),
      static_cast<std::size_t>(shape_.packed_heads));
}

void PackedGradients::put_back() {
  const auto query_or_key = has_heads_ ? put_back_heads : put_back_rows;
  query_or_key(packed_.query, given_.query, destinations_, shape_, PutBack::add);
  query_or_key(packed_.key, given_.key, sources_, shape_, PutBack::add);
  put_back_rows(packed_.value, given_.value, sources_, shape_, PutBack::add);
  put_back_rows(packed_.attention_vector, given_.attention_vector, 1, shape_, PutBack::add);
  put_back_rows(packed_.edge_weight, given_.edge_weight, features_, shape_, PutBack::add);
  put_back_rows(packed_.value_edge_weight, given_.value_edge_weight, features_, shape_, PutBack::add);
  put_back_heads(packed_.edge_bias, given_.edge_bias, features_, shape_, PutBack::add);
}

std::size_t max_kept_edges(const Group& group, std::size_t limit) {
  const graph::FrozenGraph& mask = group.mask;
  const std::size_t rows = 2 * (mask.source_count() + mask.destination_count());
  const std::size_t bytes = limit > 0 ? limit : rows * static_cast<std::size_t>(group.layout.columns()) * sizeof(float);
  return mask.columns_ascend ? bytes / (static_cast<std::size_t>(group.layout.heads()) * sizeof(float))
                             : mask.slot_count();
}

float* take_kept(const ChunkRanges& ranges, const Group& group, Workspace& workspace) {
  return workspace.take((ranges.max_edges + kLanes) * static_cast<std::size_t>(group.layout.heads()));
}

void attend(const AnyPasses& passes, const Group& group, std::size_t edge_bytes_limit, Workspace& workspace) {
  const graph::BlockedEdges* blocks = group.blocks(graph::LazyBlockedEdges::Make::on_later_call);
  const Traversal traversal = group.traversal(End::destination, blocks);
  if (!group.has_two_tables() || traversal.tiles.are_used())
    return passes.attend(group, {traversal, 0, traversal.chunks()}, nullptr);
  const ChunkRanges ranges(traversal, max_kept_edges(group, edge_bytes_limit));
  float* kept = take_kept(ranges, group, workspace);
  for (std::size_t i = 0; i < ranges.count(); ++i) passes.attend(group, ranges.range(traversal, i), kept);
}

/// Multiplies the sums by the factors that the passes leave out of each term.
void multiply_shared(const Group& group, std::size_t features, const SharedSums& total) {
  const int columns = group.layout.columns();
  if (total.attention_vector != nullptr)
    for (int c = 0; c < columns; ++c) total.attention_vector[c] *= group.scale;
  if (total.edge_weight == nullptr) return;
  for (std::size_t f = 0; f < features; ++f)
    for (int v = 0; v < group.layout.vectors(); ++v) {
      float* of = total.edge_weight + f * static_cast<std::size_t>(columns) + v * kLanes;
      Floats sum = load(of);
      if (group.attention_vector != nullptr)
        multiply_by_factor<true>(group, v, &sum, 1);
      else
        multiply_by_factor<false>(group, v, &sum, 1);
      store(of, sum);
    }
}

void differentiate(const AnyPasses& passes, const Group& group, bool has_maxima, const TableGradients& wanted,
                   std::size_t edge_bytes_limit, PackedGradients& packed, Workspace& workspace) {
  const graph::FrozenGraph& mask = group.mask;
  const Gradients gradients = packed.group(group.dropout.first_head);
  const std::size_t numbers_of_row = (has_maxima ? 3 : 2) * static_cast<std::size_t>(group.layout.heads());
  const Rows<float> statistics{workspace.take(mask.destination_count() * numbers_of_row), numbers_of_row};
  gather_statistics(group, passes.traits.sums_to_one, statistics);

  const auto features = static_cast<std::size_t>(mask.edge_features.cols());
  const graph::BlockedEdges* blocks = group.blocks(graph::LazyBlockedEdges::Make::now);
  const Traversal traversal = group.traversal(End::source, blocks);
  PartialSums partial(wanted, group.layout, features, traversal.chunks(), workspace);
  const ChunkRanges ranges(traversal, max_kept_edges(group, edge_bytes_limit));
  float* kept = take_kept(ranges, group, workspace);
  std::optional<RowProgress> progress;
  if (ranges.count() > 1) progress.emplace(mask.incoming);
  const auto sum_columns = static_cast<std::size_t>(group.is_per_head ? kLanes : group.layout.columns());
  Rows<float> unfinished{nullptr, sum_columns};
  if (progress) unfinished.data = workspace.take(mask.destination_count() * sum_columns);
  for (std::size_t i = 0; i < ranges.count(); ++i) {
    const ChunkRange rows = ranges.range(traversal, i);
    const Node first = rows.first_row(), end = rows.end_row();
    const KeptNumbers numbers{kept, mask.outgoing.offsets[first], !progress};
    passes.differentiate_sources(group, rows, gradients, {statistics.data, statistics.stride}, numbers, partial);
    if (gradients.query.data != nullptr)
      passes.differentiate_destinations(group, gradients.query, blocks,
                                        {numbers, mask.outgoing.offsets[end], end - first},
                                        progress ? &*progress : nullptr, unfinished);
  }
  const SharedSums total = partial.total();
  multiply_shared(group, features, total);
  packed.add_shared(total, group.layout, group.dropout.first_head, features);
}

}  // namespace

void attend(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, float* output,
            float* row_statistics, Workspace& workspace) {
  workspace.begin();
  const PackedCall call(mask, tables, passes.traits, workspace);
  const std::size_t rows = mask.destination_count();
  float* packed = packed_target(output, rows, call.shape(), workspace);
  call.for_each_group(nullptr, packed, row_statistics,
                      [&](const Group& group) { attend(passes, group, tables.edge_bytes_limit, workspace); });
  put_back_rows(packed, output, rows, call.shape(), PutBack::replace);
}

void weigh(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, const float* row_statistics,
           float* weights, Workspace& workspace) {
  workspace.begin();
  const PackedCall call(mask, tables, passes.traits, workspace);
  call.for_each_group(nullptr, nullptr, const_cast<float*>(row_statistics),
                      [&](const Group& group) { passes.weigh(group, weights); });
}

void differentiate(const AnyPasses& passes, const graph::FrozenGraph& mask, const Tables& tables, const float* output,
                   const float* output_gradient, const float* row_statistics, const TableGradients& gradients,
                   Workspace& workspace) {
  workspace.begin();
  const PackedCall call(mask, tables, passes.traits, workspace);
  const PackedShape& shape = call.shape();
  const std::size_t rows = mask.destination_count();
  const float* packed_gradient = pack_rows(output_gradient, rows, shape, workspace);
  const float* packed_output = pack_rows(output, rows, shape, workspace);
  PackedGradients packed(mask, shape, passes.traits.is_per_head, gradients, workspace);
  const bool has_maxima = passes.traits.sums_to_one && call.has_maxima(row_statistics);
  call.for_each_group(packed_gradient, const_cast<float*>(packed_output), const_cast<float*>(row_statistics),
                      [&](const Group& group) {
                        differentiate(passes, group, has_maxima, gradients, tables.edge_bytes_limit, packed,
                                      workspace);
                      });
  packed.put_back();
}

}  // namespace fused

std::size_t row_statistics_size(const graph::FrozenGraph& mask, int heads, int width) {
  return 2 * mask.destination_count() * static_cast<std::size_t>(fused::PackedShape(heads, width).packed_heads) +
         fused::kLanes;
}

}  // namespace edgewise::attention
