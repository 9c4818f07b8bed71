#include "edgewise/train/loop/row_source.hpp"

#include <algorithm>

#include "edgewise/core/parallel.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kTakenRows = 256;  // a chunk

}  // namespace

TableRows::TableRows(const data::Features& features, std::size_t label_columns)
    : features_(features), label_columns_(label_columns), is_hidden_(label_columns > 0 ? features.rows() : 0, false) {}

void TableRows::hide(std::span<const graph::Node> nodes) {
  if (is_hidden_.empty()) return;
  std::fill(is_hidden_.begin(), is_hidden_.end(), false);
  for (const graph::Node node : nodes) is_hidden_[node] = true;
}

void TableRows::take(std::span<const graph::Node> nodes, TakenRows& rows) const {
  rows.nodes = nodes;
  if (features_.is_sparse)
    rows.sparse = std::make_unique<autograd::SparseInput>(sparse_rows(nodes));
  else if (!is_hidden_.empty())
    take_dense(nodes, rows.dense);
}

nn::NodeRows TableRows::on(autograd::Tape& tape, const TakenRows& rows) const {
  if (features_.is_sparse) return {.dense = {}, .sparse = {.input = rows.sparse.get()}};
  const Matrix& table = features_.dense;
  if (is_hidden_.empty())
    return {.dense = tape.selected_rows({table.data(), table.rows(), table.cols()}, rows.nodes)};
  const auto count = static_cast<Eigen::Index>(rows.nodes.size());
  return {.dense = tape.constant(ConstMatrixMap(rows.dense.data(), count, table.cols()))};
}

void TableRows::take_dense(std::span<const graph::Node> nodes, std::vector<float>& rows) const {
  const std::size_t columns = features_.columns();
  rows.resize(nodes.size() * columns);
  parallel_for(nodes.size(), kTakenRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* to = rows.data() + i * columns;
      std::copy_n(features_.dense.data() + nodes[i] * columns, columns, to);
      if (hides(nodes[i])) std::fill_n(to + columns - label_columns_, label_columns_, 0.0F);
    }
  });
}

SparseMatrix TableRows::sparse_rows(std::span<const graph::Node> nodes) const {
  const SparseMatrix& from = features_.sparse;
  const std::int32_t* offsets = from.outerIndexPtr();
  const auto shown = static_cast<std::int32_t>(features_.columns() - label_columns_);
  SparseMatrix rows(static_cast<Eigen::Index>(nodes.size()), from.cols());
  Eigen::Index entries = 0;
  for (const graph::Node node : nodes) entries += offsets[node + 1] - offsets[node];
  rows.resizeNonZeros(entries);
  std::int32_t at = 0;
  rows.outerIndexPtr()[0] = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (std::int32_t entry = offsets[nodes[i]]; entry < offsets[nodes[i] + 1]; ++entry, ++at) {
      const std::int32_t column = from.innerIndexPtr()[entry];
      rows.innerIndexPtr()[at] = column;
      rows.valuePtr()[at] = column >= shown && hides(nodes[i]) ? 0.0F : from.valuePtr()[entry];
    }
    rows.outerIndexPtr()[i + 1] = at;
  }
  return rows;
}

FrozenRows::FrozenRows(const data::FrozenNetwork& network) : network_(network) {
  for (std::size_t part = 0; part < network.part_count(); ++part) parts_.push_back(network.features(part));
}

void FrozenRows::take(std::span<const graph::Node> nodes, TakenRows& rows) const {
  rows.nodes = nodes;
  if (network_.has_sparse_features()) {
    rows.sparse = std::make_unique<autograd::SparseInput>(sparse_rows(nodes));
    return;
  }
  rows.dense.resize(nodes.size() * static_cast<std::size_t>(network_.feature_count()));
  copy_dense(nodes, rows.dense.data());
}

data::Features FrozenRows::features_of(std::span<const graph::Node> nodes) const {
  data::Features features;
  features.is_sparse = network_.has_sparse_features();
  if (features.is_sparse) {
    features.sparse = sparse_rows(nodes);
    return features;
  }
  features.dense.resize(static_cast<Eigen::Index>(nodes.size()), network_.feature_count());
  copy_dense(nodes, features.dense.data());
  return features;
}

void FrozenRows::copy_dense(std::span<const graph::Node> nodes, float* rows) const {
  const auto columns = static_cast<std::size_t>(network_.feature_count());
  parallel_for(nodes.size(), kTakenRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t part = network_.part_of(nodes[i]);
      parts_[part].copy_row(nodes[i] - network_.boundaries()[part], rows + i * columns);
    }
  });
}

nn::NodeRows FrozenRows::on(autograd::Tape& tape, const TakenRows& rows) const {
  if (network_.has_sparse_features()) return {.dense = {}, .sparse = {.input = rows.sparse.get()}};
  const auto count = static_cast<Eigen::Index>(rows.nodes.size());
  return {.dense = tape.constant(ConstMatrixMap(rows.dense.data(), count, network_.feature_count()))};
}

SparseMatrix FrozenRows::sparse_rows(std::span<const graph::Node> nodes) const {
  SparseMatrix rows(static_cast<Eigen::Index>(nodes.size()), network_.feature_count());
  std::vector<Eigen::Triplet<float, std::int32_t>> entries;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t part = network_.part_of(nodes[i]);
    const data::FrozenFeatures& features = parts_[part];
    const std::size_t row = nodes[i] - network_.boundaries()[part];
    for (std::int32_t entry = features.offsets[row]; entry < features.offsets[row + 1]; ++entry)
      entries.emplace_back(static_cast<std::int32_t>(i), features.columns[static_cast<std::size_t>(entry)],
                           features.values[static_cast<std::size_t>(entry)]);
  }
  rows.setFromTriplets(entries.begin(), entries.end());
  return rows;
}

}  // namespace edgewise::train
