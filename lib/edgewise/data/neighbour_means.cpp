#include "edgewise/data/neighbour_means.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/sparse_columns.hpp"
#include "edgewise/data/detail/neighbours.hpp"
#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;
using graph::Node;

constexpr std::size_t kFewColumns = 64;
constexpr std::size_t kMaxEntries = std::size_t{1} << 25;

/// The product M `from`.
Matrix means(const graph::Csr& neighbours, const Matrix& from) {
  constexpr std::size_t kGrain = 256;
  Matrix result(from.rows(), from.cols());
  parallel_for(neighbours.rows(), kGrain, [&](std::size_t begin, std::size_t end) {
    Eigen::RowVectorXd sum(from.cols());
    for (Node node = static_cast<Node>(begin); node < end; ++node) {
      sum.setZero();
      for (const Node neighbour : neighbours.row(node)) sum += from.row(neighbour).cast<double>();
      const auto count = static_cast<double>(std::max<std::size_t>(neighbours.row(node).size(), 1));
      result.row(node) = (sum / count).cast<float>();
    }
  });
  return result;
}

/// Consecutive rows of a sparse matrix.
struct Rows {
  std::vector<std::int32_t> ends, columns;
  std::vector<float> values;
};

Rows mean_rows(const graph::Csr& neighbours, const SparseMatrix& from, Node begin, Node end) {
  constexpr Node kNoRow = static_cast<Node>(-1);
  Rows rows;
  std::vector<double> sums(static_cast<std::size_t>(from.cols()));
  std::vector<Node> seen_in(sums.size(), kNoRow);
  for (Node node = begin; node < end; ++node) {
    const std::size_t first = rows.columns.size();
    const std::span<const Node> of = neighbours.row(node);
    for (const Node neighbour : of)
      for (SparseMatrix::InnerIterator entry(from, neighbour); entry; ++entry) {
        const auto column = static_cast<std::size_t>(entry.col());
        if (seen_in[column] != node) {
          seen_in[column] = node;
          sums[column] = 0;
          rows.columns.push_back(static_cast<std::int32_t>(column));
        }
        sums[column] += static_cast<double>(entry.value());
      }
    std::sort(rows.columns.begin() + static_cast<std::ptrdiff_t>(first), rows.columns.end());
    for (std::size_t i = first; i < rows.columns.size(); ++i)
      rows.values.push_back(
          static_cast<float>(sums[static_cast<std::size_t>(rows.columns[i])] / static_cast<double>(of.size())));
    rows.ends.push_back(static_cast<std::int32_t>(rows.columns.size()));
  }
  return rows;
}

[[noreturn]] void throw_too_large(std::size_t entries) {
  throw UsageError(
      fmt::format("means of the features of neighbours: {} entries are more than {}", entries, kMaxEntries));
}

void check_size(const graph::Csr& neighbours, const SparseMatrix& from) {
  std::size_t entries = 0;  // upper bound
  for (const Node neighbour : neighbours.columns)
    entries += static_cast<std::size_t>(from.outerIndexPtr()[neighbour + 1] - from.outerIndexPtr()[neighbour]);
  if (entries > kMaxEntries) throw_too_large(entries);
}

/// M `from`.
SparseMatrix means(const graph::Csr& neighbours, const SparseMatrix& from) {
  check_size(neighbours, from);
  const std::vector<Node> chunks = graph::balanced_chunks(neighbours.offsets);
  std::vector<Rows> parts(chunks.size() - 1);
  parallel_chunks(parts.size(), [&](std::size_t chunk) {
    parts[chunk] = mean_rows(neighbours, from, chunks[chunk], chunks[chunk + 1]);
  });
  std::size_t entries = 0;
  for (const Rows& rows : parts) entries += rows.columns.size();
  SparseMatrix result(from.rows(), from.cols());
  result.resizeNonZeros(static_cast<Index>(entries));
  std::int32_t first = 0;
  for (std::size_t chunk = 0; chunk < parts.size(); ++chunk) {
    const Rows& rows = parts[chunk];
    std::ranges::copy(rows.columns, result.innerIndexPtr() + first);
    std::ranges::copy(rows.values, result.valuePtr() + first);
    std::ranges::transform(rows.ends, result.outerIndexPtr() + chunks[chunk] + 1,
                           [first](std::int32_t end) { return first + end; });
    first += static_cast<std::int32_t>(rows.columns.size());
  }
  return result;
}

Matrix dense_of(const Features& features) { return features.is_sparse ? Matrix(features.sparse) : features.dense; }
/// Zeros are absent, also if they are stored.
SparseMatrix without_zeros(const SparseMatrix& features) {
  SparseMatrix pruned = features;
  pruned.prune([](Index, Index, float value) { return value != 0; });
  return pruned;
}
SparseMatrix sparse_of(const Features& features) {
  return features.is_sparse ? without_zeros(features.sparse) : SparseMatrix(features.dense.sparseView());
}

/// [X | M X | M M X], for few columns.
SparseMatrix two_steps(const graph::Csr& neighbours, const Matrix& own) {
  if (static_cast<std::size_t>(own.size()) > kMaxEntries) throw_too_large(static_cast<std::size_t>(own.size()));
  const Matrix once = means(neighbours, own);
  Matrix all(own.rows(), 3 * own.cols());
  all << own, once, means(neighbours, once);
  return with_all_entries(all);
}

/// [X | M X].
SparseMatrix one_step(const graph::Csr& neighbours, const SparseMatrix& own) {
  return side_by_side(own, means(neighbours, own));
}

}  // namespace

SparseMatrix own_columns(const Features& features) {
  return features.is_sparse ? without_zeros(features.sparse) : with_all_entries(features.dense);
}

SparseMatrix columns_with_neighbours(const Features& features, const graph::Graph& graph) {
  check_count("columns_with_neighbours", "features", features.rows(), graph.node_count());
  const graph::Csr neighbours = detail::neighbours_of(graph);
  const Matrix degrees = detail::log_degrees(neighbours);
  Matrix ties(degrees.rows(), 2);
  ties << degrees, means(neighbours, degrees);
  const SparseMatrix of_features = features.columns() <= kFewColumns ? two_steps(neighbours, dense_of(features))
                                                                     : one_step(neighbours, sparse_of(features));
  return side_by_side(of_features, with_all_entries(ties));
}

Matrix columns_of_edges(const graph::Graph& graph) {
  const Matrix& features = graph.edges().features;
  const auto nodes = static_cast<Index>(graph.node_count());
  Matrix counts = Matrix::Zero(nodes, features.cols());
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(nodes, features.cols());
  for (const auto& arc : boost::make_iterator_range(boost::edges(graph.boost()))) {
    const auto target = static_cast<Index>(boost::target(arc, graph.boost()));
    const auto edge = static_cast<Index>(graph.edge_of_arc(boost::get(boost::edge_index, graph.boost(), arc)));
    for (Index feature = 0; feature < features.cols(); ++feature) {
      if (features(edge, feature) == 0) continue;
      ++counts(target, feature);
      sums(target, feature) += static_cast<double>(features(edge, feature));
    }
  }
  Matrix columns(nodes, 2 * features.cols());
  columns << counts.array().log1p().matrix(),
      (sums.array() / counts.cast<double>().array().max(1)).cast<float>().matrix();
  return columns;
}

}  // namespace edgewise::data
