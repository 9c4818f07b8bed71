/// Compares the fused attention kernels with their lower bound, reading the rows: nanoseconds per edge, the minimum of
/// many calls, with all cases in turns. `gather` only sums the rows that an edge reads, from one table or two,
/// prefetched a number of edges ahead. With one thread, CPU time is measured, so that other work on the machine matters
/// less.
/// Usage: bench_kernels [flags, see --help]

#include "edgewise/attention/fused/kernels.hpp"

#include <fmt/format.h>
#include <time.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/graph/ordering.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "failure.hpp"
#include "gather.hpp"

namespace {

using namespace edgewise;

struct Arguments {
  std::vector<std::string> graphs = {"uniform:1000:16", "uniform:2048:512", "uniform:100000:16"};
  std::vector<std::string> shapes = {"4x16"};
  std::vector<std::string> scores = attention::score_names();
  std::vector<std::string> normalisers = {"softmax"};
  std::vector<int> distances = {8, 16, 32, 64};
  double dropout = 0;
  int edge_features = 0;
  std::size_t column_blocks = 0;
  int rounds = 5;
  double seconds = 0.05;  ///< For each case in a round.
  int threads = 1;
};

struct Shape {
  int heads;
  int width;
};

Shape parse_shape(const std::string& text) {
  Shape shape{};
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &shape.heads, &shape.width, &rest) != 2 || shape.heads < 1 ||
      shape.heads > kMaxHeads || shape.width < 1)
    throw UsageError(fmt::format("--shapes: expected HEADSxWIDTH, such as 4x16, got \"{}\"", text));
  return shape;
}

graph::FrozenGraph make_graph(const std::string& text) {
  char kind[32] = {};
  std::size_t nodes = 0, degree = 0;
  if (std::sscanf(text.c_str(), "%31[a-z]:%zu:%zu", kind, &nodes, &degree) == 3) {
    const std::string name = kind;
    if (name == "uniform") return graph::freeze(graph::uniform_graph(nodes, degree, 1), nodes);
    if (name == "rmat") return graph::freeze(graph::rmat_graph(nodes, nodes * degree, 1), nodes);
    graph::FrozenGraph shuffled =
        graph::freeze(graph::community_graph({.nodes = nodes, .degree = degree}).incoming, nodes);
    if (name == "communities") return shuffled;
    if (name == "clustered") return graph::permute(shuffled, graph::clustering_order(shuffled));
  }
  throw UsageError(
      fmt::format("--graphs: expected uniform, rmat, communities or clustered as KIND:NODES:DEGREE, got \"{}\"", text));
}

/// The tables for one shape on one graph.
struct Problem {
  const graph::FrozenGraph& graph;
  Shape shape;
  int columns;
  Matrix query, key, value, query_scores, key_scores, vector, edge_weight, edge_bias, output_gradient;
  Matrix output, query_gradient, key_gradient, value_gradient, vector_gradient, edge_weight_gradient,
      edge_bias_gradient;

  Problem(const graph::FrozenGraph& on, Shape of) : graph(on), shape(of), columns(of.heads * of.width) {
    const std::size_t nodes = on.destination_count();
    const auto features = static_cast<std::size_t>(on.edge_features.cols());
    query = bench::random_table(nodes, columns, 2);
    key = bench::random_table(nodes, columns, 3);
    value = bench::random_table(nodes, columns, 4);
    query_scores = bench::random_table(nodes, of.heads, 5);
    key_scores = bench::random_table(nodes, of.heads, 6);
    vector = bench::random_table(1, columns, 7);
    output_gradient = bench::random_table(nodes, columns, 8);
    edge_weight = edge_weight_gradient = bench::random_table(features, columns, 9);
    edge_bias = edge_bias_gradient = bench::random_table(features, of.heads, 10);
    vector_gradient = vector;
    for (Matrix* of_nodes : {&output, &query_gradient, &key_gradient, &value_gradient})
      *of_nodes = bench::random_table(nodes, columns, 11);
  }
};

/// One kernel on a problem, with the memory that it needs.
class KernelCase {
 public:
  KernelCase(Problem& problem, const std::string& score, const std::string& normaliser, const Arguments& arguments)
      : problem_(problem),
        entry_(attention::score_entry(attention::score_named(score))),
        kernels_(attention::kernels(attention::score_named(score), attention::normaliser_named(normaliser))),
        row_statistics_(attention::row_statistics_size(problem.graph, problem.shape.heads, problem.shape.width)) {
    const bool has_features = problem.edge_weight.rows() > 0;
    tables_.heads = problem.shape.heads;
    tables_.width = problem.shape.width;
    tables_.parts.query = (entry_.is_per_head ? problem.query_scores : problem.query).data();
    tables_.parts.key = (entry_.is_per_head ? problem.key_scores : problem.key).data();
    tables_.parts.value = (entry_.value_is_key ? problem.key : problem.value).data();
    if (entry_.has_vector) tables_.parts.attention_vector = problem.vector.data();
    if (has_features && entry_.is_per_head) tables_.parts.edge_bias = problem.edge_bias.data();
    if (has_features && !entry_.is_per_head) tables_.parts.edge_weight = problem.edge_weight.data();
    tables_.dropout = {.probability = static_cast<float>(arguments.dropout), .key = 1};
    tables_.column_blocks = arguments.column_blocks;
    gradients_.query = problem.query_gradient.data();
    gradients_.key = problem.key_gradient.data();
    gradients_.value = (entry_.value_is_key ? problem.key_gradient : problem.value_gradient).data();
    if (entry_.has_vector) gradients_.attention_vector = problem.vector_gradient.data();
    if (tables_.parts.edge_bias != nullptr) gradients_.edge_bias = problem.edge_bias_gradient.data();
    if (tables_.parts.edge_weight != nullptr) gradients_.edge_weight = problem.edge_weight_gradient.data();
  }

  void forward() {
    kernels_.forward(problem_.graph, tables_, problem_.output.data(), row_statistics_.data(), workspace_);
  }
  /// To be called after `forward`. Gradients accumulate from call to call.
  void backward() {
    kernels_.backward(problem_.graph, tables_, problem_.output.data(), problem_.output_gradient.data(),
                      row_statistics_.data(), gradients_, workspace_);
  }

 private:
  Problem& problem_;
  const attention::ScoreEntry& entry_;
  const attention::Kernels& kernels_;
  attention::Tables tables_;
  attention::TableGradients gradients_;
  std::vector<float> row_statistics_;
  Workspace workspace_;
};

struct Case {
  std::string name;
  std::function<void()> prepare;  ///< Before each round, not timed.
  std::function<void()> call;
  double best = 1e30;  ///< Seconds.
};

double seconds_now() {
  if (threads() > 1) return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(std::vector<Case>& cases, const Arguments& arguments, std::size_t edges) {
  for (int round = 0; round < arguments.rounds; ++round)
    for (Case& each : cases) {
      each.prepare();
      double spent = 0;
      while (spent < arguments.seconds) {
        const double start = seconds_now();
        each.call();
        const double seconds = seconds_now() - start;
        each.best = std::min(each.best, seconds);
        spent += seconds;
      }
    }
  for (const Case& each : cases)
    fmt::print("  {:<52} {:8.2f}\n", each.name, 1e9 * each.best / static_cast<double>(std::max<std::size_t>(edges, 1)));
  std::fflush(stdout);
}

void add_gathers(const graph::FrozenGraph& graph, int row_columns, const Arguments& arguments,
                 std::vector<Case>& cases) {
  const auto tables = std::make_shared<bench::Gather>(graph, row_columns);
  for (const int distance : arguments.distances) {
    const std::string of = fmt::format("of {} B, {} edges ahead", 4 * row_columns, distance);
    cases.push_back({"gather one table " + of, [] {}, [=] { tables->one_table(distance); }});
    cases.push_back({"gather two tables " + of, [] {}, [=] { tables->two_tables(distance); }});
  }
}

void run_graph(const std::string& name, const Arguments& arguments) {
  graph::FrozenGraph graph = make_graph(name);
  if (arguments.edge_features > 0)
    graph.edge_features = bench::random_table(graph.slot_count(), arguments.edge_features, 1);
  fmt::print("{}, {} edges\n", name, graph.slot_count());
  for (const std::string& text : arguments.shapes) {
    const Shape shape = parse_shape(text);
    auto problem = std::make_shared<Problem>(graph, shape);
    std::vector<Case> cases;
    add_gathers(graph, problem->columns, arguments, cases);
    for (const std::string& score : arguments.scores)
      for (const std::string& normaliser : arguments.normalisers) {
        const auto kernel = std::make_shared<KernelCase>(*problem, score, normaliser, arguments);
        const std::string what = fmt::format("{} {} {}", score, normaliser, text);
        cases.push_back({what + " forward", [] {}, [=] { kernel->forward(); }});
        cases.push_back({what + " backward", [=] { kernel->forward(); }, [=] { kernel->backward(); }});
      }
    measure(cases, arguments, graph.slot_count());
  }
}

void add_flags(CLI::App& app, Arguments& arguments) {
  const auto list = [&app](const char* flag, auto& values, const char* text) {
    app.add_option(flag, values, text)->delimiter(',')->capture_default_str();
  };
  list("--graphs", arguments.graphs, "KIND:NODES:DEGREE, of kind uniform, rmat, communities or clustered");
  list("--shapes", arguments.shapes, "HEADSxWIDTH");
  list("--scores", arguments.scores, "");
  list("--normalisers", arguments.normalisers, "");
  list("--distances", arguments.distances, "How many edges ahead gathers prefetch");
  app.add_option("--dropout", arguments.dropout, "Probability, of the weights")->check(CLI::Range(0.0, 0.99));
  app.add_option("--edge-features", arguments.edge_features, "Numbers an edge, which add to the key or to the score")
      ->check(CLI::Range(0, 64));
  app.add_option("--column-blocks", arguments.column_blocks, "As many as this power of two; 0: as many as pay")
      ->check(CLI::Range(0, 64));
  app.add_option("--rounds", arguments.rounds, "")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--seconds", arguments.seconds, "Of a case in a round")->capture_default_str();
  app.add_option("--threads", arguments.threads, "")->check(CLI::Range(1, 1024))->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  CLI::App parser("The fused attention kernels beside plain gathers, in nanoseconds an edge");
  add_flags(parser, arguments);
  return app::run_program("bench_kernels", [&]() -> int {
    try {
      parser.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return parser.exit(error);  // --help
      throw UsageError(error.what());
    }
    set_threads(arguments.threads);
    fmt::print("nanoseconds an edge, {}, dropout {}, {}\n",
               counted(static_cast<std::size_t>(arguments.threads), "thread"), arguments.dropout,
               counted(static_cast<std::size_t>(arguments.edge_features), "edge feature"));
    for (const std::string& graph : arguments.graphs) run_graph(graph, arguments);
    return app::kDone;
  });
}
