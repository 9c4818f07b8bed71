#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Positional encodings: where a node is in its graph, as columns for the node features.
///
/// A union of graphs is given as `graph` and `offsets`: graph g has the nodes offsets[g] ... offsets[g + 1] - 1, and no
/// edge leaves it. UsageError when the last offset is not the number of nodes or an edge leaves its graph. A graph may
/// be empty. All is computed on A, the symmetric matrix of 0 and 1: the direction of edges, their weights and
/// how often they are listed are ignored; a self loop makes its node a neighbour of itself, once. D has the row sums of
/// A.
/// Every function gives the same bits at any number of threads.
namespace edgewise::data {

/// log(1 + neighbours): [nodes, 1].
Matrix degree_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets);

/// Random-walk structural encoding (Dwivedi et al. 2022, "Graph Neural Networks with Learnable Structural and
/// Positional Representations"): column s - 1 is the probability that a walk of s steps ends where it began, the
/// diagonal of (A D^-1)^s, for s = 1 ... steps: [nodes, steps]. Zeros for a node without neighbours.
/// O(nodes * edges * steps / 2) of each graph: made for graphs of up to some ten thousand nodes.
Matrix random_walk_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets, std::size_t steps);

/// Laplacian positional encoding (Dwivedi et al. 2020, "Benchmarking Graph Neural Networks"): column j is the
/// eigenvector of I - D^-1/2 A D^-1/2 with the (j + 2)-th smallest eigenvalue, the trivial one D^1/2 1 left out:
/// [nodes, count].
/// - Each connected component is taken by itself, as though it was a graph of its own: the eigenvalue 0 of a graph of
///   several components would not say which vectors are meant. A component of n nodes has n - 1 vectors, then zeros.
/// - Length 1 over the component. Sign: the entry of the largest magnitude is positive; of entries that reach it up to
///   0.01 % the first one. Where a symmetry of the graph turns the vector round (a path) no rule is better than this
///   one, so draw signs by `flip_signs` in training.
/// - Of a repeated eigenvalue (rings, stars, any symmetric molecule) the vectors are some basis of its space, the same
///   one for the same numbering of the nodes, but another one after the nodes are permuted.
/// Components of up to 128 nodes by a dense solver, O(n^3); larger ones by block Krylov iterations on the inverse of
/// the shifted matrix, to residuals of 1e-8. Their cost is that of a sparse Cholesky factor: little for molecules,
/// proteins, meshes and roads, much for social networks beyond some ten thousand nodes. Throws NumericalError when they
/// do not converge.
Matrix laplacian_encoding(const graph::Graph& graph, std::span<const graph::Node> offsets, std::size_t count);

/// Multiplies each column of each graph by +1 or -1, drawn from (key, graph, column): `columns` [nodes, count]. The
/// sign of an eigenvector is arbitrary, and a model that sees both signs in training learns that. To be drawn again for
/// each step, take `random_key(seed, Stream::shuffle, step)`.
void flip_signs(MatrixRef columns, std::span<const graph::Node> offsets, std::uint64_t key);

}  // namespace edgewise::data
