#pragma once

#include "edgewise/data/node_data.hpp"

namespace edgewise::data {

/// How much the columns of sparse features, such as words, tell: log((1 + nodes) / (1 + nodes that have the column))
/// (Salton, Buckley 1988).
Eigen::VectorXf column_weights(const SparseMatrix& features);

/// The directions of the nodes' features: rows of length 1 whose products say how alike two nodes are; zeros for a node
/// without features. Sparse features are weighed by `column_weights`, brought to length 1, and projected on their
/// `width` strongest directions: a truncated singular value decomposition by random projection and three power
/// iterations (Halko, Martinsson, Tropp 2011, algorithm 4.4), up to a rotation. Dense ones keep their columns, each
/// less its mean and over its deviation. [nodes, width, or as many as there are columns]. The same bits at any number
/// of threads.
Matrix feature_directions(const Features& features, Eigen::Index width = 128);

}  // namespace edgewise::data
