#include "plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/train/config/byte_count.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/part_batches.hpp"
#include "edgewise/train/loop/part_pass.hpp"
#include "edgewise/train/run/training_run.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

struct PlanArguments {
  ConfigSources sources;
  std::vector<std::int64_t> processes = {1, 2, 4, 8};
  std::string bandwidth;
  double edges = 0;
  std::int64_t steps = 5;
};

/// What one step on all parts in this process takes.
struct Measured {
  double seconds = 0;  ///< The fastest step.
  train::PassCost cost;
};

/// Bytes a second that go from one process of this machine to another: written by one, read by the other.
double memory_bandwidth() {
  const std::size_t bytes = std::size_t{64} << 20;
  std::vector<char> from(bytes, 1), to(bytes, 2);
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const Clock::time_point start = Clock::now();
    std::memcpy(to.data(), from.data(), bytes);
    best = std::max(best, static_cast<double>(bytes) / seconds_since(start) / 2);
  }
  return best;
}

/// As training would make it.
nn::Model make_model(const train::Config& config, const train::Dataset& data) {
  const data::Features features = train::FeatureMap::fit(data, config.split, {}).apply(data);
  const json::Value blocks = train::blocks_for(config.model, data, features);
  const graph::FrozenGraph graph = train::freeze(data, nn::graph_options_of(blocks));
  return train::make_fitting_model(blocks, train::shape_of(data, features, graph, {}), config.training.seed);
}

Measured measure(const PlanArguments& arguments, const train::Config& config, const train::Dataset& data) {
  nn::Model model = make_model(config, data);
  train::PartBatches batches(data.frozen, {.memory = data.parts.memory});
  batches.check_fits(model);
  std::vector<graph::Node> all(data.items().size());
  for (graph::Node node = 0; node < all.size(); ++node) all[node] = node;
  const std::vector<graph::Node> items = train::labelled(data.labels, all);
  const train::Objective objective(data.labels, items, config.training);
  train::BatchLabels labels;
  autograd::Tape tape;
  Measured measured;
  measured.seconds = std::numeric_limits<double>::infinity();
  for (std::int64_t step = 0; step <= arguments.steps; ++step) {  // the first makes masks and takes memory
    const Clock::time_point start = Clock::now();
    tape.reset(true);
    const autograd::Variable outputs =
        batches.forward(model, {.tape = tape, .is_training = true, .step = static_cast<std::uint64_t>(step)}, items);
    tape.backward(objective.loss(outputs, items, labels));
    if (step > 0) measured.seconds = std::min(measured.seconds, seconds_since(start));
  }
  tape.reset();
  measured.cost = batches.cost();
  return measured;
}

/// What the busiest of several processes has.
struct Share {
  double work = 0;         ///< Of all, by arcs and rows.
  std::uint64_t rows = 0;  ///< From other processes.
};

Share busiest(const data::FrozenNetwork& network, std::size_t processes) {
  const std::vector<graph::Node>& boundaries = network.boundaries();
  const std::size_t parts = network.part_count();
  const auto work_of = [&](std::size_t part) {
    return static_cast<double>(network.part(part).columns.size() + 4 * network.part(part).rows());
  };
  double all = 0;
  for (std::size_t part = 0; part < parts; ++part) all += work_of(part);
  Share share;
  for (std::size_t rank = 0; rank < processes; ++rank) {
    const std::size_t first = train::first_part(parts, processes, rank),
                      end = train::first_part(parts, processes, rank + 1);
    double work = 0;
    std::uint64_t rows = 0;
    for (std::size_t part = first; part < end; ++part) {
      work += work_of(part) / all;
      for (const graph::Node node : network.halo(part))
        rows += node < boundaries[first] || node >= boundaries[end] ? 1 : 0;
    }
    share.work = std::max(share.work, work);
    share.rows = std::max(share.rows, rows);
  }
  return share;
}

/// A line on a network of this kind with another number of edges, on as many machines as this one.
std::string scaled_line(const PlanArguments& arguments, const data::FrozenNetwork& network, const Measured& measured,
                        std::size_t machines, double bandwidth) {
  const double factor = arguments.edges / static_cast<double>(network.edge_count());
  const auto part_of_all = factor / static_cast<double>(machines);
  const double rows =
      static_cast<double>(network.description().at("counts").at("halo_rows").as_integer()) * part_of_all;
  const double bytes = rows * static_cast<double>(measured.cost.columns) * sizeof(float);
  return fmt::format("{:.3g} edges on {} machines of this kind: {:.3g} GiB each, {:.3g} s a step, of which {:.3g} s to "
                     "exchange {:.3g} GiB",
                     arguments.edges, machines,
                     static_cast<double>(measured.cost.bytes) * part_of_all / (1 << 30),
                     measured.seconds * part_of_all + bytes / bandwidth, bytes / bandwidth, bytes / (1 << 30));
}

int plan_verb(const PlanArguments& arguments, const Session& session) {
  const train::Config config = read_config(arguments.sources);
  const train::Dataset data = load_data(arguments.sources, config);
  if (!data.frozen) throw UsageError("data plan: expected a frozen network (.edgewise)");
  const data::FrozenNetwork& network = *data.frozen;
  const double bandwidth = arguments.bandwidth.empty()
                               ? memory_bandwidth()
                               : static_cast<double>(train::bytes_of_size("--bandwidth", arguments.bandwidth));
  const Measured measured = measure(arguments, config, data);
  const double arcs = static_cast<double>(network.arc_count());
  std::string text = fmt::format(
      "{}: {} nodes, {} edges in {} parts; a step on {} takes {:.3g} s, {:.3g} ns an arc, {:.3g} GiB; rows of "
      "others have {} floats a step, at {:.3g} GiB/s",
      data.name, network.node_count(), data.edge_count(), network.part_count(),
      counted(static_cast<std::size_t>(threads()), "thread"), measured.seconds,
      1e9 * measured.seconds / arcs, static_cast<double>(measured.cost.bytes) / (1 << 30), measured.cost.columns,
      bandwidth / (1 << 30));
  json::Array rows;
  for (const std::int64_t processes : arguments.processes) {
    const auto count = static_cast<std::size_t>(processes);
    if (arguments.edges > 0) {
      text += "\n" + scaled_line(arguments, network, measured, count, bandwidth);
      continue;
    }
    if (count > network.part_count()) continue;
    const Share share = busiest(network, count);
    const double bytes = static_cast<double>(share.rows * measured.cost.columns * sizeof(float));
    const double seconds = share.work * measured.seconds + bytes / bandwidth;
    text +=
        fmt::format("\n{}: {:.1f} % of the work, {} rows and {:.3g} MiB from others, {:.3g} s a step",
                    counted(count, "process", "processes"), 100 * share.work, share.rows, bytes / (1 << 20), seconds);
    rows.push_back(json::Object{{"processes", processes},
                                {"work", share.work},
                                {"rows", static_cast<std::int64_t>(share.rows)},
                                {"bytes", bytes},
                                {"step_seconds", seconds}});
  }
  json::Value object = json::Object{{"schema", "edgewise.data.plan/1"},
                                    {"frozen", network.path()},
                                    {"threads", threads()},
                                    {"step_seconds", measured.seconds},
                                    {"columns", static_cast<std::int64_t>(measured.cost.columns)},
                                    {"bytes", static_cast<std::int64_t>(measured.cost.bytes)},
                                    {"bandwidth", bandwidth}};
  object.set("processes", std::move(rows));
  session.print_result(text, object);
  return kDone;
}

}  // namespace

void add_plan(CLI::App& data_verb, Session& session) {
  CLI::App& verb = *data_verb.add_subcommand(
      "plan", "Measure a step of training on a frozen network, and what it would take on several processes");
  auto arguments = std::make_shared<PlanArguments>();
  verb.add_option("network", arguments->sources.dataset, "A frozen network (.edgewise)")->required();
  verb.add_option("--processes", arguments->processes, "Numbers of processes, or of machines")
      ->delimiter(',')
      ->check(integer_in(1, 1 << 20))
      ->default_str("1,2,4,8");
  verb.add_option("--bandwidth", arguments->bandwidth,
                  "Bytes per second between processes, such as 10G; by default the speed of this machine's memory");
  verb.add_option("--edges", arguments->edges, "Predict for a network of this kind with this many edges")
      ->check(number_above_0());
  verb.add_option("--steps", arguments->steps, "Steps to measure")->check(integer_in(1))->capture_default_str();
  ConfigFlags flags(verb, arguments->sources.flags);
  add_model_flags(verb, flags);
  flags.add_set_flag();
  add_examples(verb, {"edgewise data plan net.edgewise --model gatv2 --threads 1 --processes 1,2"});
  session.add_verb(verb, [arguments, &session] { return plan_verb(*arguments, session); });
}

}  // namespace edgewise::app
