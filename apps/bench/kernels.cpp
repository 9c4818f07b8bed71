/// What each attention kernel costs beside the limits of the machine: nanoseconds an edge, bytes gathered and
/// arithmetic a second. 4 heads x 16, one thread unless THREADS is set in the environment. The name of each line ends in
/// the number of nodes, of edges a node, and the kind of graph: 0 uniform, 1 a power law (R-MAT), 2 communities with
/// shuffled ids, 3 the same put into the clustering order.
/// Usage: bench_kernels [Google Benchmark's flags]

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "edgewise/attention/additive.hpp"
#include "edgewise/attention/dot_product.hpp"
#include "edgewise/attention/gatv2.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/core/simd.hpp"
#include "edgewise/graph/ordering.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "failure.hpp"

namespace {

using namespace edgewise;
using attention::Storage;

constexpr int kHeads = 4;
constexpr int kWidth = 16;
constexpr int kColumns = kHeads * kWidth;
template <Storage kStorage>
constexpr double kRowBytes = kColumns * (kStorage == Storage::float32 ? 4.0 : 2.0);

Matrix random_matrix(std::size_t rows, int columns, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  Matrix matrix(static_cast<Eigen::Index>(rows), columns);
  ask_for_large_pages(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(float));
  return matrix = Matrix::NullaryExpr(matrix.rows(), matrix.cols(), [&] { return static_cast<float>(random.normal()); });
}

enum Kind : std::int64_t { kUniform, kPowerLaw, kCommunities, kClustered };

graph::FrozenGraph make_graph(std::size_t nodes, std::size_t degree, std::int64_t kind) {
  if (kind == kUniform) return graph::freeze(graph::uniform_graph(nodes, degree, 1), nodes);
  if (kind == kPowerLaw) return graph::freeze(graph::rmat_graph(nodes, nodes * degree, 1), nodes);
  const graph::FrozenGraph shuffled =
      graph::freeze(graph::community_graph({.nodes = nodes, .degree = degree}).incoming, nodes);
  return kind == kCommunities ? shuffled : graph::permute(shuffled, graph::clustering_order(shuffled));
}

struct Problem {
  graph::FrozenGraph graph;
  Matrix query, key, value, source_score, destination_score, vector, output_gradient;
  Matrix output, log_sum_exp, dot, positive, positive_weight;
  Matrix query_gradient, key_gradient, value_gradient, source_gradient, destination_gradient, vector_gradient;
  std::vector<float> partials;

  Problem(std::size_t nodes, std::size_t degree, std::int64_t kind) : graph(make_graph(nodes, degree, kind)) {
    query = random_matrix(nodes, kColumns, 2);
    key = random_matrix(nodes, kColumns, 3);
    value = random_matrix(nodes, kColumns, 4);
    source_score = random_matrix(nodes, kHeads, 5);
    destination_score = random_matrix(nodes, kHeads, 6);
    vector = random_matrix(1, kColumns, 7);
    output_gradient = random_matrix(nodes, kColumns, 8);
    for (Matrix* like_rows : {&output, &positive, &query_gradient, &key_gradient, &value_gradient})
      like_rows->setZero(query.rows(), kColumns);
    for (Matrix* like_heads : {&log_sum_exp, &dot, &positive_weight, &source_gradient, &destination_gradient})
      like_heads->setZero(query.rows(), kHeads);
    vector_gradient.setZero(1, kColumns);
    partials.resize(graph.incoming_chunks.size() * kColumns);
  }
};

/// The one that was made last is kept.
Problem& problem_of(const benchmark::State& state) {
  static std::array<std::int64_t, 3> made;
  static std::unique_ptr<Problem> problem;
  const std::array wanted{state.range(0), state.range(1), state.range(2)};
  if (problem && made == wanted) return *problem;
  problem.reset();
  problem = std::make_unique<Problem>(static_cast<std::size_t>(wanted[0]), static_cast<std::size_t>(wanted[1]),
                                      wanted[2]);
  made = wanted;
  return *problem;
}

/// `bytes` and `operations` an edge.
void count(benchmark::State& state, const Problem& problem, double bytes, double operations) {
  using benchmark::Counter;
  const auto edges = static_cast<double>(problem.graph.slot_count());
  state.counters["bytes/s"] = Counter(edges * bytes, Counter::kIsIterationInvariantRate, Counter::kIs1024);
  if (operations > 0) state.counters["flop/s"] = Counter(edges * operations, Counter::kIsIterationInvariantRate);
  state.counters["s/edge"] = Counter(edges, Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// The limit: rows of both tables summed, nothing else.
template <int kTables>
void gather(benchmark::State& state) {
  Problem& p = problem_of(state);
  const float* tables[2] = {p.key.data(), p.value.data()};
  for (auto _ : state) {
    parallel_chunks(p.graph.incoming_chunks.size() - 1, [&](std::size_t chunk) {
      for (graph::Node row = p.graph.incoming_chunks[chunk]; row < p.graph.incoming_chunks[chunk + 1]; ++row) {
        simd::Float16 sum[4 * kTables] = {};
        const graph::Node* columns = p.graph.incoming.columns.data();
        for (graph::EdgeIndex slot = p.graph.incoming.offsets[row]; slot < p.graph.incoming.offsets[row + 1]; ++slot) {
          const std::size_t ahead = std::min<std::size_t>(slot + 12, p.graph.slot_count() - 1);
          for (int t = 0; t < kTables; ++t) {
            const float* next = tables[t] + columns[ahead] * std::size_t{kColumns};
            for (int c = 0; c < kColumns; c += 16) __builtin_prefetch(next + c);
            const float* from = tables[t] + columns[slot] * std::size_t{kColumns};
            for (int v = 0; v < 4; ++v) sum[t * 4 + v] += simd::load_wide(from + v * 16);
          }
        }
        float* to = p.output.data() + row * std::size_t{kColumns};
        for (int v = 0; v < 4; ++v) simd::store_wide(to + v * 16, sum[v] + sum[4 * (kTables - 1) + v]);
      }
    });
    benchmark::ClobberMemory();
  }
  count(state, p, 256.0 * kTables, 64.0 * kTables);
}

attention::DotProductInputs dot_product_inputs(const Problem& p, Storage storage) {
  return {.heads = kHeads,
          .width = kWidth,
          .query = p.query.data(),
          .key = p.key.data(),
          .value = p.value.data(),
          .storage = storage};
}

template <Storage kStorage>
void dot_product_forward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::DotProductInputs inputs = dot_product_inputs(p, kStorage);
  for (auto _ : state)
    attention::dot_product_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), {}, nullptr);
  count(state, p, 2 * kRowBytes<kStorage>, 4.0 * kColumns);
}

template <Storage kStorage>
void dot_product_backward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::DotProductInputs inputs = dot_product_inputs(p, kStorage);
  attention::dot_product_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), {}, nullptr);
  for (auto _ : state)
    attention::dot_product_backward(p.graph, inputs, {}, p.output.data(), p.output_gradient.data(),
                                    {p.log_sum_exp.data(), p.dot.data()}, {}, p.partials.data(),
                                    {p.query_gradient.data(), p.key_gradient.data(), p.value_gradient.data()});
  count(state, p, 4 * kRowBytes<kStorage> + 32, 14.0 * kColumns);
}

attention::Gatv2Inputs gatv2_inputs(const Problem& p, Storage storage) {
  return {.heads = kHeads,
          .width = kWidth,
          .key = p.key.data(),
          .query = p.query.data(),
          .value = p.key.data(),
          .attention_vector = p.vector.data(),
          .storage = storage};
}

template <Storage kStorage>
void gatv2_forward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::Gatv2Inputs inputs = gatv2_inputs(p, kStorage);
  for (auto _ : state)
    attention::gatv2_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), {}, nullptr);
  count(state, p, kRowBytes<kStorage>, 7.0 * kColumns);
}

template <Storage kStorage>
void gatv2_backward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::Gatv2Inputs inputs = gatv2_inputs(p, kStorage);
  attention::gatv2_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), {}, nullptr);
  attention::Gatv2Gradients gradients;
  gradients.key = gradients.value = p.key_gradient.data();
  gradients.query = p.query_gradient.data();
  gradients.attention_vector = p.vector_gradient.data();
  for (auto _ : state)
    attention::gatv2_backward(p.graph, inputs, {}, p.output.data(), p.output_gradient.data(),
                              {p.log_sum_exp.data(), p.dot.data()}, {}, p.partials.data(), gradients);
  count(state, p, 3 * kRowBytes<kStorage> + 32, 25.0 * kColumns);
}

attention::AdditiveInputs additive_inputs(const Problem& p, Storage storage) {
  return {.heads = kHeads,
          .width = kWidth,
          .source_score = p.source_score.data(),
          .destination_score = p.destination_score.data(),
          .value = p.value.data(),
          .storage = storage};
}

template <Storage kStorage>
void additive_forward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::AdditiveInputs inputs = additive_inputs(p, kStorage);
  for (auto _ : state)
    attention::additive_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), {}, nullptr);
  count(state, p, kRowBytes<kStorage> + 16, 2.0 * kColumns);
}

template <Storage kStorage>
void additive_backward(benchmark::State& state) {
  Problem& p = problem_of(state);
  const attention::AdditiveInputs inputs = additive_inputs(p, kStorage);
  const attention::PositivePart positive{p.positive.data(), p.positive_weight.data()};
  attention::additive_forward(p.graph, inputs, {}, p.output.data(), p.log_sum_exp.data(), positive, nullptr);
  for (auto _ : state)
    attention::additive_backward(p.graph, inputs, {}, p.output.data(), p.output_gradient.data(),
                                 {p.log_sum_exp.data(), p.dot.data()}, positive, nullptr,
                                 {p.source_gradient.data(), p.destination_gradient.data(), p.value_gradient.data(),
                                  nullptr});
  count(state, p, kRowBytes<kStorage> + 32, 4.0 * kColumns);
}

/// Fused multiply-adds in registers: the limit of arithmetic.
void multiply_add(benchmark::State& state) {
  simd::Float16 sums[12];
  for (int i = 0; i < 12; ++i) sums[i] = simd::Float16{} + static_cast<float>(i);
  simd::Float16 factor = simd::Float16{} + 0.999F;
  benchmark::DoNotOptimize(factor);
  for (auto _ : state) {
    for (int step = 0; step < 1000; ++step)
      for (int i = 0; i < 12; ++i) sums[i] = sums[i] * factor + factor;
    benchmark::DoNotOptimize(sums);
  }
  state.counters["flop/s"] = benchmark::Counter(2.0 * 16 * 12 * 1000, benchmark::Counter::kIsIterationInvariantRate);
}

/// The first layer of a network on a bag of words of Cora's size: 2,708 rows of 1,433 words, 49,216 of them not 0.
struct BagOfWords {
  SparseMatrix sparse;
  Matrix dense, weight, output;

  BagOfWords() {
    constexpr Eigen::Index kNodes = 2708, kWords = 1433, kNonZeros = 49'216;
    Random random(1, Stream::generate);
    dense.setZero(kNodes, kWords);
    for (Eigen::Index placed = 0; placed < kNonZeros;) {
      const auto node = static_cast<Eigen::Index>(random.below(kNodes));
      float& value = dense(node, static_cast<Eigen::Index>(random.below(kWords)));
      placed += value == 0 ? 1 : 0;
      value = 1;
    }
    sparse = dense.sparseView();
    weight = random_matrix(kWords, kColumns, 2);
    output.setZero(kNodes, kColumns);
  }
};

void first_layer_dense(benchmark::State& state) {
  BagOfWords words;
  for (auto _ : state) multiply(words.dense, words.weight, words.output, Result::replace);
}

void first_layer_sparse(benchmark::State& state) {
  BagOfWords words;
  const autograd::SparseInput input(words.sparse);
  autograd::Tape tape;
  for (auto _ : state) {
    tape.reset(false);
    const autograd::Variable weight = tape.constant(words.weight);
    benchmark::DoNotOptimize(autograd::sparse_linear({&input}, weight).value().data());
  }
}

/// Nodes, edges a node, and the kind of graph.
void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({1000, 16, kUniform})->Args({2048, 512, kUniform})->Args({4096, 1024, kUniform});
  benchmark->Args({20'000, 16, kUniform});
  benchmark->Args({100'000, 16, kUniform})->Args({1'000'000, 16, kUniform})->Args({1'000'000, 16, kPowerLaw});
  benchmark->Args({1'000'000, 16, kCommunities})->Args({1'000'000, 16, kClustered});
  benchmark->Unit(benchmark::kMillisecond)->UseRealTime();
  benchmark->ComputeStatistics(
      "min", [](const std::vector<double>& times) { return *std::min_element(times.begin(), times.end()); });
}

BENCHMARK(multiply_add);
BENCHMARK(first_layer_dense)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(first_layer_sparse)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(gather<1>)->Apply(sizes);
BENCHMARK(gather<2>)->Apply(sizes);
BENCHMARK(additive_forward<Storage::float32>)->Name("additive_forward")->Apply(sizes);
BENCHMARK(additive_forward<Storage::bfloat16>)->Name("additive_forward_bfloat16")->Apply(sizes);
BENCHMARK(gatv2_forward<Storage::float32>)->Name("gatv2_forward")->Apply(sizes);
BENCHMARK(gatv2_forward<Storage::bfloat16>)->Name("gatv2_forward_bfloat16")->Apply(sizes);
BENCHMARK(dot_product_forward<Storage::float32>)->Name("dot_product_forward")->Apply(sizes);
BENCHMARK(dot_product_forward<Storage::bfloat16>)->Name("dot_product_forward_bfloat16")->Apply(sizes);
BENCHMARK(additive_backward<Storage::float32>)->Name("additive_backward")->Apply(sizes);
BENCHMARK(additive_backward<Storage::bfloat16>)->Name("additive_backward_bfloat16")->Apply(sizes);
BENCHMARK(gatv2_backward<Storage::float32>)->Name("gatv2_backward")->Apply(sizes);
BENCHMARK(gatv2_backward<Storage::bfloat16>)->Name("gatv2_backward_bfloat16")->Apply(sizes);
BENCHMARK(dot_product_backward<Storage::float32>)->Name("dot_product_backward")->Apply(sizes);
BENCHMARK(dot_product_backward<Storage::bfloat16>)->Name("dot_product_backward_bfloat16")->Apply(sizes);

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_kernels", [&]() -> int {
    const char* threads = std::getenv("THREADS");
    set_threads(threads != nullptr ? app::thread_argument(threads) : 1);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return app::kUsage;
    benchmark::RunSpecifiedBenchmarks();
    return app::kDone;
  });
}
