#pragma once

#include <string>
#include <vector>

#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/variant.hpp"
#include "edgewise/train/run/work.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What an automatic choice tries, in which order, and what it leaves out because it would take too long.
namespace edgewise::train {

/// A model to try, and what training it takes.
struct PlannedModel {
  Variant variant;
  ModelConfig model;
  bool is_baseline = false;
  Work work;  ///< Until it runs out of patience, at least.

  std::string name() const { return variant.name(); }
};

struct ChoicePlan {
  std::vector<PlannedModel> models;  ///< In the order to try them.
  std::vector<PlannedModel> left_out;
  bool is_limited = false;     ///< The cheapest come first.
  bool baselines_last = true;  ///< Or in their place: heuristics of ties are quick and often the best.
  double limit = 0;         ///< Of the total of the work; 0: none.

  double total() const;
};

/// What all models of a choice may take together without a budget: about an hour of two cores. Some millions of edges
/// reach it; the data sets of the catalogue need at most a third.
inline constexpr double kMostWork = 1e13;

/// Plans to try the `networks`, then the baselines; of ties, the baselines first. If the configuration has a budget,
/// the cheapest come first. If it has none and does not name the candidates, and all together would take more than
/// `most`, those that would exceed it are left out, the most expensive first; at least one network remains.
ChoicePlan plan_choice(const Config& config, const Dataset& data, const std::vector<ModelConfig>& networks,
                       const std::vector<std::string>& baselines, double most = kMostWork);

/// What the planned models are likely to take.
Work expected_work(const ChoicePlan& plan, const Dataset& data);

/// "left out as too expensive for 12,345,678 edges: gat, gatv2_sep; --budget 1h or --model gat trains them"; "" if
/// nothing is left out.
std::string left_out_note(const ChoicePlan& plan, const Dataset& data);

}  // namespace edgewise::train
