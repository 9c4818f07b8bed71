#pragma once

#include <boost/graph/compressed_sparse_row_graph.hpp>

#include "edgewise/graph/graph.hpp"

/// @file
/// Defines `graph::BoostGraph`, which graph.hpp only declares. Include it to run Boost algorithms on `Graph::boost()`.
