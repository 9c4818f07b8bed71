/// Training steps over sampled neighbours of a generated network with communities: two layers of GraphSAGE, 64
/// features, 64 hidden columns, 16 classes, fan-outs 15 and 10, batches of 1024 nodes, Adam.
///   bench_sampling --write FILE NODES DEGREE     the edges, for peers (safetensors: "sources", "targets")
///   bench_sampling NODES DEGREE THREADS STEPS
/// The second form answers each line of standard input with a line of JSON: the mean time of a step, of drawing alone
/// (without features, in the thread that asks), the nodes and edges of a sample, and the peak memory of the process.
/// Before timing, the same steps are run twice and must give bitwise equal losses.

#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/sampled_batches.hpp"
#include "edgewise/train/loop/training_state.hpp"
#include "failure.hpp"
#include "process_memory.hpp"

namespace {

using namespace edgewise;

constexpr int kFeatures = 64, kClasses = 16;
constexpr std::size_t kBatch = 1024;
const graph::NeighbourSampling kSampling{.fan_outs = {15, 10}, .batch_size = kBatch};

graph::Csr network(std::size_t nodes, std::size_t degree) {
  return graph::community_graph({.nodes = nodes, .degree = degree}).incoming;
}

void write(const std::string& path, const graph::Csr& incoming) {
  io::Tensor sources{"sources", {static_cast<std::int64_t>(incoming.slots())}, {}}, targets = sources;
  targets.name = "targets";
  for (graph::Node node = 0; node < incoming.rows(); ++node)
    for (const graph::Node source : incoming.row(node)) {
      sources.values.push_back(static_cast<float>(source));
      targets.values.push_back(static_cast<float>(node));
    }
  io::Safetensors content;
  content.metadata = {{"nodes", std::to_string(incoming.rows())}};
  content.tensors = {std::move(sources), std::move(targets)};
  io::write_safetensors(path, content);
}

class Bench {
 public:
  Bench(std::size_t nodes, std::size_t degree, std::size_t steps)
      : graph_(graph::freeze(network(nodes, degree), nodes)) {
    Random random(1, Stream::generate);
    const auto rows = static_cast<Eigen::Index>(nodes);
    features_.dense = Matrix::NullaryExpr(rows, kFeatures, [&] { return static_cast<float>(random.uniform(-1, 1)); });
    for (int c = 0; c < kClasses; ++c) labels_.names.push_back(std::to_string(c));
    for (std::size_t v = 0; v < nodes; ++v)
      labels_.classes.push_back(static_cast<std::int32_t>(random.below(kClasses)));
    if (steps * kBatch > nodes) throw UsageError("bench_sampling: expected a batch for each step");
    items_.resize(steps * kBatch);
    std::iota(items_.begin(), items_.end(), graph::Node{0});
    batches_.emplace(kSampling, features_, graph_);
    sampler_ = graph::sample_neighbours(graph_, kSampling);
  }

  /// The last loss, and the mean time of a step.
  std::pair<float, double> train() {
    nn::Model model(
        json::parse(R"({"blocks": [{"type": "sage", "width": 64, "activation": "relu"},
                                   {"type": "sage", "width": "outputs", "dropout": 0.5}]})", "bench_sampling"),
        {.inputs = kFeatures, .outputs = kClasses}, 1);
    train::TrainOptions options;
    options.weight_decay = 0;
    train::TrainingState state(model, options);
    const train::Objective objective(labels_, items_, options);
    train::BatchLabels of_batch;
    autograd::Tape tape;
    float last = 0;
    const Clock::time_point start = Clock::now();
    const auto steps = batches_->training_batches(model, items_, 1, 0);
    for (std::size_t step = 0; step < steps.size(); ++step) {
      tape.reset(true);
      const autograd::Variable outputs =
          batches_->forward(model, {.tape = tape, .is_training = true, .seed = 1, .step = step}, steps[step]);
      const autograd::Variable loss = objective.loss(outputs, steps[step], of_batch);
      last = loss.value()(0, 0);
      tape.backward(loss);
      state.adam.step(options.learning_rate, 1);
    }
    return {last, milliseconds_since(start) / static_cast<double>(steps.size())};
  }

  struct Drawn {
    double milliseconds = 0, nodes = 0, edges = 0;  ///< Of a step.
  };

  Drawn draw() {
    Drawn drawn;
    const Clock::time_point start = Clock::now();
    const auto batches = sampler_->batches(items_, 1, 0);
    for (const graph::SampleBatch& batch : batches) {
      const graph::Sample sample = sampler_->draw(batch, kSampling.fan_outs.size(), 1, 0);
      drawn.nodes += static_cast<double>(sample.nodes.size());
      for (const auto& step : sample.steps) drawn.edges += static_cast<double>(step->mask.slot_count());
    }
    drawn.milliseconds = milliseconds_since(start);
    for (double* sum : {&drawn.milliseconds, &drawn.nodes, &drawn.edges}) *sum /= static_cast<double>(batches.size());
    return drawn;
  }

 private:
  graph::FrozenGraph graph_;
  data::Features features_;
  data::Labels labels_;
  std::vector<graph::Node> items_;
  std::optional<train::SampledBatches> batches_;
  std::unique_ptr<graph::Sampler> sampler_;
};

void serve(Bench& bench) {
  if (bench.train().first != bench.train().first)
    throw std::logic_error("the losses of two equal trainings differ");
  for (std::string line; std::getline(std::cin, line);) {
    const double step_ms = bench.train().second;
    const Bench::Drawn drawn = bench.draw();
    fmt::print("{}\n", json::dump(json::Object{{"step_ms", step_ms},
                                               {"draw_ms", drawn.milliseconds},
                                               {"nodes", drawn.nodes},
                                               {"edges", drawn.edges},
                                               {"peak_rss_mib", peak_rss_mib()}}));
    std::fflush(stdout);
  }
}

int answer(const std::vector<std::string>& arguments) {
  if (arguments.size() != 4)
    throw UsageError("usage: bench_sampling --write FILE NODES DEGREE | NODES DEGREE THREADS STEPS");
  if (arguments[0] == "--write") {
    write(arguments[1],
          network(app::count_argument("NODES", arguments[2]), app::count_argument("DEGREE", arguments[3])));
    return app::kDone;
  }
  app::keep_freed_memory();
  set_threads(app::thread_argument(arguments[2]));
  Bench bench(app::count_argument("NODES", arguments[0]), app::count_argument("DEGREE", arguments[1]),
              app::count_argument("STEPS", arguments[3]));
  serve(bench);
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_sampling", [&] { return answer({argv + 1, argv + argc}); });
}
