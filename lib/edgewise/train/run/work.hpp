#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// What training takes.
namespace edgewise::train {

/// Work, counted from the sizes of the data and the model: the same on every machine.
struct Work {
  double rows = 0;   ///< Multiply-adds on rows of nodes: dense products, which stay in the cache.
  double edges = 0;  ///< Multiply-adds along edges: most of them wait for the memory.

  /// In multiply-adds on rows; one along an edge takes about four times as long.
  double total() const { return rows + 4 * edges; }
};

/// The work of training `model`, a network or a baseline, on `data`; none if it does not suit the data.
Work work_of(const ModelConfig& model, const Config& config, const Dataset& data);

/// The same for one epoch of a network.
Work work_of_epoch(const ModelConfig& network, const Config& config, const Dataset& data);

/// The work of Correct and Smooth on the predictions of a model.
Work work_of_smoothing(const Dataset& data);

/// What that is likely to take: trees on little data take far less than what is counted for them.
Work expected_work(const ModelConfig& model, const Work& counted, const Dataset& data);

/// Work from which on it is worth saying how long it takes: some seconds.
inline constexpr double kLongWork = 1e11;

/// "gat: about 40 s per epoch on this machine, about 2 h for 200 epochs"; "" for a baseline, or if that is not long.
std::string training_note(const Config& config, const Dataset& data,
                          const std::function<std::chrono::steady_clock::time_point()>& now);

/// The seconds that `work` takes on this machine, from a short measurement. For words only: it decides nothing.
double estimated_seconds(const Work& work, const Dataset& data,
                         const std::function<std::chrono::steady_clock::time_point()>& now);

/// "less than 1 s", "about 90 s", "about 12 min", "about 3 h".
std::string rough_time(double seconds);

/// "12,345,678".
std::string grouped(std::size_t count);

}  // namespace edgewise::train
