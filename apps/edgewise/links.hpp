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
  std::int64_t common = 0;  ///< Neighbours that both nodes of a pair have, to name; 0: none.
  std::string embeddings; ///< File for the rows of the nodes that pairs are read from; empty: none.
  std::string out;        ///< "-": standard output, as CSV.
};

/// Throws UsageError unless pairs, suggestions or embeddings are asked for, and for both of the first two.
int predict_links(const Session& session, const LinkArguments& arguments, train::ModelData& loaded);

}  // namespace edgewise::app
