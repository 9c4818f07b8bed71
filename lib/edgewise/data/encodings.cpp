#include "edgewise/data/encodings.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/detail/neighbours.hpp"
#include "edgewise/data/detail/return_probabilities.hpp"
#include "edgewise/data/detail/union_pieces.hpp"
#include "edgewise/graph/components.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::data {
namespace {

using detail::neighbours_of;
using graph::Node;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using SparseMatrixXd = Eigen::SparseMatrix<double>;

MatrixXd orthonormal(const MatrixXd& columns) {
  const Eigen::HouseholderQR<MatrixXd> factor(columns);
  return factor.householderQ() * MatrixXd::Identity(columns.rows(), columns.cols());
}

/// A basis of the span of B, S B, S^2 B, ... with S = (L + shift I)^-1. New columns are orthogonalised against the
/// earlier ones, since every product pulls towards the trivial vector.
MatrixXd krylov_basis(const Eigen::SimplicialLLT<SparseMatrixXd>& inverse, const MatrixXd& block, Index blocks) {
  const Index width = block.cols();
  MatrixXd basis(block.rows(), width * blocks);
  basis.leftCols(width) = block;
  for (Index i = 1; i < blocks; ++i) {
    const auto before = basis.leftCols(i * width);
    MatrixXd next = inverse.solve(basis.middleCols((i - 1) * width, width));
    for (int again = 0; again < 2; ++again) next -= before * (before.transpose() * next);
    basis.middleCols(i * width, width) = orthonormal(next);
  }
  return orthonormal(basis);
}

/// The trivial vector and random vectors, orthonormalised.
MatrixXd first_block(const VectorXd& trivial, Index width) {
  Random random(0, Stream::initialise);
  MatrixXd block(trivial.size(), width);
  for (double& value : block.reshaped()) value = random.uniform(-1, 1);
  block.col(0) = trivial;
  return orthonormal(block);
}

constexpr Index kBlocks = 4;
constexpr Index kSpareColumns = 5;  // the trivial vector, and some that help the last ones converge

/// Restarted block Krylov iterations on the inverse of L + shift I (Golub and Underwood 1977). The block is wider than
/// `count`, so copies of a repeated eigenvalue are not missed.
MatrixXd smallest_by_iteration(const SparseMatrixXd& laplacian, const VectorXd& trivial, Index count) {
  constexpr double kShift = 1e-6, kTolerance = 1e-8;
  constexpr int kRestarts = 300;
  SparseMatrixXd identity(laplacian.rows(), laplacian.rows());
  identity.setIdentity();
  const Eigen::SimplicialLLT<SparseMatrixXd> inverse(laplacian + kShift * identity);
  if (inverse.info() != Eigen::Success) throw NumericalError("Laplacian encoding: the matrix has no factor");
  MatrixXd block = first_block(trivial, count + kSpareColumns);
  for (int restart = 0; restart < kRestarts; ++restart) {
    const MatrixXd basis = krylov_basis(inverse, block, kBlocks);
    const MatrixXd image = laplacian * basis;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(basis.transpose() * image);
    const auto chosen = solver.eigenvectors().leftCols(block.cols());
    block = basis * chosen;
    const MatrixXd residuals = image * chosen - block * solver.eigenvalues().head(block.cols()).asDiagonal();
    if (residuals.leftCols(count + 1).colwise().norm().maxCoeff() < kTolerance) return block.middleCols(1, count);
  }
  throw NumericalError(fmt::format("Laplacian encoding: no convergence on a component of {} nodes", laplacian.rows()));
}

/// Makes the entry of largest magnitude positive; among entries equal up to rounding, the first one decides.
void fix_sign(Eigen::Ref<VectorXd> vector) {
  const double large = vector.cwiseAbs().maxCoeff() * (1 - 1e-4);
  for (const double value : vector)
    if (std::abs(value) >= large) {
      if (value < 0) vector = -vector;
      return;
    }
}

/// I - M on a connected component; `place` is the position of each node in `nodes`.
SparseMatrixXd laplacian_of(const graph::Csr& neighbours, const std::vector<double>& roots,
                                         std::span<const Node> nodes, const std::vector<Node>& place) {
  std::vector<Eigen::Triplet<double, int>> entries;
  for (const Node v : nodes) {
    const int row = static_cast<int>(place[v]);
    entries.emplace_back(row, row, 1.0);
    for (const Node u : neighbours.row(v))
      entries.emplace_back(row, static_cast<int>(place[u]), -roots[u] * roots[v]);
  }
  const auto size = static_cast<Index>(nodes.size());
  SparseMatrixXd laplacian(size, size);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  return laplacian;
}

/// The non-trivial eigenvectors of the `count` smallest eigenvalues, in columns.
MatrixXd smallest_vectors(const SparseMatrixXd& laplacian, const VectorXd& trivial,
                                 Index count) {
  constexpr Index kLargestDense = 128;
  const Index size = laplacian.rows();
  if (size <= kLargestDense || kBlocks * (count + kSpareColumns) > size) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver{MatrixXd(laplacian)};
    if (solver.info() != Eigen::Success)
      throw NumericalError(fmt::format("Laplacian encoding: no convergence on a component of {} nodes", size));
    return solver.eigenvectors().middleCols(1, count);
  }
  return smallest_by_iteration(laplacian, trivial, count);
}

/// The nodes grouped by component, ascending within each; component c starts at nodes[offsets[c]].
struct ComponentLists {
  std::vector<std::size_t> offsets = {0};
  std::vector<Node> nodes;
  std::vector<Node> place;  // position of each node in its component
};

ComponentLists list_components(const graph::Graph& graph) {
  const graph::Components components = graph::connected_components(graph);
  ComponentLists lists;
  for (const std::size_t size : components.sizes) lists.offsets.push_back(lists.offsets.back() + size);
  lists.nodes.resize(graph.node_count());
  lists.place.resize(graph.node_count());
  std::vector<std::size_t> filled(components.count(), 0);
  for (Node node = 0; node < graph.node_count(); ++node) {
    const Node component = components.component[node];
    lists.place[node] = static_cast<Node>(filled[component]);
    lists.nodes[lists.offsets[component] + filled[component]++] = node;
  }
  return lists;
}

}  // namespace

Matrix degree_encoding(const graph::Graph& graph, std::span<const Node> offsets) {
  detail::check_union(graph, offsets, "degree encoding");
  return detail::log_degrees(neighbours_of(graph));
}

Matrix random_walk_encoding(const graph::Graph& graph, std::span<const Node> offsets, std::size_t steps) {
  detail::check_union(graph, offsets, "random-walk encoding");
  return detail::return_probabilities(neighbours_of(graph), offsets, steps);
}

Matrix laplacian_encoding(const graph::Graph& graph, std::span<const Node> offsets, std::size_t count) {
  constexpr std::size_t kGrain = 8;
  detail::check_union(graph, offsets, "Laplacian encoding");
  const graph::Csr neighbours = neighbours_of(graph);
  const std::vector<double> roots = detail::inverse_roots(neighbours);
  const ComponentLists lists = list_components(graph);
  Matrix result = Matrix::Zero(static_cast<Index>(graph.node_count()), static_cast<Index>(count));
  const auto encode = [&](std::span<const Node> nodes) {
    const std::size_t vectors = std::min(count, nodes.size() - 1);
    if (vectors == 0) return;
    VectorXd trivial(static_cast<Index>(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) trivial[static_cast<Index>(i)] = 1 / roots[nodes[i]];
    trivial.normalize();
    MatrixXd found = smallest_vectors(laplacian_of(neighbours, roots, nodes, lists.place), trivial,
                                             static_cast<Index>(vectors));
    for (Index column = 0; column < found.cols(); ++column) {
      fix_sign(found.col(column));
      for (std::size_t i = 0; i < nodes.size(); ++i)
        result(nodes[i], column) = static_cast<float>(found(static_cast<Index>(i), column));
    }
  };
  parallel_for(lists.offsets.size() - 1, kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c)
      encode(std::span(lists.nodes).subspan(lists.offsets[c], lists.offsets[c + 1] - lists.offsets[c]));
  });
  return result;
}

void flip_signs(MatrixRef columns, std::span<const Node> offsets, std::uint64_t key) {
  check_offsets("flip_signs", "nodes", offsets, static_cast<std::size_t>(columns.rows()));
  for (std::size_t graph = 0; graph + 1 < offsets.size(); ++graph)
    for (Index column = 0; column < columns.cols(); ++column) {
      const auto counter = static_cast<std::uint32_t>(graph * static_cast<std::size_t>(columns.cols()) +
                                                      static_cast<std::size_t>(column));
      if (random_bits(key, counter) >> 31 == 1)
        columns.col(column).segment(offsets[graph], offsets[graph + 1] - offsets[graph]) *= -1;
    }
}

}  // namespace edgewise::data
