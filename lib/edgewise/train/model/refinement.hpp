#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/baselines/correct_and_smooth.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Correct and Smooth applied to a trained model: see baselines/correct_and_smooth.hpp.
namespace edgewise::train {

/// The part stored in a model file: the classes of the training nodes, by name. Nodes not labelled in training have no
/// known class in prediction either.
struct Refinement {
  CorrectAndSmoothOptions options;
  graph::NodeNames names;
  std::vector<std::int32_t> classes;
  /// Some training edges, as consecutive pairs of names. A network with the same node names but few of these edges is
  /// recognised as a different one. Empty in files of older versions.
  std::vector<std::string> edges;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json` for this number of classes.
  static Refinement from_json(const json::Value& value, std::size_t classes);
};

/// Why the known labels do not belong to the nodes of `graph`, in one line; "" if they do.
std::string foreign_network(const Refinement& refinement, const graph::Graph& graph);

/// Refines the predictions for the nodes of `graph`, with an even share (even_share.hpp). Throws UsageError before the
/// work if it does not fit in memory.
Matrix refine(const Refinement& refinement, const graph::Graph& graph, ConstMatrixRef predictions);

/// Throws UsageError if "training.correct_and_smooth" is "always" although the data does not allow it.
void check_refinement(const Config& config, const Dataset& data);

struct RefinedPredictions {
  Refinement refinement;
  Matrix predictions;
};

/// Among a few options, the one with the best metric on the validation nodes. Nothing if the data does not allow it, or
/// if the step does not fit in memory.
std::optional<RefinedPredictions> best_refinement(const Dataset& data, const data::Split& split,
                                                  ConstMatrixRef predictions, const std::string& metric);

}  // namespace edgewise::train
