#pragma once

#include <cstdint>
#include <string>

#include "model_data.hpp"

namespace edgewise::app {

/// Which graph, or molecule, and where to write.
struct GraphQuestion {
  std::int64_t row = 0;  ///< From 1.
  std::string out;       ///< .svg (molecules), or as for nodes.
  std::int64_t top = 10;
  std::string mask = {};  ///< Whose layers are written; empty: choose_mask.
};

/// Checks the end of the file's name before any work. Throws UsageError.
void check_picture_path(const std::string& path);

/// Which atoms and bonds of a molecule, or nodes and edges of a graph, got the attention.
int explain_graph(const Session& session, const std::string& model, ModelData& loaded, const GraphQuestion& question);

}  // namespace edgewise::app
