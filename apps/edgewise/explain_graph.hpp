#pragma once

#include <cstdint>
#include <string>

#include "model_data.hpp"

namespace edgewise::app {

/// Which graph or molecule to explain, and where to write the result.
struct GraphQuestion {
  std::int64_t row = 0;  ///< From 1.
  std::string out;       ///< .svg (molecules), or a format for nodes.
  std::int64_t top = 10;
  std::string mask = {};  ///< Write the layers over this mask; empty: see choose_mask.
};

/// Checks the file name extension before any work is done. Throws UsageError.
void check_picture_path(const std::string& path);

/// Shows which atoms and bonds of a molecule, or nodes and edges of a graph, receive the attention.
int explain_graph(const Session& session, const std::string& model, train::ModelData& loaded,
                  const GraphQuestion& question);

}  // namespace edgewise::app
