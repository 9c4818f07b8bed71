#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/byte_pairs.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/doctor/bound_notes.hpp"
#include "edgewise/train/doctor/column_information.hpp"
#include "edgewise/train/doctor/data_facts.hpp"
#include "edgewise/train/doctor/data_warnings.hpp"
#include "edgewise/train/doctor/homophily.hpp"
#include "edgewise/train/doctor/kind_facts.hpp"
#include "edgewise/train/doctor/leaks.hpp"
#include "edgewise/train/doctor/mixed_measurements.hpp"
#include "edgewise/train/doctor/odd_values.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/doctor/repeats.hpp"
#include "edgewise/train/source/column_facts.hpp"
#include "edgewise/train/source/column_warnings.hpp"
#include "edgewise/train/source/edge_items.hpp"
#include "edgewise/train/source/frozen_kinds.hpp"
#include "flags.hpp"
#include "session.hpp"

namespace edgewise::app {
namespace {

struct InspectArguments {
  std::string dataset;
  json::Value flags{json::Object{}};
};

json::Value to_json(const graph::Graph& graph, const train::EdgeFacts& facts) {
  json::Value value;
  value.set("nodes", static_cast<std::int64_t>(graph.node_count()));
  value.set("edges", facts.edges);
  value.set("direction", graph.direction() == graph::Direction::directed ? "directed" : "undirected");
  value.set("arcs", static_cast<std::int64_t>(graph.arc_count()));
  value.set("pairs", facts.pairs);
  value.set("repeated", facts.repeated);
  value.set("reversed", facts.reversed);
  value.set("self_loops", facts.self_loops);
  value.set("isolated", facts.isolated);
  if (graph.direction() == graph::Direction::directed) value.set("without_incoming", facts.without_incoming);
  value.set("components", facts.components);
  value.set("largest_component", facts.largest_component);
  json::Value degree;
  degree.set("smallest", facts.smallest_degree);
  degree.set("median", facts.median_degree);
  degree.set("mean", facts.mean_degree);
  degree.set("largest", facts.largest_degree);
  degree.set("largest_node", facts.largest_degree_node);
  value.set("degree", std::move(degree));
  if (!graph.edges().weights.empty()) {
    json::Value weight;
    weight.set("smallest", facts.smallest_weight);
    weight.set("largest", facts.largest_weight);
    value.set("weight", std::move(weight));
  }
  return value;
}

json::Value to_json(const train::ColumnFacts& column) {
  json::Value value;
  value.set("name", column.name);
  value.set("type", column.is_empty ? "empty" : column.is_numeric ? "numeric" : "categorical");
  value.set("missing", column.missing);
  value.set("constant", column.is_constant);
  if (column.is_empty) return value;
  if (!column.is_numeric) {
    value.set("categories", column.categories);
    return value;
  }
  value.set("smallest", column.smallest);
  value.set("largest", column.largest);
  value.set("mean", column.mean);
  return value;
}

std::string graph_text(const graph::Graph& graph, const train::EdgeFacts& facts) {
  const bool is_directed = graph.direction() == graph::Direction::directed;
  std::string text =
      fmt::format("{}, {} between {}, taken as {}\n", counted(graph.node_count(), "node"), counted(facts.edges, "edge"),
                  counted(facts.pairs, "pair"), is_directed ? "directed" : "undirected");
  text += fmt::format("degree: {} to {} (node \"{}\"), median {}, mean {:.2f}\n", facts.smallest_degree,
                      facts.largest_degree, facts.largest_degree_node, facts.median_degree, facts.mean_degree);
  text += fmt::format("components: {}, the largest with {}; isolated nodes: {}", facts.components,
                      counted(facts.largest_component, "node"), facts.isolated);
  if (!graph.edges().weights.empty())
    text += fmt::format("\nweights: {} to {}", facts.smallest_weight, facts.largest_weight);
  return text;
}

std::string graphs_text(const train::GraphItems& graphs) {
  std::size_t empty = 0, largest = 0;
  for (std::size_t g = 0; g + 1 < graphs.offsets.size(); ++g) {
    const std::size_t size = graphs.offsets[g + 1] - graphs.offsets[g];
    empty += size == 0 ? 1 : 0;
    largest = std::max(largest, size);
  }
  return fmt::format("{}, {} of them empty, the largest with {}; in total\n", counted(graphs.names.size(), "graph"),
                     empty, counted(largest, "node"));
}

std::string column_text(const train::ColumnFacts& column) {
  if (column.is_empty) return fmt::format("\n  {:<23} empty", column.name);
  if (!column.is_numeric)
    return fmt::format("\n  {:<23} categorical, {}, {} missing", column.name,
                       counted(column.categories, "category", "categories"), column.missing);
  return fmt::format("\n  {:<23} numeric, {:.6g} to {:.6g}, mean {:.6g}, {} missing", column.name, column.smallest,
                     column.largest, column.mean, column.missing);
}

json::Value to_json(const train::Homophily& homophily) {
  json::Value value;
  value.set("edge", homophily.edge);
  value.set("adjusted", homophily.adjusted);
  value.set("pairs", homophily.pairs);
  value.set("suggestion", train::suggestion(homophily));
  return value;
}

std::string homophily_text(const train::Homophily& homophily) {
  return fmt::format("\nhomophily: {:.1f} % of {} of neighbours have the same label, adjusted {}\n  {}",
                     100 * homophily.edge, counted(homophily.pairs, "pair"),
                     std::isfinite(homophily.adjusted) ? fmt::format("{:.3f}", homophily.adjusted) : "-",
                     train::suggestion(homophily));
}

/// What the verb prints, put together section by section.
struct Report {
  std::string text;
  json::Value object;
  std::vector<std::string> warnings;

  void warn(const std::vector<std::string>& more) { warnings.insert(warnings.end(), more.begin(), more.end()); }
};

json::Value to_json(const train::EndFacts& end) {
  return json::Object{{"smallest", static_cast<std::int64_t>(end.smallest)},
                      {"largest", static_cast<std::int64_t>(end.largest)},
                      {"mean", end.mean},
                      {"without", static_cast<std::int64_t>(end.without)}};
}

std::string end_text(const train::NodeKind& kind, const train::EndFacts& end) {
  return fmt::format("{} {} to {} each, mean {:.2f}{}", kind.name, end.smallest, end.largest, end.mean,
                     end.without > 0 ? fmt::format(", {} with none", end.without) : "");
}

/// The kinds of nodes, and the relations between them.
void add_kinds(const train::Dataset& data, Report& report) {
  const std::vector<train::NodeKind>& kinds = data.kinds->kinds;
  json::Array described, relations;
  report.text += fmt::format("{} of {}, {} of {}", counted(data.graph.node_count(), "node"),
                             counted(kinds.size(), "kind"), counted(data.edge_count(), "edge"),
                             counted(data.kinds->relations.size(), "relation"));
  for (const train::NodeKind& kind : kinds) {
    const bool is_first = &kind == &kinds.front();
    const io::NodeTable& table = is_first ? data.table : kind.table;
    const bool has_labels = is_first && !data.labels.names.empty();
    report.text += fmt::format("\n  {:<23} {}, {}{}", kind.name, counted(kind.count, "node"),
                               table.columns.empty() ? "no columns" : counted(table.columns.size(), "column"),
                               has_labels ? ", with the labels" : "");
    described.emplace_back(json::Object{{"name", kind.name},
                                        {"nodes", static_cast<std::int64_t>(kind.count)},
                                        {"columns", static_cast<std::int64_t>(table.columns.size())},
                                        {"has_labels", has_labels}});
  }
  const std::vector<train::RelationFacts> facts = train::relation_facts(data);
  for (std::size_t r = 0; r < facts.size(); ++r) {
    const train::Relation& relation = data.kinds->relations[r];
    const train::NodeKind &source = kinds[relation.source], &target = kinds[relation.target];
    const std::string name = fmt::format("{} {} {}", source.name, relation.name, target.name);
    const std::string at_target = relation.is_undirected ? "" : "; " + end_text(target, facts[r].target);
    report.text += fmt::format("\n  {:<23} {}: {}{}", name, counted(relation.edges, "edge"),
                               end_text(source, facts[r].source), at_target);
    relations.emplace_back(json::Object{{"source", source.name},
                                        {"name", relation.name},
                                        {"target", target.name},
                                        {"edges", static_cast<std::int64_t>(relation.edges)},
                                        {"degree_of_source", to_json(facts[r].source)},
                                        {"degree_of_target", to_json(facts[r].target)}});
  }
  report.object.set("kinds", std::move(described));
  report.object.set("relations", std::move(relations));
}

void add_graph(const train::Dataset& data, Report& report) {
  if (data.kinds) return add_kinds(data, report);
  const graph::Graph graph = data.edges ? train::network_of(*data.edges) : data.graph;
  const train::EdgeFacts facts = train::edge_facts(graph);
  report.object.set("graph", to_json(graph, facts));
  if (data.graphs) report.object.set("graphs", static_cast<std::int64_t>(data.items().size()));
  if (data.graphs)
    report.text += graphs_text(*data.graphs);
  else if (data.collection)
    report.text += counted(data.collection->graphs.size(), "graph") + "; in total\n";
  report.text += graph_text(graph, facts);
  // Among many graphs, isolated nodes are not a mistake: atoms, texts of one word.
  if (!data.has_many_graphs()) report.warn(train::edge_warnings(graph, facts));
}

/// Describes columns one by one, and of a table with very many columns only the first: what is said about one takes far
/// more memory than its values in a few rows.
class ColumnList {
 public:
  void add(const train::ColumnFacts& column) {
    if (++count_ <= kInText) text_ += column_text(column);
    if (count_ <= kInJson) described_.push_back(to_json(column));
  }

  void report(const std::string& member, const char* title, Report& report) && {
    if (count_ > 0) report.text += title + text_;
    if (count_ > kInText) report.text += fmt::format("\n  and {} more", count_ - kInText);
    report.object.set(member, std::move(described_));
    if (count_ > kInJson) report.object.set(member + "_left_out", static_cast<std::int64_t>(count_ - kInJson));
  }

 private:
  static constexpr std::size_t kInText = 100, kInJson = 10'000;

  std::size_t count_ = 0;
  std::string text_;
  json::Array described_;
};

/// Collects the first warnings on columns.
class ColumnWarnings {
 public:
  void add(std::vector<std::string> more) {
    for (std::string& warning : more)
      if (++count_ <= kShown) shown_.push_back(std::move(warning));
  }

  std::vector<std::string> take() && {
    if (count_ > kShown) shown_.push_back(fmt::format("and {} more warnings on columns", count_ - kShown));
    return std::move(shown_);
  }

 private:
  static constexpr std::size_t kShown = 100;

  std::size_t count_ = 0;
  std::vector<std::string> shown_;
};

void add_columns(const train::Dataset& data, Report& report) {
  ColumnList columns, of_nodes;
  ColumnWarnings warnings;
  train::visit_columns(data, data.table, [&](const train::ColumnFacts& column) {
    columns.add(column);
    if (!data.graphs) warnings.add(train::column_warnings({column}, data.table.rows()));
  });
  std::move(columns).report("columns", "\ncolumns of the table:", report);
  if (data.graphs && data.collection) {
    const io::NodeTable& nodes = data.collection->nodes;
    for (const io::Column& column : nodes.columns) of_nodes.add(train::column_facts(column, nodes.lines));
    std::move(of_nodes).report("node_columns", "\ncolumns of the nodes:", report);
  }
  if (data.kinds) {
    for (const train::NodeKind& kind : data.kinds->kinds)
      train::visit_columns(data, kind.table, [&](const train::ColumnFacts& column) {
        of_nodes.add(column);
        warnings.add(train::column_warnings({column}, kind.table.rows()));
      });
    std::move(of_nodes).report("kind_columns", "\ncolumns of the other kinds:", report);
  }
  if (const std::vector<std::string>& values = data.reading.value_columns; !values.empty()) {
    report.object.set("value_columns", values);
    report.text += fmt::format("\nvalues of a row: {}, \"{}\" to \"{}\"", counted(values.size(), "column"),
                               values.front(), values.back());
  }
  if (data.graphs)
    warnings.add(train::column_type_warnings(data));  // the columns of a table of graphs are not features
  std::vector<std::string> idle = train::columns_without_information(data);
  if (!idle.empty()) warnings.add({train::information_warning(idle)});
  constexpr std::size_t kMost = 10'000;
  if (idle.size() > kMost) idle.resize(kMost);
  report.object.set("uninformative_columns", idle);
  report.warn(std::move(warnings).take());
}

void add_features(const data::Features& features, Report& report) {
  if (features.columns() == 0) return;
  report.object.set("features", static_cast<std::int64_t>(features.columns()));
  report.text += fmt::format("\nfeatures: {}{}", counted(features.columns(), "column"),
                             features.is_sparse ? fmt::format(", {} non-zeros", features.sparse.nonZeros()) : "");
}

using LabelCount = std::pair<std::string, std::uint64_t>;

/// All labels in their order or, if there are many, the most frequent ones.
std::string labels_text(std::vector<LabelCount> counts) {
  constexpr std::size_t kShown = 10;
  if (counts.empty()) return "";
  const std::size_t all = counts.size();
  if (all > kShown) {
    std::ranges::stable_sort(counts, std::ranges::greater{}, &LabelCount::second);
    counts.resize(kShown);
  }
  std::vector<std::string> names;
  for (const LabelCount& of : counts) names.push_back(of.first);
  std::string text = all > kShown ? fmt::format("\nlabels, the most frequent of {}:", all) : "\nlabels:";
  for (const auto& [name, count] : counts)
    text += fmt::format("\n  {:<{}}{:>10}", name, report::width_of(names), count);
  return all > kShown ? text + fmt::format("\n  and {} more", all - kShown) : text;
}

void add_labels(const train::Dataset& data, Report& report) {
  std::vector<LabelCount> counts = train::label_counts(data.labels);
  json::Object labels;
  for (const auto& [name, count] : counts) labels.emplace_back(name, count);
  report.object.set("labels", std::move(labels));
  report.text += labels_text(std::move(counts));
  report.warn(train::label_warnings(data));
  report.warn(train::bound_notes(data));
  report.warn(train::mixed_measurement_notes(data));
  report.warn(train::repeat_notes(data));
  report.warn(train::leak_warnings(data));
  report.warn(train::odd_value_warnings(data));
}

void add_homophily(const train::Dataset& data, Report& report) {
  if (data.graphs) return;
  const std::optional<train::Homophily> homophily = train::homophily(data.graph, data.labels);
  if (!homophily) return;
  report.object.set("homophily", to_json(*homophily));
  report.text += homophily_text(*homophily);
}

void add_warnings(Report& report) {
  report.object.set("warnings", report.warnings);
  report.text += report.warnings.empty() ? "\nnothing looks wrong" : "\nwarnings:";
  for (const std::string& warning : report.warnings) report.text += "\n  - " + warning;
}

/// How many pairs there are, and how long their sides are.
void add_pairs(const train::Dataset& data, Report& report) {
  const io::TextPairs& pairs = data.pairs->texts;
  const auto longest = [](const std::vector<std::string>& texts) {
    std::size_t most = 0;
    for (const std::string& text : texts) most = std::max(most, data::characters_of(text).size());
    return most;
  };
  const std::set<std::string_view> sources(pairs.sources.begin(), pairs.sources.end());
  report.object.set("pairs", static_cast<std::int64_t>(pairs.sources.size()));
  report.object.set("sources", static_cast<std::int64_t>(sources.size()));
  report.text += fmt::format("{} of {}\nsources: up to {}", counted(pairs.sources.size(), "pair"),
                             counted(sources.size(), "source"), counted(longest(pairs.sources), "character"));
  if (!pairs.targets.empty())
    report.text += fmt::format("\ntargets: up to {}", counted(longest(pairs.targets), "character"));
}

/// Throws as training does if a label is asked for that no table has.
void require_labels(const train::Dataset& data) {
  if (!data.labels.names.empty()) return;
  for (const std::string& label : data.reading.label) {
    if (data.table.find(label) != nullptr || data.node_table().find(label) != nullptr) continue;
    if (data.table.file.empty())
      throw UsageError(
          fmt::format("data.label: labels come from a table, but there is none ({})", setting("data.nodes")));
    data.table.at(label);  // throws, listing the columns
  }
}

int inspect_verb(const InspectArguments& arguments, const Session& session) {
  json::Value flags = arguments.flags;
  if (!arguments.dataset.empty()) set_dataset(arguments.dataset, flags);
  const train::Config config = train::parse_config(flags);
  train::Dataset data = train::read_dataset(config.data, {.needs_labels = false});
  if (data.frozen) train::thaw(data);
  require_labels(data);
  Report report{.text = {}, .object = json::Object{}, .warnings = data.notes};
  report.object.set("schema", "edgewise.inspect/1");
  report.object.set("dataset", data.name);
  report.object.set("threads", threads());
  if (data.pairs) {
    add_pairs(data, report);
  } else {
    add_graph(data, report);
    add_columns(data, report);
    add_features(data.features, report);
    add_labels(data, report);
    add_homophily(data, report);
  }
  add_warnings(report);
  report.object.set("peak_rss_mib", peak_rss_mib());
  session.print_result(report.text, report.object);
  return kDone;
}

}  // namespace

/// edgewise inspect: shows what was read and what looks wrong, before any training.
void add_inspect(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("inspect", "Show what is read from files, and what looks wrong");
  auto arguments = std::make_shared<InspectArguments>();
  verb.add_option("dataset", arguments->dataset,
                  "A data set of the catalogue or a frozen network, unless data flags are given");
  ConfigFlags(verb, arguments->flags).add("data");
  add_examples(verb, {"edgewise inspect --edges friends.csv --nodes people.csv --label buys"});
  session.add_verb(verb, [arguments, &session] { return inspect_verb(*arguments, session); });
}

}  // namespace edgewise::app
