#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include "edgewise/graph/graph.hpp"

/// @file
/// The definition of `graph::BoostGraph`, which graph.hpp only declares. Include it to run algorithms of Boost on
/// `Graph::boost()`.
