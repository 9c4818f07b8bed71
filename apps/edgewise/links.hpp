#pragma once

#include <cstdint>
#include <string>

#include "edgewise/train/use/model_data.hpp"
#include "session.hpp"

/// @file
/// Models of ties: pairs of nodes scored, and new ties suggested.
namespace edgewise::app {

struct LinkArguments {
  std::string model;      ///< Its file.
  std::string pairs;      ///< File of the pairs to score; empty: suggestions.
  std::int64_t top = 0;   ///< Suggestions for each node.
  std::string selection;  ///< File of the nodes to suggest to; empty: all.
  std::string out;        ///< "-": standard output, as CSV.
};

/// Throws UsageError unless one of pairs and suggestions is asked for.
int predict_links(const Session& session, const LinkArguments& arguments, train::ModelData& loaded);

}  // namespace edgewise::app
