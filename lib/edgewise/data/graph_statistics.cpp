#include "edgewise/data/graph_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

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
  std::vector<std::int32_t> columns;  // columns with entries, each once
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

/// Fills `to` [1 + 5 columns] from nodes [n, columns].
void fill_statistics(const Eigen::MatrixXd& nodes, Eigen::Ref<Eigen::RowVectorXf> to) {
  const auto count = static_cast<double>(nodes.rows());
  const Index columns = nodes.cols();
  const Eigen::RowVectorXd sum = nodes.colwise().sum(), mean = sum / count;
  const Eigen::RowVectorXd variance = (nodes.rowwise() - mean).colwise().squaredNorm() / count;
  to[0] = static_cast<float>(count);
  to.segment(1, columns) = sum.cast<float>();
  to.segment(1 + columns, columns) = mean.cast<float>();
  to.segment(1 + 2 * columns, columns) = variance.cwiseSqrt().cast<float>();
  to.segment(1 + 3 * columns, columns) = nodes.colwise().maxCoeff().cast<float>();
  to.segment(1 + 4 * columns, columns) = nodes.colwise().minCoeff().cast<float>();
}

}  // namespace

Matrix node_statistics(const SparseMatrix& nodes, std::span<const graph::Node> offsets) {
  check_offsets("statistics of nodes", "nodes", offsets, static_cast<std::size_t>(nodes.rows()));
  constexpr std::size_t kGrain = 16;
  constexpr Index kMaxEntries = Index{1} << 25;
  const auto graphs = static_cast<Index>(offsets.size() - 1);
  const Index columns = 1 + 5 * nodes.cols();
  if (columns > kMaxEntries / std::max<Index>(graphs, 1))
    throw UsageError(
        fmt::format("statistics of nodes: {} columns for each of {} graphs are too many", columns, graphs));
  Matrix result = Matrix::Zero(graphs, columns);
  parallel_for(static_cast<std::size_t>(graphs), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t g = begin; g < end; ++g) {
      const Index first = offsets[g], count = static_cast<Index>(offsets[g + 1]) - first;
      if (count > 0)
        fill_statistics(Matrix(nodes.middleRows(first, count)).cast<double>(), result.row(static_cast<Index>(g)));
    }
  });
  return result;
}

Features summed_node_features(const Features& nodes, std::span<const graph::Node> offsets) {
  check_offsets("sums of features", "nodes", offsets, nodes.rows());
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
