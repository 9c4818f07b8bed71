#include "edgewise/attention/fused/driver.hpp"

namespace edgewise::attention {
namespace fused {

ChunkRanges::ChunkRanges(const Traversal& traversal, std::size_t edges_wanted) {
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

PartialSums::PartialSums(const TableGradients& gradients, const AnyLayout& layout, std::size_t features,
                         std::size_t chunks, Workspace& workspace)
    : chunks_(chunks) {
  const auto columns = static_cast<std::size_t>(layout.columns());
  if (gradients.attention_vector != nullptr) vector_ = columns;
  if (gradients.edge_weight != nullptr) edge_weight_ = features * columns;
  if (gradients.value_edge_weight != nullptr) value_edge_weight_ = features * columns;
  if (gradients.edge_bias != nullptr) edge_bias_ = features * static_cast<std::size_t>(layout.heads());
  columns_ = vector_ + edge_weight_ + value_edge_weight_ + edge_bias_;
  data_ = columns_ == 0 ? nullptr : workspace.take_zeros(std::max<std::size_t>(chunks, 1) * columns_);
}

SharedSums PartialSums::of_chunk(std::size_t chunk) const {
  float* next = data_ + chunk * columns_;
  const auto take = [&next](std::size_t count) { return count == 0 ? nullptr : std::exchange(next, next + count); };
  SharedSums sums;
  sums.attention_vector = take(vector_);
  sums.edge_weight = take(edge_weight_);
  sums.value_edge_weight = take(value_edge_weight_);
  sums.edge_bias = take(edge_bias_);
  return sums;
}

SharedSums PartialSums::total() {
  for (std::size_t chunk = 1; chunk < chunks_; ++chunk)
    for (std::size_t i = 0; i < columns_; ++i) data_[i] += data_[chunk * columns_ + i];
  return of_chunk(0);
}

}  // namespace fused

std::size_t row_statistics_size(const graph::FrozenGraph& mask, int heads, int width) {
  return 2 * mask.destination_count() * static_cast<std::size_t>(fused::PackedShape(heads, width).packed_heads) +
         fused::kLanes;
}

}  // namespace edgewise::attention
