/// One training step on a batch of 128 molecules: four GATv2 layers of 64 (4 heads x 16), mean readout, one target.
/// Usage: bench_molecules [--graphs FILE] MOLECULES.csv [THREADS]
/// Prints one line of JSON: the median and the minimum time of a step, the time to make the batch, and the peak memory.
/// With --graphs it writes the batch for other programs: {"sizes": [...], "sources": [...], "targets": [...]}, with
/// arcs in both directions. Before timing, the same steps are run twice and must give bitwise equal losses.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/loop/training_state.hpp"
#include "failure.hpp"

namespace {

using namespace edgewise;

constexpr std::size_t kMolecules = 128;
constexpr int kWidth = 64;
constexpr int kWarmUp = 10;
constexpr int kSteps = 60;

json::Value model_config() {
  json::Array blocks;
  for (int layer = 0; layer < 4; ++layer) {
    blocks.push_back(json::parse(R"({"type": "gatv2", "heads": 4, "width": 16})", "bench_molecules"));
    blocks.push_back(json::parse(R"({"type": "activation", "function": "relu"})", "bench_molecules"));
  }
  blocks.push_back(json::parse(R"({"type": "readout", "kind": "mean"})", "bench_molecules"));
  blocks.push_back(json::parse(R"({"type": "linear", "width": "outputs"})", "bench_molecules"));
  const json::Value model = json::Object{{"graph", json::Object{{"self_loops", true}}}, {"blocks", blocks}};
  return model.rooted_at("bench_molecules");
}

/// Everything a step needs.
struct Bench {
  data::Features features;
  data::Labels labels;
  graph::GraphUnion graphs;
  std::vector<graph::Node> items;
};

struct Times {
  std::vector<double> step_ms;
  float last_loss = 0;
};

Times run(const Bench& bench) {
  train::GraphBatches batches(bench.features, bench.graphs);
  nn::Model model(model_config(), {.inputs = kWidth, .outputs = 1, .edge_features = 0}, 1);
  const train::TrainOptions options;
  train::TrainingState state(model, options);
  const train::Objective objective(bench.labels, bench.items, options);
  train::BatchLabels batch;
  autograd::Tape tape;
  Times times;
  for (int step = 0; step < kWarmUp + kSteps; ++step) {
    const Clock::time_point start = Clock::now();
    tape.reset(true);
    const train::PassOptions pass{
        .tape = tape, .is_training = true, .seed = 1, .step = static_cast<std::uint64_t>(step)};
    const autograd::Variable loss =
        objective.loss(batches.forward(model, pass, bench.items), bench.items, batch);
    times.last_loss = loss.value()(0, 0);
    tape.backward(loss);
    state.adam.step(options.learning_rate, 1);
    if (step >= kWarmUp) times.step_ms.push_back(milliseconds_since(start));
  }
  return times;
}

void write_graphs(const std::string& path, const Bench& bench) {
  json::Array sizes, sources, targets;
  for (graph::GraphIndex g = 0; g < bench.graphs.graph_count(); ++g)
    sizes.emplace_back(static_cast<std::int64_t>(bench.graphs.size_of(g)));
  const graph::Csr& incoming = bench.graphs.graph.incoming;
  for (graph::Node target = 0; target < incoming.rows(); ++target)
    for (graph::EdgeIndex slot = incoming.offsets[target]; slot < incoming.offsets[target + 1]; ++slot) {
      if (bench.graphs.graph.edge[slot] == graph::kAddedSelfLoop) continue;
      sources.emplace_back(static_cast<std::int64_t>(incoming.columns[slot]));
      targets.emplace_back(static_cast<std::int64_t>(target));
    }
  const std::string text = json::dump(json::Object{{"sizes", sizes}, {"sources", sources}, {"targets", targets}});
  write_file_atomically(path, [&](std::ostream& out) { out << text << '\n'; });
}

Bench make_bench(const std::string& path) {
  const io::MoleculeTable table = io::read_molecule_table(path);
  const std::vector<std::string> smiles(table.smiles.begin(),
                                        table.smiles.begin() + std::min(table.rows(), kMolecules));
  const data::Molecules molecules = data::featurise_molecules(smiles, {.features = "elements/1"});
  Bench bench;
  bench.graphs = {graph::freeze(molecules.graph, {.self_loops = graph::AddSelfLoops::yes}), molecules.offsets};
  Random random(1, Stream::generate);
  bench.features.dense = Matrix::NullaryExpr(static_cast<Eigen::Index>(molecules.graph.node_count()), kWidth,
                                             [&] { return static_cast<float>(random.normal()); });
  bench.labels.task = data::Task::regression;
  bench.labels.names = {"target"};
  bench.labels.targets = Matrix::NullaryExpr(static_cast<Eigen::Index>(smiles.size()), 1,
                                             [&] { return static_cast<float>(random.normal()); });
  bench.items.resize(smiles.size());
  std::iota(bench.items.begin(), bench.items.end(), graph::Node{0});
  return bench;
}

double batch_ms(const Bench& bench) {
  std::vector<double> times;
  for (int i = 0; i < kSteps; ++i) {
    const Clock::time_point start = Clock::now();
    const graph::GraphUnion batch = graph::select(bench.graphs, bench.items);
    const graph::FrozenGraph readout = graph::readout_mask(batch.offsets);
    times.push_back(milliseconds_since(start));
    if (readout.slot_count() != batch.graph.destination_count())
      throw std::logic_error("a batch is not read out whole");
  }
  return train::median(times);
}

int measure_steps(std::vector<std::string> arguments) {
  std::string graphs;
  if (arguments.size() >= 2 && arguments[0] == "--graphs") {
    graphs = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  if (arguments.empty() || arguments.size() > 2)
    throw UsageError("usage: bench_molecules [--graphs FILE] MOLECULES.csv [THREADS]");
  set_threads(arguments.size() > 1 ? app::thread_argument(arguments[1]) : 1);
  const Bench bench = make_bench(arguments[0]);
  if (!graphs.empty()) write_graphs(graphs, bench);
  const Times first = run(bench);
  const Times times = run(bench);
  if (first.last_loss != times.last_loss) throw std::logic_error("the losses of two equal trainings differ");
  const double least = *std::min_element(times.step_ms.begin(), times.step_ms.end());
  fmt::print("{}\n", json::dump(json::Object{{"step_ms", train::median(times.step_ms)},
                                             {"least_ms", least},
                                             {"batch_ms", batch_ms(bench)},
                                             {"molecules", static_cast<std::int64_t>(bench.items.size())},
                                             {"atoms", static_cast<std::int64_t>(bench.features.dense.rows())},
                                             {"threads", threads()},
                                             {"peak_rss_mib", peak_rss_mib()}}));
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_molecules", [&] { return measure_steps({argv + 1, argv + argc}); });
}
