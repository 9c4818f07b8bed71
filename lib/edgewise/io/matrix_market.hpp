#pragma once

#include <string>

#include "edgewise/io/graph_contents.hpp"


namespace edgewise::io {

/// Reads a square sparse matrix in Matrix Market format (.mtx), as SciPy, Julia, MATLAB and the SuiteSparse collection
/// write it: "coordinate" of "pattern", "integer" or "real" values, "general" or "symmetric". Nodes are named by their
/// rows, from 1, and exist without edges, too. An entry in row i and column j is the edge i -> j, its value the
/// attribute "weight" (also called by its position, "3"); a symmetric matrix is an undirected graph. Throws DataError
/// with the line for any other kind of matrix, one that is not square, an index out of range, a value that is not a
/// finite number, and a number of entries other than the one stated.
GraphFile read_matrix_market(const std::string& path, const GraphFileOptions& options = {});

}  // namespace edgewise::io
