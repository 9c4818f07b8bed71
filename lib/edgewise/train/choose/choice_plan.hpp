#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What an automatic choice tries, in which order, and what it leaves out because it would take too long.
namespace edgewise::train {

/// Work, counted from the sizes of the data and the model: the same on every machine.
struct Work {
  double rows = 0;   ///< Multiply-adds on rows of nodes: dense products, which stay in the cache.
  double edges = 0;  ///< Multiply-adds along edges: most of them wait for the memory.

  /// In multiply-adds on rows; one along an edge takes about four times as long.
  double total() const { return rows + 4 * edges; }
};

/// A model to try, and what training it takes.
struct PlannedModel {
  std::string name;
  json::Value model;
  bool is_baseline = false;
  Work work;  ///< Until it runs out of patience, at least.
};

struct ChoicePlan {
  std::vector<PlannedModel> models;  ///< In the order to try them.
  std::vector<PlannedModel> left_out;
  bool is_limited = false;  ///< The cheapest come first, baselines included; otherwise baselines come last.
  double limit = 0;         ///< Of the total of the work; 0: none.

  double total() const;
};

/// What all models of a choice may take together without a budget: about an hour of two cores. Some millions of edges
/// reach it; the data sets of the catalogue need at most a third.
inline constexpr double kMostWork = 1e13;

/// The work of training `model`, a network or a baseline, on `data`; none if it does not suit the data.
Work work_of(const json::Value& model, const Config& config, const JobData& data);

/// The work of Correct and Smooth on the predictions of a model.
Work work_of_smoothing(const JobData& data);

/// Plans to try the `networks` and baselines. If the configuration has a budget, the cheapest come first. If it has
/// none and does not name the candidates, and all together would take more than `most`, those that would exceed it are
/// left out, the most expensive first; at least one network remains.
ChoicePlan plan_choice(const Config& config, const JobData& data, const std::vector<json::Value>& networks,
                       const std::vector<std::string>& baselines, double most = kMostWork);

/// What the planned models are likely to take: trees on little data take far less than what is counted for them.
Work expected_work(const ChoicePlan& plan, const JobData& data);

/// "left out as too expensive for 12,345,678 edges: gat, gatv2_sep; --budget 1h or --model gat trains them"; "" if
/// nothing is left out.
std::string left_out_note(const ChoicePlan& plan, const JobData& data);

/// Work from which on it is worth saying how long it takes: some seconds.
inline constexpr double kLongWork = 1e11;

/// "gat: about 40 s per epoch on this machine, 2 h for 200 epochs"; "" for a baseline, or if the work is not long.
std::string training_note(const Config& config, const JobData& data,
                          const std::function<std::chrono::steady_clock::time_point()>& now);

/// The seconds that `work` takes on this machine, from a short measurement. For words only: it decides nothing.
double estimated_seconds(const Work& work, const JobData& data,
                         const std::function<std::chrono::steady_clock::time_point()>& now);

/// "90 s", "12 min", "3 h".
std::string rough_time(double seconds);

/// "12,345,678".
std::string grouped(std::size_t count);

}  // namespace edgewise::train
