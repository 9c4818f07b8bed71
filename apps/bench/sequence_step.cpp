/// Training steps of attention over all pairs of nodes of each graph, on a collection such as `ewt` or `fsdd`: 64
/// graphs per step, the preset `attention` with 64 columns, 4 heads, two layers, dropout 0.1, Adam; or as the
/// configuration says.
///   bench_sequences --write FILE DATA STEPS           the batches and initial weights, for peers (safetensors)
///   bench_sequences DATA STEPS THREADS
/// DATA is a data set of the catalogue, or a JSON file with a configuration. The first form writes for step s the
/// tensors "s.sizes" (nodes per graph), "s.labels", and "s.rows" (the features), or "s.entries" (non-zeros per row)
/// with "s.columns"; then the weights and the "loss" of the first step without dropout. The second form answers each
/// line of standard input with a line of JSON: the mean time of a step, its parts, its CPU time over all threads, and
/// the peak memory of training on top of the data. Before timing, the same steps are run twice and must give bitwise
/// equal losses.

#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/training_state.hpp"
#include "failure.hpp"
#include "process_memory.hpp"

namespace {

using namespace edgewise;
using Step = std::vector<graph::Node>;  ///< Items.

train::Config config_of(const std::string& data) {
  json::Value config{json::Object{{"data", json::Object{{"dataset", data}}}}};
  if (data.ends_with(".json")) config = json::parse_file(data);
  if (config.find("model") == nullptr)
    config.set("model", json::Object{{"preset", "attention"}, {"hidden", 64}, {"heads", 4}, {"dropout", 0.1}});
  if (config.find("training") == nullptr)
    config.set("training", json::Object{{"batch_size", 64}, {"learning_rate", 0.003}, {"weight_decay", 0}});
  return train::parse_config(config);
}

/// The data of a job, prepared as for training.
class Bench {
 public:
  Bench(const std::string& name, std::size_t steps)
      : config_(config_of(name)), data_(train::read_dataset(config_.data)) {
    if (!data_.collection) throw UsageError(fmt::format("{}: expected a collection of graphs of nodes", name));
    const data::Split split = train::make_split(data_, config_.split, config_.training.seed, 0);
    train_ = train::labelled(data_.labels, data::nodes_with_role(split, data::Role::train));
    const auto map = train::FeatureMap::fit(data_, config_.split, split);
    features_ = map.apply(data_);
    model_config_ = train::blocks_for(config_.model, data_, features_);
    frozen_ = graph::freeze(data_.graph, nn::graph_options_of(model_config_));
    batches_ = train::make_batches(data_, features_, frozen_, config_.training.batch_size);
    steps_ = batches_->training_batches(make_model(), train_, config_.training.seed, 0);
    steps_.resize(std::min(steps, steps_.size()));
  }

  nn::Model make_model() const {
    const nn::ModelShape shape{.inputs = static_cast<int>(features_.columns()),
                               .outputs = static_cast<int>(data_.labels.names.size()),
                               .edge_features = static_cast<int>(frozen_.edge_features.cols())};
    return {model_config_, shape, config_.training.seed};
  }

  const train::TrainOptions& options() const { return config_.training; }
  train::Objective objective() const { return {data_.labels, train_, config_.training}; }
  train::Batches& batches() const { return *batches_; }
  const std::vector<Step>& steps() const { return steps_; }
  const data::Labels& labels() const { return data_.labels; }
  const data::Features& features() const { return features_; }
  bool is_graph_level() const { return data_.graphs.has_value(); }

  /// The nodes of each graph of the step, in order.
  std::vector<std::vector<graph::Node>> graphs_of(const Step& items) const {
    const std::vector<graph::Node>& offsets = data_.collection->offsets;
    std::vector<std::vector<graph::Node>> graphs;
    if (is_graph_level()) {
      for (const graph::Node item : items) graphs.push_back(graph::nodes_of(offsets, std::span(&item, 1)));
      return graphs;
    }
    for (const graph::Node item : items) {
      const bool begins = std::ranges::binary_search(offsets, item);
      if (begins) graphs.emplace_back();
      if (graphs.empty() || (!begins && graphs.back().back() + 1 != item))
        throw UsageError("bench_sequences: expected labels of all nodes");
      graphs.back().push_back(item);
    }
    return graphs;
  }

 private:
  train::Config config_;
  train::Dataset data_;
  std::vector<graph::Node> train_;
  data::Features features_;
  json::Value model_config_;
  graph::FrozenGraph frozen_;
  std::unique_ptr<train::Batches> batches_;
  std::vector<Step> steps_;
};

struct Times {
  double forward_ms = 0;  // includes making the batch
  double backward_ms = 0;
  double update_ms = 0;
  double processor_ms = 0;
  float last_loss = 0;
};

/// A model in training.
class Training {
 public:
  explicit Training(const Bench& bench)
      : bench_(bench), model_(bench.make_model()), state_(model_, bench.options()), objective_(bench.objective()) {}

  /// Runs all steps in order.
  Times run() {
    Times times;
    const std::clock_t clock = std::clock();
    for (const Step& items : bench_.steps()) {
      Clock::time_point start = Clock::now();
      const auto lap = [&start](double& sum) {
        sum += milliseconds_since(start);
        start = Clock::now();
      };
      const autograd::Variable loss = forward(items, true);
      times.last_loss = loss.value()(0, 0);
      lap(times.forward_ms);
      tape_.backward(loss);
      lap(times.backward_ms);
      state_.adam.step(bench_.options().learning_rate, 1);
      lap(times.update_ms);
    }
    times.processor_ms = 1000.0 * static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
    return times;
  }

  autograd::Variable forward(const Step& items, bool is_training) {
    tape_.reset(is_training);
    const train::PassOptions pass{.tape = tape_, .is_training = is_training, .seed = 1, .step = step_++};
    return objective_.loss(bench_.batches().forward(model_, pass, items), items, labels_);
  }

  nn::Model& model() { return model_; }

 private:
  const Bench& bench_;
  nn::Model model_;
  train::TrainingState state_;
  train::Objective objective_;
  train::BatchLabels labels_;
  autograd::Tape tape_;
  std::uint64_t step_ = 0;
};

io::Tensor tensor(std::string name, std::vector<float> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {std::move(name), {size}, std::move(values)};
}

io::Tensor tensor(std::string name, const Matrix& values) {
  return {std::move(name), {values.rows(), values.cols()}, {values.data(), values.data() + values.size()}};
}

/// Adds rows of `features`: dense, or the number of entries of each row and their columns. Entries must all be 1.
void add_rows(const std::string& name, const data::Features& features, const std::vector<graph::Node>& nodes,
              io::Safetensors& content) {
  if (!features.is_sparse) {
    Matrix rows(static_cast<Eigen::Index>(nodes.size()), features.dense.cols());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)) = features.dense.row(nodes[i]);
    content.tensors.push_back(tensor(name + "rows", rows));
    return;
  }
  std::vector<float> entries, columns;
  for (const graph::Node node : nodes) {
    const std::size_t before = columns.size();
    for (SparseMatrix::InnerIterator entry(features.sparse, node); entry; ++entry) {
      if (entry.value() != 1) throw UsageError("bench_sequences: expected sparse features that are 0 or 1");
      columns.push_back(static_cast<float>(entry.col()));
    }
    entries.push_back(static_cast<float>(columns.size() - before));
  }
  content.tensors.push_back(tensor(name + "entries", std::move(entries)));
  content.tensors.push_back(tensor(name + "columns", std::move(columns)));
}

void write(const std::string& path, const Bench& bench) {
  io::Safetensors content;
  const std::vector<Step>& steps = bench.steps();
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const std::string name = std::to_string(s) + ".";
    std::vector<graph::Node> nodes;
    std::vector<float> sizes, labels;
    for (const std::vector<graph::Node>& graph : bench.graphs_of(steps[s])) {
      sizes.push_back(static_cast<float>(graph.size()));
      nodes.insert(nodes.end(), graph.begin(), graph.end());
    }
    for (const graph::Node item : steps[s]) labels.push_back(static_cast<float>(bench.labels().classes.at(item)));
    content.tensors.push_back(tensor(name + "sizes", std::move(sizes)));
    content.tensors.push_back(tensor(name + "labels", std::move(labels)));
    add_rows(name, bench.features(), nodes, content);
  }
  Training training(bench);
  for (const autograd::Parameter* parameter : training.model().parameters())
    content.tensors.push_back(tensor(parameter->name, parameter->value));
  content.tensors.push_back(tensor("loss", Matrix(training.forward(steps.front(), false).value())));
  content.metadata = {{"steps", std::to_string(steps.size())},
                      {"inputs", std::to_string(bench.features().columns())},
                      {"outputs", std::to_string(bench.labels().names.size())},
                      {"labelled", bench.is_graph_level() ? "graphs" : "nodes"}};
  io::write_safetensors(path, content);
}

void serve(const Bench& bench) {
  const app::PeakMemory peak;
  Training training(bench);
  const float loss = training.run().last_loss;
  const std::optional<std::int64_t> peak_bytes = peak.bytes();
  if (Training(bench).run().last_loss != loss) throw std::logic_error("the losses of two equal trainings differ");
  const auto steps = static_cast<double>(bench.steps().size());
  for (std::string line; std::getline(std::cin, line);) {
    const Times times = training.run();
    fmt::print("{}\n",
               json::dump(json::Object{{"step_ms", (times.forward_ms + times.backward_ms + times.update_ms) / steps},
                                       {"forward_ms", times.forward_ms / steps},
                                       {"backward_ms", times.backward_ms / steps},
                                       {"update_ms", times.update_ms / steps},
                                       {"processor_ms", times.processor_ms / steps},
                                       {"peak_bytes", peak_bytes ? json::Value(*peak_bytes) : json::Value()}}));
    std::fflush(stdout);
  }
}

int answer(const std::vector<std::string>& arguments) {
  if (arguments.size() == 4 && arguments[0] == "--write") {
    write(arguments[1], Bench(arguments[2], app::count_argument("STEPS", arguments[3])));
    return app::kDone;
  }
  if (arguments.size() != 3 || arguments[0] == "--write")
    throw UsageError("usage: bench_sequences --write FILE DATA STEPS | DATA STEPS THREADS");
  set_threads(app::thread_argument(arguments[2]));
  serve(Bench(arguments[0], app::count_argument("STEPS", arguments[1])));
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_sequences", [&] { return answer({argv + 1, argv + argc}); });
}
