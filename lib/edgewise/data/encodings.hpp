#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Positional encodings: a node's position in its graph, as columns for the node features.
///
/// A union of graphs is given as `graph` and `offsets`: graph g has nodes offsets[g] ... offsets[g + 1] - 1, and no
/// edge leaves it. Throws UsageError if the last offset is not the number of nodes or an edge leaves its graph. A graph
/// may be empty. Everything is computed on A, the symmetric 0/1 matrix: edge directions, weights and repeated edges are
/// ignored; a self loop makes its node a neighbour of itself, once. D is the diagonal matrix of the row sums of A.
/// Every function gives bitwise identical results at any number of threads.
namespace edgewise::data {

/// log(1 + number of neighbours): [nodes, 1].
Matrix degree_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets);

/// Random-walk structural encoding (Dwivedi et al. 2022, "Graph Neural Networks with Learnable Structural and
/// Positional Representations"): column s - 1 is the probability that a walk of s steps returns to its start, the
/// diagonal of (A D^-1)^s, for s = 1 ... steps: [nodes, steps]. Zeros for a node without neighbours. Time is
/// proportional to the edges within steps / 2 of each node, summed over the nodes: to the edges for two steps, to
/// nodes * edges * steps / 2 if a few steps lead everywhere. Throws UsageError before the work if it would take more
/// than 2e11 products of numbers, which is minutes.
Matrix random_walk_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets, std::size_t steps);

/// Laplacian positional encoding (Dwivedi et al. 2020, "Benchmarking Graph Neural Networks"): column j is the
/// eigenvector of I - D^-1/2 A D^-1/2 with the (j + 2)-th smallest eigenvalue, skipping the trivial one D^1/2 1:
/// [nodes, count].
/// - Each connected component is treated as its own graph, because in a graph with several components the eigenvalue 0
///   is repeated and its eigenvectors are not determined. A component of n nodes has n - 1 vectors, then zeros.
/// - Vectors have length 1 over the component. The entry of largest magnitude is positive; among entries within 0.01 %
///   of it, the first one decides. If a symmetry of the graph flips the vector (a path), any rule is arbitrary, so draw
///   random signs with `flip_signs` in training.
/// - For a repeated eigenvalue (rings, stars, any symmetric molecule) the vectors are an arbitrary basis of its
///   eigenspace. It is reproducible for the same node numbering but changes if the nodes are permuted.
///
/// Components of up to 128 nodes use a dense solver, O(n^3). Larger ones use block Krylov iterations on the inverse of
/// the shifted matrix, to residuals of 1e-8. Their cost is that of a sparse Cholesky factor: low for molecules,
/// proteins, meshes and roads, high for social networks beyond some ten thousand nodes. Throws NumericalError if they
/// do not converge.
Matrix laplacian_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets, std::size_t count);

/// Multiplies each column of each graph by +1 or -1, drawn from (key, graph, column): `columns` [nodes, count]. The
/// sign of an eigenvector is arbitrary; a model that sees both signs in training learns to ignore it. To draw new signs
/// in each step, use `random_key(seed, Stream::shuffle, step)`. Throws UsageError unless the offsets ascend from 0 to
/// the number of rows.
void flip_signs(MatrixRef columns, std::span<const graph::Node> offsets, std::uint64_t key);

}  // namespace edgewise::data
