#pragma once

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// Node features as columns for a model that takes each node by itself, such as trees: all entries of dense features
/// are stored, and those of sparse ones that are not 0. [nodes, features].
SparseMatrix own_columns(const Features& features);

/// The same plus the features of the neighbourhood, as in SIGN (Frasca et al. 2020):
///   [X | M X | M M X | d | M d]
/// for features X, with M = D^-1 A and d = log(1 + number of neighbours); A and D are those of encodings.hpp. These are
/// means over the neighbours, and means of those means; 0 without neighbours. With more than 64 columns M M X is
/// omitted and zeros are not stored. Sums are accumulated in double and in node order: bitwise identical at any number
/// of threads. O(edges * features), or O(non-zeros). Throws UsageError if M X would have more than 2^25 entries, or
/// unless there is a row for each node.
SparseMatrix columns_with_neighbours(const Features& features, const graph::Graph& graph);

/// What the edges of a node are, for each of their features: log(1 + how many have it), that is, a value that is not 0,
/// and the mean of these values; 0 if none has. Edges that lead to the node count, in an undirected graph all of its
/// own. [nodes, 2 * features], the same bits at any number of threads. O(edges * features).
Matrix columns_of_edges(const graph::Graph& graph);

}  // namespace edgewise::data
