/// Cost of a training step on generated purchase networks of growing size: time per step, time per edge, memory.
/// A two-layer GAT with 4 heads x 16 on 64 features, 16 ties per person.
/// Usage: bench_training [--reorder ORDER] [THREADS] [NODES ...]; "order s" is the time to find an order and to
/// rearrange graph and features.
/// Prints each size as soon as it is done. Each size is trained twice from the same seed for a few steps, and the
/// losses must be bitwise equal; the second training is timed.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/train/loop/fit.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/reorder.hpp"
#include "failure.hpp"
#include "generate/purchases.hpp"

namespace {

using namespace edgewise;

constexpr int kFeatures = 64;
constexpr double kTies = 16;
constexpr std::int64_t kSteps = 7;
constexpr double kManyGathers = 600;  // a hundred epochs, for "auto" to weigh the cost of an order against

struct Steps {
  std::vector<double> milliseconds;
  double last_loss = 0;
};

Steps run_steps(const data::NodeData& data, train::NodeBatches& batches, const json::Value& config) {
  nn::Model model(config, {.inputs = kFeatures, .outputs = 2, .edge_features = 0}, 1);
  train::TrainOptions options;
  options.epochs = kSteps;
  options.evaluate_every = kSteps;
  Steps steps;
  train::FitHooks hooks;
  hooks.on_epoch = [&](const train::EpochRecord& record) {
    steps.milliseconds.push_back(record.step_ms);
    steps.last_loss = record.loss;
  };
  train::fit(model, batches, data.labels, data.splits.at(0), options, hooks);
  return steps;
}

void measure(std::size_t nodes, const std::string& order_name, const json::Value& config) {
  data::NodeData data = app::purchase_data({.nodes = nodes, .mean_degree = kTies}, kFeatures);
  graph::FrozenGraph graph = graph::freeze(data.graph, {.self_loops = graph::AddSelfLoops::yes});
  const Clock::time_point start = Clock::now();
  const train::NodeOrder order = train::reorder(order_name, kManyGathers, graph, data.features);
  const double seconds = seconds_since(start);
  train::NodeBatches batches(data.features, graph, order.nodes);
  const Steps first = run_steps(data, batches, config);
  Steps steps = run_steps(data, batches, config);
  if (first.last_loss != steps.last_loss)
    throw std::logic_error(fmt::format("{} nodes: the losses of two equal trainings differ", nodes));
  // The first step allocates the buffers.
  std::sort(steps.milliseconds.begin() + 1, steps.milliseconds.end());
  const double median = steps.milliseconds[1 + (steps.milliseconds.size() - 1) / 2];
  fmt::print("{:>9} {:>10} {:>10.1f} {:>10.1f} {:>10.2f} {:>9.0f} {:>8.2f} {}\n", nodes, data.graph.edge_count(),
             median, steps.milliseconds[1], median * 1e6 / static_cast<double>(graph.slot_count()), peak_rss_mib(),
             seconds, order.name);
  std::fflush(stdout);
}

int measure_sizes(std::vector<std::string> arguments) {
  std::string order = "none";
  if (arguments.size() >= 2 && arguments[0] == "--reorder") {
    order = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  set_threads(arguments.empty() ? 1 : app::thread_argument(arguments[0]));
  std::vector<std::size_t> sizes;
  for (std::size_t i = 1; i < arguments.size(); ++i) sizes.push_back(app::count_argument("NODES", arguments[i]));
  if (sizes.empty()) sizes = {100'000, 200'000, 400'000, 1'000'000};
  const json::Value config = json::parse(
      R"({"preset": "gat", "hidden": 64, "heads": 4, "layers": 2, "dropout": 0.2, "attention_dropout": 0.2,
          "graph": {"self_loops": true}})",
      "bench_training");
  fmt::print("GAT, 2 layers, 4 heads x 16, 64 features, {} threads; medians of {} steps\n", threads(), kSteps - 1);
  fmt::print("{:>9} {:>10} {:>10} {:>10} {:>10} {:>9} {:>8}\n", "nodes", "edges", "ms a step", "least", "ns an edge",
             "peak MiB", "order s");
  for (const std::size_t nodes : sizes) measure(nodes, order, config);
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_training", [&] { return measure_sizes({argv + 1, argv + argc}); });
}
