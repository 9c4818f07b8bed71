#pragma once

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// What is known of nodes, as columns for a model that takes each node by itself, such as trees: `features` as they
/// are, all entries of dense ones stored. [nodes, features].
SparseMatrix own_columns(const Features& features);

/// The same with what surrounds the nodes, as SIGN has it (Frasca et al. 2020):
///   [X | M X | M M X | d | M d]
/// of the features X, with M = D^-1 A and d = log(1 + neighbours); A and D are those of encodings.hpp. Means over the
/// neighbours, and the means of those; over none they are 0. Of more than 64 columns M M X is left out, and zeros are
/// not stored. Sums are made in double and in node order: the same bits at any number of threads. O(edges * features),
/// or of the non-zeros. Throws UsageError where M X would have more than 2^25 entries.
SparseMatrix columns_with_neighbours(const Features& features, const graph::Graph& graph);

}  // namespace edgewise::data
