/// Time and memory of one attention layer on a random graph, with projections, biases and attention along the edges:
/// the forward pass, or forward and backward to the weights. Also measures the attention alone. 64 features in, 64
/// columns out, 4 heads x 16 by default.
///   bench_attention_layer --write FILE NODES DEGREE   makes the graph and the features, for other programs as well
///   bench_attention_layer FILE SCORE PASS THREADS [HEADS]
///       SCORE: gat, gatv2, bahdanau or dot_product; PASS: forward or training; HEADS: a divisor of 64
/// The second form reads a number of calls from each line of standard input and answers with a line of JSON: the times
/// of those calls, and the peak memory so far on top of the graph, the features and the weights.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <ostream>
#include <string>
#include <vector>

#include "edgewise/attention/variants.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "edgewise/nn/model.hpp"
#include "failure.hpp"
#include "process_memory.hpp"

namespace {

using namespace edgewise;

constexpr int kInputs = 64;
constexpr int kOutputs = 64;  ///< All heads together.

struct LayerOptions {
  std::string score;
  int heads = 4;
  bool is_training = false;

  int width() const { return kOutputs / heads; }
};

Matrix random_matrix(std::size_t rows, int columns, std::uint64_t which) {
  Random random(1, Stream::generate, which);
  return Matrix::NullaryExpr(static_cast<Eigen::Index>(rows), columns,
                             [&] { return static_cast<float>(random.normal()); });
}

/// File format: the numbers of nodes and edges as 64-bit integers, all sources, all targets, then the features as
/// 32-bit floats, row by row.
void write_graph(const std::string& path, std::size_t nodes, std::size_t degree) {
  const graph::Csr csr = graph::uniform_graph(nodes, degree, 1);
  const Matrix features = random_matrix(nodes, kInputs, 1);
  std::vector<std::uint64_t> numbers = {nodes, csr.slots()};
  numbers.insert(numbers.end(), csr.columns.begin(), csr.columns.end());
  for (std::size_t row = 0; row < csr.rows(); ++row)
    numbers.insert(numbers.end(), csr.offsets[row + 1] - csr.offsets[row], row);
  write_file_atomically(path, [&](std::ostream& out) {
    out.write(reinterpret_cast<const char*>(numbers.data()),
              static_cast<std::streamsize>(numbers.size() * sizeof(std::uint64_t)));
    out.write(reinterpret_cast<const char*>(features.data()),
              static_cast<std::streamsize>(static_cast<std::size_t>(features.size()) * sizeof(float)));
  });
}

struct Data {
  graph::FrozenGraph graph;
  Matrix features;
};

/// The edges are sorted by target, as `write_graph` writes them.
Data read_graph(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: cannot be opened", path));
  const std::uint64_t largest = std::filesystem::file_size(path) / sizeof(std::uint64_t);
  const auto read = [&](std::size_t count) {
    std::vector<std::uint64_t> numbers(count);
    in.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(std::uint64_t)));
    return numbers;
  };
  const DataError refusal(fmt::format("{}: not a graph of --write", path));
  const std::vector<std::uint64_t> sizes = read(2);
  if (!in || sizes[0] > largest || sizes[1] > largest) throw refusal;
  graph::Csr csr;
  for (const std::uint64_t source : read(sizes[1])) csr.columns.push_back(static_cast<graph::Node>(source));
  csr.offsets.assign(sizes[0] + 1, 0);
  for (const std::uint64_t target : read(sizes[1])) {
    if (target >= sizes[0]) throw refusal;
    ++csr.offsets[target + 1];
  }
  for (std::size_t row = 0; row < sizes[0]; ++row) csr.offsets[row + 1] += csr.offsets[row];
  Data data{graph::freeze(std::move(csr), sizes[0]), Matrix(static_cast<Eigen::Index>(sizes[0]), kInputs)};
  in.read(reinterpret_cast<char*>(data.features.data()),
          static_cast<std::streamsize>(static_cast<std::size_t>(data.features.size()) * sizeof(float)));
  if (!in) throw refusal;
  return data;
}

/// Matches the defaults of PyTorch Geometric's layers: TransformerConv adds a linear map of the input to the attention.
json::Value layer_config(const LayerOptions& options) {
  json::Object block = {{"type", options.score}, {"width", options.width()}, {"heads", options.heads}};
  if (options.score == "dot_product") block.emplace_back("residual", "projection");
  return json::Value(json::Object{{"blocks", json::Array{json::Value(block)}}}).rooted_at("bench_attention_layer");
}

/// The whole layer, as a model of this library.
class Layer {
 public:
  Layer(const Data& data, const LayerOptions& options)
      : data_(data),
        is_training_(options.is_training),
        model_(layer_config(options), {.inputs = kInputs, .outputs = kOutputs}, 1),
        tape_(options.is_training) {}

  void call() {
    tape_.reset(is_training_);
    nn::ForwardContext context{.tape = tape_, .masks = {{"edges", &data_.graph}}, .is_training = is_training_};
    const autograd::Variable features = tape_.constant(data_.features);
    const autograd::Variable output = model_.forward(context, {.dense = features});
    if (!is_training_) return;
    for (autograd::Parameter* parameter : model_.parameters()) parameter->gradient.setZero();
    tape_.backward(autograd::sum(autograd::multiply(output, features)));
  }

 private:
  const Data& data_;
  bool is_training_;
  nn::Model model_;
  autograd::Tape tape_;
};

attention::AttentionInputs operator_inputs(const Data& data, const LayerOptions& options) {
  const std::size_t nodes = data.graph.destination_count();
  attention::AttentionInputs inputs;
  inputs.score = attention::score_named(options.score);
  inputs.heads = options.heads;
  inputs.width = options.width();
  const int columns = inputs.score->columns(options.heads, options.width());
  inputs.query = random_matrix(nodes, columns, 2);
  inputs.key = random_matrix(nodes, columns, 3);
  if (!inputs.score->value_is_key) inputs.value = random_matrix(nodes, kOutputs, 4);
  if (inputs.score->has_vector) inputs.attention_vector = random_matrix(1, kOutputs, 5);
  return inputs;
}

template <class Call>
json::Array time_calls(int calls, Call&& call) {
  json::Array times;
  for (int i = 0; i < calls; ++i) {
    const Clock::time_point start = Clock::now();
    call();
    times.emplace_back(milliseconds_since(start));
  }
  return times;
}

void serve(const Data& data, const LayerOptions& options) {
  Layer layer(data, options);
  const app::PeakMemory peak;
  layer.call();
  const std::optional<std::int64_t> peak_bytes = peak.bytes();
  const attention::AttentionInputs inputs = operator_inputs(data, options);
  const Matrix output_gradient = random_matrix(data.graph.destination_count(), kOutputs, 6);
  attention::Attention attention(attention::Variant::sparse_fused,
                                 options.is_training ? attention::Purpose::training : attention::Purpose::inference,
                                 data.graph, inputs);
  const auto call_operator = [&] {
    attention.forward();
    if (options.is_training) attention.backward(output_gradient);
  };
  call_operator();
  for (int calls = 0; std::cin >> calls;) {
    json::Object answer = {{"layer_ms", time_calls(calls, [&] { layer.call(); })},
                           {"operator_ms", time_calls(calls, call_operator)},
                           {"peak_bytes", peak_bytes ? json::Value(*peak_bytes) : json::Value()}};
    fmt::print("{}\n", json::dump(answer));
    std::fflush(stdout);
  }
}

int answer(const std::vector<std::string>& arguments) {
  if (arguments.size() == 4 && arguments[0] == "--write") {
    write_graph(arguments[1], app::count_argument("NODES", arguments[2]), app::count_argument("DEGREE", arguments[3]));
    return app::kDone;
  }
  if (arguments.size() < 4 || arguments.size() > 5)
    throw UsageError("usage: bench_attention_layer --write FILE NODES DEGREE | FILE SCORE PASS THREADS [HEADS]");
  if (arguments[2] != "forward" && arguments[2] != "training")
    throw UsageError(fmt::format("PASS: expected forward or training, got \"{}\"", arguments[2]));
  LayerOptions options;
  options.score = arguments[1];
  options.is_training = arguments[2] == "training";
  if (arguments.size() > 4)
    options.heads = static_cast<int>(std::min<std::size_t>(app::count_argument("HEADS", arguments[4]), kOutputs + 1));
  if (kOutputs % options.heads != 0)
    throw UsageError(fmt::format("HEADS: expected a divisor of {}, got {}", kOutputs, arguments[4]));
  set_threads(app::thread_argument(arguments[3]));
  serve(read_graph(arguments[0]), options);
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_attention_layer", [&] { return answer({argv + 1, argv + argc}); });
}
