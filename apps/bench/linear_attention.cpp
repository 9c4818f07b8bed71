/// Time of attention between all nodes of a graph at linear cost, forward and backward, 4 heads of 16 columns, beside
/// attention over all pairs and along 16 random edges a node. One thread unless THREADS is set in the environment.
/// Usage: bench_linear_attention [Google Benchmark's flags]

#include <benchmark/benchmark.h>

#include <functional>

#include "edgewise/autograd/attention.hpp"
#include "edgewise/autograd/linear_attention.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "run_benchmarks.hpp"

namespace {

using namespace edgewise;
using autograd::Variable;

constexpr int kHeads = 4;
constexpr int kColumns = 64;
constexpr std::size_t kDegree = 16;

Matrix random_rows(std::size_t rows, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  return Matrix::NullaryExpr(static_cast<Eigen::Index>(rows), kColumns,
                             [&] { return static_cast<float>(random.normal()); });
}

/// Times `attend(query, key, value)`, and its gradients.
void time_step(benchmark::State& state, const std::function<Variable(Variable, Variable, Variable)>& attend) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  autograd::Parameter query("query", random_rows(nodes, 1)), key("key", random_rows(nodes, 2)),
      value("value", random_rows(nodes, 3));
  autograd::Tape tape;
  for (auto _ : state) {
    tape.reset();
    const Variable y = attend(tape.parameter(query), tape.parameter(key), tape.parameter(value));
    Variable loss = tape.make(1, 1, true);
    tape.on_backward(loss, [y] { y.gradient().setOnes(); });
    tape.backward(loss);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void linear(benchmark::State& state, autograd::LinearAttentionOptions options) {
  options.heads = kHeads;
  const graph::Node offsets[] = {0, static_cast<graph::Node>(state.range(0))};
  const graph::FrozenGraph graphs = graph::readout_mask(offsets);
  time_step(state, [&](Variable q, Variable k, Variable v) { return linear_attention(graphs, q, k, v, options); });
}

void along(benchmark::State& state, const graph::FrozenGraph& mask) {
  time_step(state, [&](Variable q, Variable k, Variable v) {
    return autograd::attend(mask, {.query = q, .key = k, .value = v}, {.heads = kHeads});
  });
}

void elu(benchmark::State& state) { linear(state, {}); }
void causal(benchmark::State& state) { linear(state, {.is_causal = true}); }
void sgformer(benchmark::State& state) { linear(state, {.kernel = autograd::LinearKernel::sgformer}); }

void edges(benchmark::State& state) {
  const auto nodes = static_cast<std::size_t>(state.range(0));
  along(state, graph::freeze(graph::uniform_graph(nodes, kDegree, 1), nodes));
}

void all_pairs(benchmark::State& state) {
  const graph::Node offsets[] = {0, static_cast<graph::Node>(state.range(0))};
  along(state, graph::complete_mask(offsets));
}

void million(benchmark::internal::Benchmark* bench) {
  bench->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond)->UseRealTime();
}

BENCHMARK(elu)->Apply(million);
BENCHMARK(sgformer)->Apply(million);
BENCHMARK(causal)->Apply(million);
BENCHMARK(edges)->Apply(million);
BENCHMARK(all_pairs)->Arg(1'000)->Arg(3'000)->Arg(10'000)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) { return edgewise::run_benchmarks(argc, argv); }
