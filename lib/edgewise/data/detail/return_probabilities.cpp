#include "edgewise/data/detail/return_probabilities.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/detail/union_pieces.hpp"
#include "edgewise/graph/hop_search.hpp"

namespace edgewise::data::detail {
namespace {

using graph::Node;
using Eigen::Index;
using DoubleMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Node kLargestSmall = 1024;  // nodes of a graph that always takes dense blocks
constexpr Node kDenseStarts = 32;     // columns of a dense block
constexpr double kDenseGain = 10;     // products in a dense block that take the time of one of sparse vectors, at most
constexpr double kMostProducts = 2e11;

/// to = M from; one row per node of the piece's graph.
void multiply_normalised(const graph::Csr& neighbours, const std::vector<double>& roots, const Piece& piece,
                         const DoubleMatrix& from, DoubleMatrix& to) {
  to.setZero();
  for (Node v = piece.first; v < piece.end; ++v) {
    for (const Node u : neighbours.row(v)) to.row(v - piece.first) += roots[u] * from.row(u - piece.first);
    to.row(v - piece.first) *= roots[v];
  }
}

/// Fills the rows of `out` for the piece's starts.
void walk_from(const graph::Csr& neighbours, const std::vector<double>& roots, const Piece& piece, Matrix& out) {
  const Index starts = piece.stop - piece.begin;
  DoubleMatrix before = DoubleMatrix::Zero(static_cast<Index>(piece.nodes()), starts);
  for (Index i = 0; i < starts; ++i) before(static_cast<Index>(piece.begin - piece.first) + i, i) = 1;
  DoubleMatrix after(before.rows(), starts);
  for (Index step = 1; step <= out.cols(); ++step) {
    const bool is_odd = step % 2 == 1;
    if (is_odd) multiply_normalised(neighbours, roots, piece, before, after);
    const Eigen::RowVectorXd returns = is_odd ? before.cwiseProduct(after).colwise().sum()
                                              : after.cwiseProduct(after).colwise().sum();
    out.col(step - 1).segment(piece.begin, starts) = returns.transpose().cast<float>();
    if (!is_odd) std::swap(before, after);
  }
}

/// A vector over the nodes of a graph that is 0 outside of its support.
struct SparseVector {
  std::vector<double> values;  // of all nodes
  std::vector<Node> support;   // each once, counted from the graph's first node

  explicit SparseVector(std::size_t nodes) : values(nodes, 0) {}

  void clear() {
    for (const Node node : support) values[node] = 0;
    support.clear();
  }

  void add(Node node, double value) {
    if (values[node] == 0) support.push_back(node);
    values[node] += value;
  }
};

/// to = M from, on the graph with this first node. All values are positive.
void multiply_normalised(const graph::Csr& neighbours, const std::vector<double>& roots, Node first,
                         const SparseVector& from, SparseVector& to) {
  to.clear();
  for (const Node u : from.support) {
    const double share = roots[first + u] * from.values[u];
    if (share == 0) continue;  // smaller than any number
    for (const Node v : neighbours.row(first + u)) to.add(v - first, share);
  }
  for (const Node v : to.support) to.values[v] *= roots[first + v];
}

double dot(const SparseVector& a, const SparseVector& b) {
  double sum = 0;
  for (const Node node : a.support) sum += a.values[node] * b.values[node];
  return sum;
}

/// As `walk_from`, start by start.
void walk_sparsely(const graph::Csr& neighbours, const std::vector<double>& roots, const Piece& piece, Matrix& out) {
  SparseVector before(piece.nodes()), after(piece.nodes());
  for (Node start = piece.begin; start < piece.stop; ++start) {
    before.clear();
    before.add(start - piece.first, 1);
    for (Index step = 1; step <= out.cols(); ++step) {
      const bool is_odd = step % 2 == 1;
      if (is_odd) multiply_normalised(neighbours, roots, piece.first, before, after);
      out(start, step - 1) = static_cast<float>(dot(is_odd ? before : after, after));
      if (!is_odd) std::swap(before, after);
    }
  }
}

/// Nodes first ... end - 1 of a union.
struct Range {
  Node first;
  Node end;

  Node nodes() const { return end - first; }
};

double edges_of(const graph::Csr& neighbours, Range range) {
  return static_cast<double>(neighbours.offsets[range.end] - neighbours.offsets[range.first]);
}

/// An upper bound on the products of sparse vectors for all starts: each vector takes at most one per walk that
/// continues it, and one per edge.
double sparse_products_by_walks(const graph::Csr& neighbours, Range range, std::size_t powers) {
  const double edges = edges_of(neighbours, range);
  std::vector<double> walks(range.nodes(), 1), longer(range.nodes());
  double products = 0;
  for (std::size_t power = 0; power < powers; ++power) {
    for (Node node = 0; node < range.nodes(); ++node) {
      longer[node] = 0;
      for (const Node next : neighbours.row(range.first + node)) longer[node] += walks[next - range.first];
      products += std::min(longer[node], edges);
    }
    walks.swap(longer);
  }
  return products;
}

/// An upper bound on the products for `powers` vectors from `start`: each takes the edges of all nodes within reach.
double products_from(Node start, std::size_t powers, const graph::Csr& neighbours, graph::HopSearch& search) {
  search.start(start);
  double edges = 0, products = 0;
  std::size_t counted = 0;
  for (std::size_t power = 0; power < powers; ++power) {
    if (power > 0) search.grow();
    for (; counted < search.found().size(); ++counted)
      edges += static_cast<double>(neighbours.row(search.found()[counted]).size());
    products += edges;
  }
  return products;
}

/// A closer estimate from evenly spaced starts; infinite once it is clear that there are more than `most`.
double sparse_products_by_reach(const graph::Csr& neighbours, Range range, std::size_t powers, double most) {
  constexpr int kStarts = 64;
  const double starts_of_each = static_cast<double>(range.nodes()) / kStarts;
  graph::HopSearch search(neighbours, range.first, range.end);
  double products = 0;
  for (int i = 0; i < kStarts && products <= most; ++i) {
    const auto start = static_cast<Node>(starts_of_each * (i + 0.5));
    products += starts_of_each * products_from(range.first + start, powers, neighbours, search);
  }
  return products <= most ? products : std::numeric_limits<double>::infinity();
}

double dense_products(const graph::Csr& neighbours, Range range, std::size_t powers) {
  const auto nodes = static_cast<double>(range.nodes());
  return nodes * (nodes + edges_of(neighbours, range)) * static_cast<double>(powers) / kDenseGain;
}

/// Whether the vectors are kept sparse. Throws UsageError if either way takes too long.
bool is_sparse(const graph::Csr& neighbours, Range range, std::size_t steps) {
  if (range.nodes() <= kLargestSmall) return false;
  const std::size_t powers = (steps + 1) / 2;
  const double dense = dense_products(neighbours, range, powers);
  const double most = std::min(dense, kMostProducts);
  if (sparse_products_by_walks(neighbours, range, powers) <= most) return true;
  if (sparse_products_by_reach(neighbours, range, powers, most) <= most) return true;
  if (dense <= kMostProducts) return false;
  throw UsageError(
      fmt::format("random-walk encoding: {} steps on a graph of {} nodes lead from most nodes to so many others that "
                  "they would take over {:.0e} products of numbers; take fewer steps, 2 of which take one per edge",
                  steps, range.nodes(), kMostProducts));
}

/// Cuts a graph into few pieces, each of which needs space for all nodes.
std::vector<Piece> sparse_pieces(Range range) {
  constexpr Node kMostPieces = 64;
  const Node offsets[] = {range.first, range.end};
  return union_pieces(offsets, (range.nodes() + kMostPieces - 1) / kMostPieces);
}

}  // namespace

std::vector<double> inverse_roots(const graph::Csr& neighbours) {
  std::vector<double> roots(neighbours.rows(), 0);
  for (Node node = 0; node < roots.size(); ++node)
    if (const std::size_t degree = neighbours.row(node).size(); degree > 0)
      roots[node] = 1 / std::sqrt(static_cast<double>(degree));
  return roots;
}

Matrix return_probabilities(const graph::Csr& neighbours, std::span<const Node> offsets, std::size_t steps) {
  constexpr std::size_t kGrain = 4;
  std::vector<Piece> dense, sparse;
  for (std::size_t graph = 0; graph + 1 < offsets.size(); ++graph) {
    const Range range{offsets[graph], offsets[graph + 1]};
    const bool as_sparse = is_sparse(neighbours, range, steps);
    const std::vector<Piece> pieces =
        as_sparse ? sparse_pieces(range) : union_pieces(offsets.subspan(graph, 2), kDenseStarts);
    std::vector<Piece>& all = as_sparse ? sparse : dense;
    all.insert(all.end(), pieces.begin(), pieces.end());
  }
  const std::vector<double> roots = inverse_roots(neighbours);
  Matrix result(static_cast<Index>(neighbours.rows()), static_cast<Index>(steps));
  parallel_for(dense.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) walk_from(neighbours, roots, dense[i], result);
  });
  parallel_chunks(sparse.size(), [&](std::size_t i) { walk_sparsely(neighbours, roots, sparse[i], result); });
  return result;
}

}  // namespace edgewise::data::detail
