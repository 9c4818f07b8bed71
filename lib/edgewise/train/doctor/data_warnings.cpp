#include "edgewise/train/doctor/data_warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <string>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"
#include "edgewise/train/source/column_warnings.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

/// Whether there are more than a few classes, all of them numbers.
bool are_numeric_classes(const data::Labels& labels) {
  constexpr std::size_t kFew = 5;
  const auto is_number = [](const std::string& name) {
    float number = 0;
    return io::parse_number(name, number) == io::NumberFault::none;
  };
  return labels.has_classes() && labels.names.size() > kFew &&
         std::all_of(labels.names.begin(), labels.names.end(), is_number);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

/// The different known values of a target in these rows.
std::set<float> known_values(const data::Labels& labels, Eigen::Index target, std::span<const graph::Node> rows) {
  std::set<float> values;
  for (const graph::Node row : rows)
    if (!std::isnan(labels.targets(row, target))) values.insert(labels.targets(row, target));
  return values;
}

/// The text in lower case, without blanks.
std::string folded(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (c == ' ' || c == '\t') continue;
    letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return letters;
}

/// The first of the labels that few items have, and how many more there are.
std::vector<std::string> rare_labels(const std::vector<std::pair<std::string, std::uint64_t>>& counts) {
  constexpr std::uint64_t kFew = 5;
  constexpr std::size_t kShown = 10;
  std::vector<std::string> warnings;
  std::size_t rare = 0;
  for (const auto& [name, count] : counts)
    if (count < kFew && ++rare <= kShown)
      warnings.push_back(fmt::format("label \"{}\": only {} it", name, counted(count, "item has", "items have")));
  if (rare > kShown)
    warnings.push_back(fmt::format("and {}: fewer than {} items each", counted(rare - kShown, "more label"), kFew));
  return warnings;
}

}  // namespace

std::vector<std::string> edge_warnings(const graph::Graph& graph, const EdgeFacts& facts) {
  std::vector<std::string> warnings;
  const bool is_directed = graph.direction() == graph::Direction::directed;
  if (facts.edges == 0) warnings.emplace_back("there are no edges: attention has nothing to look at");
  if (is_directed && facts.pairs > 0 && facts.reversed == 0)
    warnings.emplace_back(fmt::format(
        "no edge has a reverse edge although the graph is taken as directed: if ties are mutual, this is an undirected "
        "graph with each edge stored once; use {}=false",
        setting("data.directed")));
  if (!is_directed && facts.reversed == facts.pairs && facts.pairs > 0)
    warnings.emplace_back(
        "every edge is listed in both directions: an undirected graph with each edge stored twice; the second of each "
        "pair is a duplicate");
  else if (!is_directed && facts.reversed > 0)
    warnings.push_back(fmt::format(
        "{} ({:.1f} %) {} edges in both directions although the graph is taken as undirected: if the direction means "
        "something, use {}",
        counted(facts.reversed, "pair of nodes", "pairs of nodes"), percent(facts.reversed, facts.pairs),
        facts.reversed == 1 ? "has" : "have", setting("data.directed")));
  if (facts.repeated > 0)
    warnings.push_back(counted(facts.repeated, "edge is listed more than once", "edges are listed more than once"));
  if (facts.self_loops > 0)
    warnings.push_back(counted(facts.self_loops, "edge is a self loop", "edges are self loops"));
  if (facts.smallest_weight < 0)
    warnings.push_back(fmt::format(
        "some weights are negative (down to {}): with edge_weights, a node whose weights sum to 0 or less gets nothing "
        "from its neighbours",
        facts.smallest_weight));
  if (facts.without_incoming > 0 && 3 * facts.without_incoming >= graph.node_count())
    warnings.push_back(fmt::format(
        "{} ({:.1f} %) {} no incoming edge: along the direction of the edges, nothing reaches them, and a model sees "
        "their own features alone; with {}=false both ends of an edge see each other, and {} largest "
        "leaves out the parts that hang together with little else",
        counted(facts.without_incoming, "node"), percent(facts.without_incoming, graph.node_count()),
        facts.without_incoming == 1 ? "has" : "have", setting("data.directed"), setting("data.component")));
  if (facts.isolated > 0)
    warnings.push_back(fmt::format("{} ({:.1f} %) {}", counted(facts.isolated, "node"),
                                   percent(facts.isolated, graph.node_count()),
                                   facts.isolated == 1 ? "has no edge to another node: it sees only itself"
                                                       : "have no edge to another node: they see only themselves"));
  return warnings;
}

std::vector<std::string> column_type_warnings(const Dataset& data, const std::vector<std::string>& split_columns) {
  std::vector<ColumnFacts> columns;
  const bool has_node_columns = !data.graphs || !data.reading.graph_column.empty();  // else they are made from rows
  if (has_node_columns) columns = facts_of_columns(data, data.node_table());
  for (const std::string& label : data.reading.label)
    if (const io::Column* column = data.graphs ? data.table.find(label) : nullptr) {
      columns.push_back(column_facts(*column, data.table.lines));
      columns.back().is_label = true;
    }
  std::vector<std::string> doubts;
  for (const ColumnFacts& column : columns) {
    const bool is_unused = std::ranges::count(data.reading.ignore, column.name) > 0 ||
                           std::ranges::count(split_columns, column.name) > 0;
    if (is_unused) continue;
    std::string doubt = column_type_warning(column, data.node_table().rows());
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  }
  return doubts;
}

std::string whole_number_classes(const Dataset& data) {
  const data::Labels& labels = data.labels;
  const bool is_guessed = data.reading.task == "auto" && data.reading.dataset.empty() && data.reading.tu.empty();
  if (!is_guessed || !are_numeric_classes(labels)) return "";
  std::vector<double> numbers;
  for (const std::string& name : labels.names) io::parse_number(name, numbers.emplace_back());
  const auto [smallest, largest] = std::ranges::minmax(numbers);
  const bool has_all = largest - smallest + 1 == static_cast<double>(numbers.size());
  return fmt::format("{} classes: the labels are {} {} to {}; if they are a measurement or a score, use {} regression",
                     numbers.size(), has_all ? "the integers" : "numbers from", smallest, largest,
                     setting("data.task"));
}

std::vector<std::string> spelling_warnings(const data::Labels& labels) {
  constexpr std::size_t kShown = 5;
  std::map<std::string, std::vector<std::string>> spellings;
  if (!labels.has_numbers())
    for (const std::string& name : labels.names) spellings[folded(name)].push_back(io::quote(name));
  std::vector<std::string> warnings;
  for (const auto& [text, names] : spellings)
    if (names.size() > 1 && warnings.size() < kShown)
      warnings.push_back(
          fmt::format("the labels {} differ only in case or blanks: if they are the same, spell them alike",
                      fmt::join(names, ", ")));
  return warnings;
}

std::vector<std::string> constant_labels(const data::Labels& labels) {
  if (labels.task.has_candidates) return {};  // each tie is there
  if (labels.has_classes() && labels.names.size() == 1)
    return {fmt::format("every label is \"{}\": there is nothing to learn; expected two classes or more",
                        labels.names.front())};
  std::vector<std::string> warnings;
  const std::vector<graph::Node> rows = data::labelled_nodes(labels);
  for (Eigen::Index i = 0; i < labels.targets.cols(); ++i) {
    const std::set<float> values = known_values(labels, i, rows);
    if (values.size() == 1)
      warnings.push_back(fmt::format("every value of \"{}\" is {}: there is nothing to learn",
                                     labels.names[static_cast<std::size_t>(i)], *values.begin()));
  }
  return warnings;
}

std::vector<std::string> label_warnings(const data::Labels& labels) {
  std::vector<std::string> warnings = target_of(labels).notes(labels);
  std::ranges::copy(spelling_warnings(labels), std::back_inserter(warnings));
  std::ranges::copy(constant_labels(labels), std::back_inserter(warnings));
  const auto counts = label_counts(labels);
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  for (const auto& [name, count] : counts) {
    smallest = std::min(smallest, count);
    largest = std::max(largest, count);
  }
  std::ranges::copy(rare_labels(counts), std::back_inserter(warnings));
  if (labels.has_classes() && counts.size() > 1 && largest > 10 * smallest)
    warnings.push_back(
        fmt::format("the classes are unbalanced ({} to {} items): look at macro_f1, and try "
                    "{} balanced",
                    smallest, largest, setting("training.class_weights")));
  return warnings;
}

std::vector<std::string> label_warnings(const Dataset& data) {
  std::vector<std::string> warnings;
  if (!data.labels.names.empty()) {
    warnings = label_warnings(data.labels);
    if (std::string classes = whole_number_classes(data); !classes.empty()) warnings.push_back(std::move(classes));
    return warnings;
  }
  for (const std::string& column : data.reading.label) {
    const char* missing = data.table.find(column) != nullptr  ? "there is no value in"
                          : column == data.table.id_column ? "the names of the nodes are in"
                                                           : "there is no";
    warnings.push_back(fmt::format("{} column \"{}\", so there is nothing to learn", missing, column));
  }
  return warnings;
}

}  // namespace edgewise::train
