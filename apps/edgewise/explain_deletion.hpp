#pragma once

#include <cstdint>
#include <string>

#include "model_data.hpp"

namespace edgewise::app {

/// Which prediction to explain by deletion, and where to write the effects.
struct DeletionQuestion {
  std::string node;      ///< A node, or an edge with a label, or
  std::int64_t row = 0;  ///< a graph, from 1, or
  std::string link = {};  ///< a tie: "ada,bob".
  std::string of = {};   ///< The class, label or target; see train::effects_of.
  std::string out = {};  ///< .csv, .jsonl, and .svg for molecules.
  std::int64_t top = 10;
};

/// Checks the file name extension before any work is done. Throws UsageError.
void check_effects_path(const std::string& path);

/// Shows what the prediction would be without each neighbour, tie, node, edge, atom, bond, side group or
/// feature.
int explain_by_deletion(const Session& session, const std::string& model, train::ModelData& loaded,
                        const DeletionQuestion& question);

/// Shows how far predictions of at most `count` items, those of the test part if it is known, move without the parts
/// that deletion and attention name.
int show_faithfulness(const Session& session, const std::string& model, train::ModelData& loaded, std::int64_t count);

}  // namespace edgewise::app
