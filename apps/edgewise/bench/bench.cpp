#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "bench/page.hpp"
#include "bench/report.hpp"
#include "edgewise/attention/options.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "flags.hpp"
#include "interrupt.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "session.hpp"

namespace edgewise::app {

using attention::Variant;

namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr std::size_t kMaxNodes = 1'000'000;
constexpr std::chrono::seconds kApart{10};

struct BenchArguments {
  BenchOptions options;
  std::vector<std::size_t> nodes = {256, 1024, 4096, 16384};
  std::vector<double> densities = {0.001, 0.01, 0.05, 0.25, 0.5, 1};
  std::string graph;
  std::optional<graph::Mask> mask;
  std::string mask_name;
  json::Value flags{json::Object{}};
  double maximal_gibibytes = 0;  ///< 0: half of what is available.
  std::string json_path;
  std::string csv_path;
  std::string html_path;

  bool has_graph() const { return !graph.empty() || flags.find("data") != nullptr; }
};

/// The position of `text` among `names`.
std::size_t choose(const std::string& flag, const std::string& text, const std::vector<std::string>& names) {
  const auto at = std::find(names.begin(), names.end(), text);
  if (at == names.end())
    throw UsageError(fmt::format("{}: expected {}, got \"{}\"{}", flag, fmt::join(names, ", "), text,
                                 did_you_mean(text, names)));
  return static_cast<std::size_t>(at - names.begin());
}

/// A flag whose value is one of `names`, the first of them by default; `set` gets its position.
template <class Set>
void add_choice(CLI::App& verb, const std::string& flag, const std::vector<std::string>& names,
                const std::string& description, Set set) {
  verb.add_option_function<std::string>(
          flag, [flag, names, set](const std::string& text) { set(choose(flag, text, names)); },
          fmt::format("{}: {}", description, fmt::join(names, ", ")));
}

/// One mask of a sweep: random edges of this density, to which a mask rule may be applied.
struct Task {
  std::size_t nodes = 0;
  double density = 0;
};

/// Whether the masks of the sweep are random edges, or made from them.
bool has_densities(const BenchArguments& arguments) { return !arguments.mask || arguments.mask->rule->needs_edges; }

std::vector<Task> sweep_of(const BenchArguments& arguments) {
  std::vector<Task> tasks;
  for (const std::size_t nodes : arguments.nodes)
    for (const double density : has_densities(arguments) ? arguments.densities : std::vector<double>{0})
      tasks.push_back({nodes, density});
  return tasks;
}

/// The mask that the rule makes from one graph; without a rule, `edges` itself. Throws UsageError if it takes more
/// memory than the benchmark may use.
graph::FrozenGraph mask_over(graph::FrozenGraph edges, const std::optional<graph::Mask>& rule, double max_bytes) {
  if (!rule) return edges;
  const graph::Node offsets[] = {0, static_cast<graph::Node>(edges.destination_count())};
  const double slots = std::clamp(max_bytes / mask_bytes(0, 0, 1), 0.0, static_cast<double>(graph::kMaxMaskSlots));
  const auto side = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(offsets[1]))));
  graph::FrozenGraph mask = rule->build({edges, offsets, static_cast<std::size_t>(slots), side});
  mask.edge_features.resize(0, 0);  // not part of what is measured
  return mask;
}

json::Value data_flags(const BenchArguments& arguments) {
  json::Value flags = arguments.flags;
  if (!arguments.graph.empty()) set_at(flags, "data.dataset", arguments.graph);
  return flags;
}

void check_paths(const BenchArguments& arguments) {
  std::vector<train::NamedFile> inputs;
  if (arguments.has_graph()) inputs = train::input_files(train::parse_config(data_flags(arguments)).data, {});
  check_outputs({{"--out", arguments.json_path}, {"--csv", arguments.csv_path}, {"--html", arguments.html_path}},
                inputs);
}

/// Throws UsageError for sizes of a sweep beside a graph, which is measured instead, and for densities of a mask made
/// without edges.
void check_sweep(const CLI::App& verb, const BenchArguments& arguments) {
  for (const char* flag : {"--nodes", "--density"})
    if (arguments.has_graph() && verb.get_option(flag)->count() > 0)
      throw UsageError(fmt::format("{}: is for the sweep; one graph is measured instead (--graph, --edges)", flag));
  if (!has_densities(arguments) && verb.get_option("--density")->count() > 0)
    throw UsageError(fmt::format("--density: is for random edges; the mask {} has none", arguments.mask_name));
}

void check_scale(const BenchOptions& options) {
  if (!options.score_options.scale && !options.score->takes_scale)
    throw UsageError(fmt::format("--scale: {} has none", options.score->name));
}

/// The selected graph and its name.
struct NamedMask {
  std::string name;
  graph::FrozenGraph mask;
};

std::optional<NamedMask> load_graph(const BenchArguments& arguments, double max_bytes) {
  if (!arguments.has_graph()) return std::nullopt;
  const train::Dataset data =
      train::read_dataset(train::parse_config(data_flags(arguments)).data, {.needs_labels = false});
  const std::string rule = arguments.mask ? ", " + arguments.mask_name : "";
  return NamedMask{data.name + rule, mask_over(graph::freeze(data.graph), arguments.mask, max_bytes)};
}

/// Adds the rows of both passes, unless interrupted before.
template <class MeasurePass>
void add_rows(const Interrupt& interrupt, BenchReport& report, const MeasurePass& measure_pass) {
  for (const Pass pass : {Pass::forward, Pass::training}) {
    report.was_stopped = interrupt.is_requested();
    if (report.was_stopped) return;
    report.rows.push_back(measure_pass(pass));
  }
}

/// Measures the masks of a rule. The number of edges is known only after making the mask.
void measure_rule(const std::vector<Task>& tasks, const graph::Mask& rule, const Interrupt& interrupt,
                  AttentionBench& bench, BenchReport& report) {
  const BenchOptions& options = bench.options();
  for (const Task& task : tasks) {
    if (report.was_stopped) return;
    const graph::FrozenGraph mask =
        mask_over(graph::freeze(graph::random_mask(task.nodes, task.density, options.seed), task.nodes), rule,
                  options.maximal_bytes);
    add_rows(interrupt, report, [&](Pass pass) { return bench.measure(mask, pass); });
  }
}

void measure_sweep(const std::vector<Task>& tasks, const Interrupt& interrupt, AttentionBench& bench,
                   BenchReport& report) {
  for (const Task& task : tasks) {
    std::optional<graph::FrozenGraph> mask;
    add_rows(interrupt, report, [&](Pass pass) {
      Row row = bench.estimate(task.nodes, task.density, pass);
      if (row.is_skipped()) return row;
      if (!mask) mask = graph::freeze(graph::random_mask(task.nodes, task.density, bench.options().seed), task.nodes);
      row = bench.measure(*mask, pass);
      row.asked_density = task.density;
      return row;
    });
  }
}

/// Measures the rows until interrupted. The limits of the machine are measured before and, if the rows took long, again
/// afterwards.
void measure(const BenchArguments& arguments, const Session& session, BenchReport& report) {
  const Interrupt& interrupt = *session.interrupt;
  const std::optional<NamedMask> graph = load_graph(arguments, report.options.maximal_bytes);
  note(session, "measuring the limits of this machine");
  report.limits = measure_machine_limits();
  const auto start = std::chrono::steady_clock::now();

  const std::vector<Task> tasks = graph ? std::vector<Task>(1) : sweep_of(arguments);
  Progress& progress = *session.progress;
  progress.start();
  AttentionBench bench(report.options, [&](const Row& row, Variant variant) {
    const double share = static_cast<double>(report.rows.size()) / (2 * static_cast<double>(tasks.size()));
    progress.set_whole(share);
    progress.update(share, fmt::format("{} nodes, {} edges, {}: {}", row.nodes, row.edges, name(row.pass),
                                       attention::name(variant)));
  });
  if (graph) {
    report.graph = graph->name;
    add_rows(interrupt, report, [&](Pass pass) { return bench.measure(graph->mask, pass); });
  } else if (arguments.mask) {
    report.graph = arguments.mask_name;
    measure_rule(tasks, *arguments.mask, interrupt, bench, report);
  } else {
    measure_sweep(tasks, interrupt, bench, report);
    if (!report.was_stopped) report.crossovers = find_crossovers(report.rows);
  }
  progress.finish();
  const bool took_long = std::chrono::steady_clock::now() - start > kApart;
  if (took_long && !interrupt.is_requested()) report.limits.raise(measure_machine_limits());
}

int bench_verb(const BenchArguments& arguments, const CLI::App& verb, const Session& session) {
  check_paths(arguments);
  check_sweep(verb, arguments);
  check_scale(arguments.options);
  BenchReport report;
  report.command = session.command;
  report.options = arguments.options;
  report.options.maximal_bytes = arguments.maximal_gibibytes > 0
                                     ? arguments.maximal_gibibytes * kGibibyte
                                     : static_cast<double>(available_memory()) / 2;
  report.machine = this_machine();
  session.last_resort->dismiss();  // it ends after the row under way
  const Observed by_nobody({});
  measure(arguments, session, report);
  if (report.rows.empty()) return session.stop_before_result(kBenchSchema);

  const json::Value object = to_json(report);
  if (!arguments.json_path.empty()) write_output(arguments.json_path, json::dump_pretty(object) + "\n");
  if (!arguments.csv_path.empty()) write_output(arguments.csv_path, to_csv(report));
  if (!arguments.html_path.empty()) write_output(arguments.html_path, to_page(report));
  session.print_result(to_text(report), object);
  return report.was_stopped ? kInterrupted : kDone;
}

void add_sweep_flags(CLI::App& verb, BenchArguments& arguments) {
  verb.add_option_function<std::vector<std::string>>(
          "--nodes",
          [&arguments](const std::vector<std::string>& texts) {
            arguments.nodes.clear();
            for (const std::string& text : texts) {
              std::string number = text;
              const std::string refusal = integer_in(1, kMaxNodes)(number);
              if (!refusal.empty()) throw UsageError("--nodes: " + refusal);
              arguments.nodes.push_back(std::stoull(text));
            }
            check_once("--nodes", "number", arguments.nodes);
            std::sort(arguments.nodes.begin(), arguments.nodes.end());
          },
          "Numbers of nodes in the sweep; default 256,1024,4096,16384")
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option_function<std::vector<double>>(
          "--density",
          [&arguments](const std::vector<double>& densities) {
            for (const double density : densities)
              if (!(density > 0 && density <= 1))
                throw UsageError(fmt::format("--density: expected shares above 0, and at most 1, got {}", density));
            check_once("--density", "share", densities);
            arguments.densities = densities;
            std::sort(arguments.densities.begin(), arguments.densities.end());
          },
          "Shares of all pairs that are edges; default 0.001,0.01,0.05,0.25,0.5,1")
      ->check(any_number())
      ->delimiter(',')
      ->allow_extra_args(false);
}

void add_mask_flag(CLI::App& verb, BenchArguments& arguments) {
  verb.add_option_function<std::string>(
          "--mask",
          [&arguments](const std::string& name) {
            arguments.mask = graph::parse_mask(name, "--mask");
            arguments.mask_name = name;
          },
          "Apply a mask rule to the graph, or to each graph of the sweep: " + graph::mask_usages());
}

void add_graph_flags(CLI::App& verb, BenchArguments& arguments) {
  verb.add_option("--graph", arguments.graph, "Instead of the sweep: a data set of the catalogue");
  ConfigFlags flags(verb, arguments.flags);
  flags.text("--edges", "data.edges", "Instead of the sweep: an edge list");
  for (const char* member : {"data.source", "data.target", "data.directed", "data.self_loops"}) flags.add(member);
}

constexpr std::array kVariants = {Variant::sparse_fused, Variant::gather_scatter, Variant::dense_tiled,
                                  Variant::dense_masked};

std::vector<std::string> variant_names() {
  std::vector<std::string> names;
  for (const Variant variant : kVariants) names.emplace_back(attention::name(variant));
  return names;
}

void add_attention_flags(CLI::App& verb, BenchOptions& options) {
  add_choice(verb, "--score", attention::score_names(), "Score, dot_product by default",
             [&options](std::size_t index) { options.score = static_cast<attention::Score>(index); });
  add_choice(verb, "--normaliser", attention::normaliser_names(),
             "How scores become weights, the first by default",
             [&options](std::size_t index) { options.normaliser = static_cast<attention::Normaliser>(index); });
  add_choice(verb, "--scale", {"true", "false"},
             "Divide the dot product by the square root of the width, the first by default",
             [&options](std::size_t index) { options.score_options.scale = index == 0; });
  verb.add_option_function<std::vector<std::string>>(
          "--variants",
          [&options](const std::vector<std::string>& texts) {
            check_once("--variants", "variant", texts);
            options.variants.clear();
            for (const std::string& text : texts)
              options.variants.push_back(kVariants[choose("--variants", text, variant_names())]);
          },
          fmt::format("Variants to measure, by default all of {}", fmt::join(variant_names(), ", ")))
      ->delimiter(',')
      ->allow_extra_args(false);
  verb.add_option("--heads", options.heads, "Heads; default 4")->check(integer_in(1, 512));
  verb.add_option("--width", options.width, "Width of a head; default 16")->check(integer_in(1, 4096));
  verb.add_option("--seed", options.seed, "Seed of the masks and the inputs")->check(integer_in(0));
}

void add_limit_flags(CLI::App& verb, BenchArguments& arguments) {
  BenchOptions& options = arguments.options;
  verb.add_option("--repeats", options.repeats, "Maximum number of rounds; default 15")
      ->check(integer_in(1, 1'000'000));
  verb.add_option("--time", options.seconds,
                  "Seconds to measure each variant, with three rounds at least; default 0.25")
      ->check(number_above_0());
  verb.add_option("--max-memory", arguments.maximal_gibibytes,
                  "GiB for the mask, the inputs and one variant; what needs more is skipped; default half of the "
                  "available memory")
      ->check(number_above_0());
  verb.add_option("--max-seconds", options.maximal_seconds,
                  "Seconds for one call; slower variants are skipped; default 2")
      ->check(number_above_0());
  verb.add_option("--out", arguments.json_path, "Where to write the results as JSON");
  verb.add_option("--csv", arguments.csv_path, "Where to write the results as CSV, one line per variant and row");
  verb.add_option("--html", arguments.html_path, "Where to write a page with the curves");
}

}  // namespace

/// edgewise bench attention: compares sparse and dense attention on this machine.
void add_bench(CLI::App& app, Session& session) {
  CLI::App& bench = *app.add_subcommand("bench", "Compare attention along the edges with other ways to compute it");
  bench.require_subcommand(1);
  CLI::App& verb = *bench.add_subcommand("attention", "Time and memory over nodes and density, or on one graph");
  auto arguments = std::make_shared<BenchArguments>();
  start_group(verb, "Masks");
  add_sweep_flags(verb, *arguments);
  add_graph_flags(verb, *arguments);
  add_mask_flag(verb, *arguments);
  start_group(verb, "Attention");
  add_attention_flags(verb, arguments->options);
  start_group(verb, "Limits and output");
  add_limit_flags(verb, *arguments);
  add_examples(verb, {"edgewise bench attention --graph cora --heads 8 --width 8",
                      "edgewise bench attention --score bahdanau --normaliser relu --html bench.html"});
  session.add_verb(verb, [arguments, &verb, &session] { return bench_verb(*arguments, verb, session); });
}

}  // namespace edgewise::app
