#include "edgewise/data/graph_statistics.hpp"

#include <algorithm>

namespace edgewise::data {
namespace {

using Eigen::Index;

Matrix dense_sums(const Matrix& features, std::span<const graph::Node> offsets) {
  const auto graphs = static_cast<Index>(offsets.size() - 1);
  Matrix sums(graphs, features.cols());
  for (Index g = 0; g < graphs; ++g) {
    const Index first = offsets[static_cast<std::size_t>(g)], end = offsets[static_cast<std::size_t>(g) + 1];
    sums.row(g) = features.middleRows(first, end - first).cast<double>().colwise().sum().cast<float>();
  }
  return sums;
}

SparseMatrix sparse_sums(const SparseMatrix& features, std::span<const graph::Node> offsets) {
  const auto graphs = static_cast<Index>(offsets.size() - 1);
  SparseMatrix sums(graphs, features.cols());
  std::vector<double> row(static_cast<std::size_t>(features.cols()), 0);
  std::vector<std::int32_t> columns;  // of the entries, each once
  for (Index g = 0; g < graphs; ++g) {
    columns.clear();
    for (Index node = offsets[static_cast<std::size_t>(g)]; node < offsets[static_cast<std::size_t>(g) + 1]; ++node)
      for (SparseMatrix::InnerIterator entry(features, node); entry; ++entry) {
        columns.push_back(static_cast<std::int32_t>(entry.col()));
        row[static_cast<std::size_t>(entry.col())] += entry.value();
      }
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    sums.startVec(g);
    for (const std::int32_t column : columns) {
      sums.insertBack(g, column) = static_cast<float>(row[static_cast<std::size_t>(column)]);
      row[static_cast<std::size_t>(column)] = 0;
    }
  }
  sums.finalize();
  return sums;
}

}  // namespace

Features summed_node_features(const Features& nodes, std::span<const graph::Node> offsets) {
  Features sums;
  sums.names = nodes.names;
  sums.is_sparse = nodes.is_sparse;
  if (sums.is_sparse)
    sums.sparse = sparse_sums(nodes.sparse, offsets);
  else
    sums.dense = dense_sums(nodes.dense, offsets);
  return sums;
}

}  // namespace edgewise::data
