#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/baselines/correct_and_smooth.hpp"
#include "edgewise/train/jobs/job_data.hpp"
#include "edgewise/train/loop/fit.hpp"

/// @file
/// Correct and Smooth behind a trained model: see baselines/correct_and_smooth.hpp.
namespace edgewise::train {

/// What a model file keeps of it: the classes of the training nodes, by their names. A node that training did not know
/// by its class is known by none when the model is asked.
struct Refinement {
  CorrectAndSmoothOptions options;
  graph::NodeNames names;
  std::vector<std::int32_t> classes;
  /// Some edges of training, one name behind the other: a network whose nodes are called the same but have few of these
  /// edges is another one. Empty in files of older versions.
  std::vector<std::string> edges;

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json` for so many classes.
  static Refinement from_json(const json::Value& value, std::size_t classes);
};

/// Why the known labels are none of the nodes of `graph`, in one line; "" where they are.
std::string foreign_network(const Refinement& refinement, const graph::Graph& graph);

/// Predictions of the nodes of `graph`, refined.
Matrix refine(const Refinement& refinement, const graph::Graph& graph, ConstMatrixRef predictions);

/// Whether there is anything to spread: classes of the nodes of one graph with edges.
bool can_refine(const JobData& data);

/// A refinement with what it makes of some predictions.
struct RefinedPredictions {
  Refinement refinement;
  Matrix predictions;
};

/// Of a few options the one with the best metric on the validation nodes. Nothing when `can_refine` says no.
std::optional<RefinedPredictions> best_refinement(const JobData& data, const data::Split& split,
                                                  ConstMatrixRef predictions, const std::string& metric);

}  // namespace edgewise::train
