/// Time of the first layer of a network on a bag of words, dense and sparse: 64 columns, one thread unless THREADS is
/// set in the environment.
/// Usage: bench_first_layer [Google Benchmark's flags]

#include <benchmark/benchmark.h>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/core/product.hpp"
#include "edgewise/core/random.hpp"
#include "run_benchmarks.hpp"

namespace {

using namespace edgewise;

constexpr int kColumns = 64;

Matrix random_matrix(std::size_t rows, int columns, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  return Matrix::NullaryExpr(static_cast<Eigen::Index>(rows), columns,
                             [&] { return static_cast<float>(random.normal()); });
}

/// A bag of words of the size of Cora: 2,708 rows, 1,433 words, 49,216 non-zeros.
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
  Workspace workspace;
  for (auto _ : state) multiply(words.dense, words.weight, words.output, workspace);
}

void first_layer_sparse(benchmark::State& state) {
  BagOfWords words;
  const autograd::SparseInput input(words.sparse);
  autograd::Tape tape;
  for (auto _ : state) {
    tape.reset(false);
    const autograd::Variable weight = tape.constant(words.weight);
    benchmark::DoNotOptimize(autograd::sparse_linear({.input = &input}, weight).value().data());
  }
}

BENCHMARK(first_layer_dense)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(first_layer_sparse)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace

int main(int argc, char** argv) { return edgewise::run_benchmarks(argc, argv); }
