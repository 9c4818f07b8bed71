#include "edgewise/train/run/work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/sampling.hpp"

namespace edgewise::train {
namespace {

constexpr double kPasses = 3;           // forward, and backward for the rows and for the weights
constexpr double kSpreadings = 50;      // iterations of label propagation and of Correct and Smooth
constexpr double kSmoothingTries = 6;   // spreadings in Correct and Smooth: four options, half of them also correct
constexpr double kTrees = 2e11;         // a quarter of a minute, the most that they take, see baselines.cpp
constexpr double kTreePasses = 1e4;     // over the features: a thousand trees of some levels
constexpr double kMostPatience = 2;     // epochs until the best, in those of patience
constexpr double kPassesOfTies = 10;    // an epoch hides a tenth of the ties at a time
constexpr double kPairsOfTie = 20;      // that are read, as rows: drawn ones and, in validation, candidates

double count_of(std::size_t count) { return static_cast<double>(count); }

/// Along every edge in both directions, unless they are directed, and to the node itself.
double slots_of(const Dataset& data) {
  if (data.frozen) return static_cast<double>(data.frozen->arc_count() + data.frozen->node_count());
  const bool is_directed = data.graph.direction() == graph::Direction::directed;
  return (is_directed ? 1 : 2) * count_of(data.graph.edge_count()) + count_of(data.graph.node_count());
}

/// Numbers in the features that are not 0.
double inputs_of(const Dataset& data) {
  const double nodes = count_of(data.graph.node_count());
  if (data.frozen) return nodes * static_cast<double>(data.frozen->feature_count());
  if (data.features.columns() > 0)
    return data.features.is_sparse ? count_of(static_cast<std::size_t>(data.features.sparse.nonZeros()))
                                   : nodes * count_of(data.features.columns());
  return nodes * std::max(1.0, count_of(data.node_table().columns.size()));
}

double epochs_of(const TrainOptions& options) {
  const auto epochs = static_cast<double>(options.epochs);
  if (options.stopping.patience == 0) return epochs;
  return std::min(epochs, kMostPatience * static_cast<double>(options.stopping.patience * options.evaluate_every));
}

/// What a network says about a step: how many weights there are, the widest rows, and the steps along edges.
struct Sizes {
  double weights = 0;
  double width = 0;
  double steps = 0;
  std::size_t reach = 0;  ///< Steps that rows depend on; 1 if on all.
};

Sizes sizes_of(const json::Value& blocks, const Dataset& data) {
  const graph::EdgeList& edges = data.graph.edges();
  nn::ModelShape shape{.inputs = 1,
                       .outputs = static_cast<int>(data.labels.names.size()),
                       .edge_features = static_cast<int>(edges.features.cols()) + (edges.weights.empty() ? 0 : 1)};
  if (data.links) {
    shape.node_sets.push_back({nn::kLinkNumbers, 1});
    shape.masks.push_back(nn::common_neighbours_mask());
  }
  nn::Model model(blocks, shape, 0);
  Sizes sizes{.steps = count_of(model.reach(/*is_training=*/false).value_or(1)) * (model.uses_attention() ? 2 : 1),
              .reach = model.sampled_steps().value_or(1)};
  for (const autograd::Parameter* parameter : model.parameters()) {
    sizes.weights += static_cast<double>(parameter->value.size());
    sizes.width = std::max(sizes.width, static_cast<double>(parameter->value.cols()));
  }
  return sizes;
}

/// How often an epoch goes over as many rows as there are nodes: at most once for each labelled node and the neighbours
/// that are drawn for it, step by step, up to all nodes in a step of training.
double passes_of_epoch(const TrainOptions& options, const Dataset& data, std::size_t steps) {
  if (options.sample.empty()) return data.links ? kPassesOfTies : 1;
  const Sampling sampling = read_sampling(options.sample, options.replace, options.batch_size);
  const auto* neighbours = std::get_if<graph::NeighbourSampling>(&sampling);
  if (neighbours == nullptr) return 1;
  const double nodes = std::max(1.0, count_of(data.graph.node_count()));
  const double labelled = data.labels.has_classes() ? count_of(data::labelled_nodes(data.labels).size()) : nodes;
  double rows = std::min(labelled, static_cast<double>(neighbours->batch_size));
  const double batches = std::ceil(labelled / std::max(1.0, rows));
  for (std::size_t step = 0; step < steps; ++step) {
    const double fan_out = neighbours->fan_outs[std::min(step, neighbours->fan_outs.size() - 1)];
    rows *= 1 + std::min(fan_out, slots_of(data) / nodes);
  }
  return batches * std::min(rows, nodes) / nodes;
}

Work work_of_network(const ModelConfig& model, const Config& config, const Dataset& data) {
  const json::Value blocks = blocks_for(model, data, data.features);
  const Sizes sizes = sizes_of(blocks, data);
  const double epochs =
      kPasses * epochs_of(config.training) * passes_of_epoch(config.training, data, sizes.reach);
  const double pairs = data.links ? kPairsOfTie * count_of(data.links->size()) / kPassesOfTies : 0;
  Work work{.rows = epochs * ((count_of(data.graph.node_count()) + pairs) * sizes.weights +
                              inputs_of(data) * sizes.width)};
  if (nn::graph_options_of(blocks).kept != graph::KeptEdges::all || !model.traits().uses_graph)
    return work;
  work.edges = epochs * slots_of(data) * sizes.steps * sizes.width;
  return work;
}

Work work_of_baseline(const ModelTraits& traits, const Dataset& data) {
  if (!traits.uses_features) return {.edges = kSpreadings * slots_of(data) * count_of(data.labels.names.size())};
  Work work{.rows = kTrees + inputs_of(data)};
  if (traits.uses_graph)
    work.edges = slots_of(data) * inputs_of(data) / std::max(1.0, count_of(data.graph.node_count()));
  return work;
}

/// Seconds of one multiply-add on rows, and of one along edges.
struct Pace {
  double rows = 0;
  double edges = 0;
};

using Now = std::function<std::chrono::steady_clock::time_point()>;

/// The least of a few: the first is slow, and others may disturb one.
double seconds_of(const Now& now, const std::function<void()>& body) {
  constexpr int kTries = 3;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const auto start = now();
    body();
    least = std::min(least, seconds_between(start, now()));
  }
  return least;
}

/// A product of the usual shape, and sums of rows over some edges.
Pace measure_pace(const Dataset& data, const Now& now) {
  constexpr Eigen::Index kRows = 4096, kWidth = 64;
  constexpr std::size_t kMostEdges = 1 << 18;
  const Matrix rows = Matrix::Ones(kRows, kWidth), weights = Matrix::Ones(kWidth, kWidth);
  Matrix products(kRows, kWidth);
  Workspace workspace;
  Pace pace{.rows = seconds_of(now, [&] { multiply(rows, weights, products, workspace); }) / (kRows * kWidth * kWidth)};
  const graph::EdgeList& edges = data.graph.edges();
  const std::size_t count = std::min(kMostEdges, edges.size());
  if (count == 0) return pace;
  const Matrix table = Matrix::Ones(static_cast<Eigen::Index>(data.graph.node_count()), kWidth);
  constexpr std::size_t kAtOnce = 4096;
  Matrix sums = Matrix::Zero(static_cast<Eigen::Index>((count + kAtOnce - 1) / kAtOnce), kWidth);
  const double seconds = seconds_of(now, [&] {
    parallel_for(count, kAtOnce, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i)
        sums.row(static_cast<Eigen::Index>(begin / kAtOnce)) += table.row(edges.sources[i * (edges.size() / count)]);
    });
  });
  pace.edges = seconds / (count_of(count) * kWidth);
  return pace;
}

}  // namespace

Work work_of(const ModelConfig& model, const Config& config, const Dataset& data) {
  try {
    return model.is_baseline() ? work_of_baseline(model.traits(), data)
                              : work_of_network(model, config, data);
  } catch (const Error&) {  // reported when it is trained
    return {};
  }
}

Work work_of_epoch(const ModelConfig& network, const Config& config, const Dataset& data) {
  Work work = work_of(network, config, data);
  work.rows /= epochs_of(config.training);
  work.edges /= epochs_of(config.training);
  return work;
}

Work work_of_smoothing(const Dataset& data) {
  return {.edges = kSmoothingTries * kSpreadings * slots_of(data) * count_of(data.labels.names.size())};
}

Work expected_work(const ModelConfig& model, const Work& counted, const Dataset& data) {
  if (!model.is_baseline()) return counted;
  return {.rows = std::min(counted.rows, kTreePasses * inputs_of(data)), .edges = counted.edges};
}

std::string training_note(const Config& config, const Dataset& data, const Now& now) {
  if (config.model.is_baseline() || data.frozen) return "";
  const Work work = work_of(config.model, config, data);
  if (work.total() < kLongWork) return "";
  const double seconds = estimated_seconds(work, data, now), epochs = epochs_of(config.training);
  return fmt::format("{}: {} per epoch on this machine, {} for {:.0f} epochs", config.model.name(),
                     rough_time(seconds / epochs), rough_time(seconds), epochs);
}

double estimated_seconds(const Work& work, const Dataset& data, const Now& now) {
  const Pace pace = measure_pace(data, now);
  return work.rows * pace.rows + work.edges * pace.edges;
}

std::string rough_time(double seconds) {
  if (seconds < 1) return "less than 1 s";
  if (seconds < 90) return fmt::format("about {:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("about {:.0f} min", seconds / 60);
  return fmt::format("about {:.0f} h", seconds / 3600);
}

std::string grouped(std::size_t count) {
  return count < 1000 ? fmt::format("{}", count) : fmt::format("{},{:03}", grouped(count / 1000), count % 1000);
}

}  // namespace edgewise::train
