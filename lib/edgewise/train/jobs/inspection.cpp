#include "edgewise/train/jobs/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <unordered_set>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/transforms.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::train {
namespace {

/// An edge with its ends in ascending order.
struct Tie {
  graph::Node low;
  graph::Node high;
  bool is_turned;

  auto operator<=>(const Tie&) const = default;
};

std::vector<Tie> sorted_ties(const graph::EdgeList& edges) {
  std::vector<Tie> ties;
  ties.reserve(edges.size());
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [low, high] = std::minmax(edges.sources[e], edges.targets[e]);
    if (low != high) ties.push_back({low, high, edges.sources[e] != low});
  }
  std::sort(ties.begin(), ties.end());
  return ties;
}

/// Counts pairs and directions; returns the number of distinct neighbours of each node.
std::vector<std::uint32_t> count_ties(const std::vector<Tie>& ties, std::size_t nodes, EdgeFacts& facts) {
  std::vector<std::uint32_t> degrees(nodes);
  for (std::size_t i = 0; i < ties.size(); ++i) {
    const bool same_pair = i > 0 && ties[i].low == ties[i - 1].low && ties[i].high == ties[i - 1].high;
    if (!same_pair) {
      ++facts.pairs;
      ++degrees[ties[i].low];
      ++degrees[ties[i].high];
    } else if (ties[i].is_turned == ties[i - 1].is_turned) {
      ++facts.repeated;
    } else {
      ++facts.reversed;
    }
  }
  return degrees;
}

void count_self_loops(const graph::EdgeList& edges, std::size_t nodes, EdgeFacts& facts) {
  std::vector<bool> has_loop(nodes);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const graph::Node node = edges.sources[e];
    if (node != edges.targets[e]) continue;
    ++facts.self_loops;
    if (has_loop[node]) ++facts.repeated;
    has_loop[node] = true;
  }
}

void summarise_degrees(std::vector<std::uint32_t> degrees, const graph::NodeNames& names, EdgeFacts& facts) {
  if (degrees.empty()) return;
  const auto largest = std::max_element(degrees.begin(), degrees.end());
  facts.largest_degree = *largest;
  facts.largest_degree_node = std::string(names[static_cast<graph::Node>(largest - degrees.begin())]);
  facts.isolated = static_cast<std::uint64_t>(std::count(degrees.begin(), degrees.end(), 0U));
  facts.mean_degree = 2.0 * static_cast<double>(facts.pairs) / static_cast<double>(degrees.size());
  const auto middle = degrees.begin() + static_cast<std::ptrdiff_t>(degrees.size() / 2);
  std::nth_element(degrees.begin(), middle, degrees.end());
  facts.median_degree = *middle;
  facts.smallest_degree = *std::min_element(degrees.begin(), degrees.end());
}

/// "3,14": a number with a single comma as its decimal point.
bool is_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size()) return false;
  text[comma] = '.';
  float number = 0;
  return io::parse_number(text, number) == io::NumberFault::none;
}

/// "1,500" or "12,345,678.9": a number with commas between thousands. "0,500" is none: its comma is a decimal one.
bool has_thousands(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  text = text.substr(0, text.find('.'));
  const auto are_digits = [](std::string_view group) {
    return std::ranges::all_of(group, [](char c) { return c >= '0' && c <= '9'; });
  };
  const std::size_t first = text.find(',');
  if (text.starts_with('0') || first == 0 || first > 3 || !are_digits(text.substr(0, first))) return false;
  for (text.remove_prefix(first); !text.empty(); text.remove_prefix(4))
    if (text.size() < 4 || text.front() != ',' || !are_digits(text.substr(1, 3))) return false;
  return true;
}

/// Three groups of digits, one of them four long, separated by dashes, points or slashes, optionally followed by a
/// time.
bool is_date(const std::string& text) {
  const std::string day = text.substr(0, text.find_first_of("T "));
  std::vector<std::size_t> groups(1);
  for (const char c : day) {
    if (c >= '0' && c <= '9')
      ++groups.back();
    else if (c == '-' || c == '.' || c == '/')
      groups.push_back(0);
    else
      return false;
  }
  const auto is_short = [](std::size_t digits) { return digits == 1 || digits == 2; };
  return groups.size() == 3 && is_short(groups[1]) &&
         ((groups[0] == 4 && is_short(groups[2])) || (is_short(groups[0]) && groups[2] == 4));
}

/// Whether there are more than a few classes, all of them numbers.
bool are_numeric_classes(const data::Labels& labels) {
  constexpr std::size_t kFew = 5;
  const auto is_number = [](const std::string& name) {
    float number = 0;
    return io::parse_number(name, number) == io::NumberFault::none;
  };
  return labels.task == data::Task::classification && labels.names.size() > kFew &&
         std::all_of(labels.names.begin(), labels.names.end(), is_number);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

bool count_rows(const graph::NodeNames& names) {
  if (names.size() == 0 || (names[0] != "0" && names[0] != "1")) return false;
  const graph::Node first = names[0] == "0" ? 0 : 1;
  for (graph::Node row = 0; row < names.size(); ++row)
    if (names[row] != std::to_string(row + first)) return false;
  return true;
}

/// Whether the column has another value in each row, among them all names that edges use, but not as its row does.
bool could_name_nodes(const io::Column& column, const graph::Graph& graph) {
  const graph::NodeNames& names = graph.names();
  std::unordered_set<std::string> values;
  bool is_other = false;
  for (graph::Node row = 0; row < column.size(); ++row) {
    const std::string text = column.text(row);
    if (text.empty() || !values.insert(text).second) return false;
    is_other = is_other || text != names[row];
  }
  const auto is_value = [&](graph::Node node) { return values.contains(std::string(names[node])); };
  return is_other && std::ranges::all_of(graph.edges().sources, is_value) &&
         std::ranges::all_of(graph.edges().targets, is_value);
}

/// The name as one would type it: in quotes if a shell would split it.
std::string as_argument(const std::string& name) {
  return name.find_first_of(" ;&|()<>*?$'") == std::string::npos ? name : fmt::format("\"{}\"", name);
}

/// The different known values of a target in these rows.
std::set<float> known_values(const data::Labels& labels, Eigen::Index target, std::span<const graph::Node> rows) {
  std::set<float> values;
  for (const graph::Node row : rows)
    if (!std::isnan(labels.targets(row, target))) values.insert(labels.targets(row, target));
  return values;
}

/// Whether all known labels of the rows are equal.
bool agree(const data::Labels& labels, std::span<const graph::Node> rows) {
  if (labels.task == data::Task::classification) {
    std::set<std::int32_t> classes;
    for (const graph::Node row : rows)
      if (!labels.classes.empty() && labels.classes[row] >= 0) classes.insert(labels.classes[row]);
    return classes.size() < 2;
  }
  for (Eigen::Index target = 0; target < labels.targets.cols(); ++target)
    if (known_values(labels, target, rows).size() > 1) return false;
  return true;
}

/// Why nothing can be learnt from the labels, if so.
std::vector<std::string> constant_labels(const data::Labels& labels) {
  if (labels.task == data::Task::classification && labels.names.size() == 1)
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

}  // namespace

EdgeFacts edge_facts(const graph::Graph& graph) {
  EdgeFacts facts;
  const graph::EdgeList& edges = graph.edges();
  facts.edges = edges.size();
  count_self_loops(edges, graph.node_count(), facts);
  summarise_degrees(count_ties(sorted_ties(edges), graph.node_count(), facts), graph.names(), facts);
  const graph::Components components = graph::connected_components(graph);
  facts.components = components.count();
  for (const std::size_t size : components.sizes)
    facts.largest_component = std::max<std::uint64_t>(facts.largest_component, size);
  if (edges.weights.empty()) return facts;
  const auto [smallest, largest] = std::minmax_element(edges.weights.begin(), edges.weights.end());
  facts.smallest_weight = json::shortest(*smallest);
  facts.largest_weight = json::shortest(*largest);
  return facts;
}

ColumnFacts column_facts(const io::Column& column) {
  ColumnFacts facts;
  facts.name = column.name;
  facts.is_numeric = column.is_numeric;
  facts.missing = column.missing;
  facts.is_empty = column.missing == column.size();
  facts.categories = column.categories.size();
  facts.is_constant = column.categories.size() <= 1;
  for (const std::string& category : column.categories) {
    float number = 0;
    if (io::parse_number(category, number) == io::NumberFault::none)
      ++facts.numeric_categories;
    else if (facts.first_text.empty())
      facts.first_text = category;
    if (has_thousands(category))
      ++facts.thousands;
    else if (is_decimal_comma(category))
      ++facts.decimal_commas;
    if (is_date(category)) ++facts.dates;
  }
  if (!column.is_numeric) return facts;
  facts.counts_rows = io::counts_rows(column);
  facts.zero_led = column.zero_led;
  double sum = 0;
  std::uint64_t known = 0;
  float smallest = 0, largest = 0;
  for (const float value : column.numbers) {
    if (std::isnan(value)) continue;
    smallest = known == 0 ? value : std::min(smallest, value);
    largest = known == 0 ? value : std::max(largest, value);
    sum += value;
    ++known;
  }
  facts.smallest = json::shortest(smallest);
  facts.largest = json::shortest(largest);
  facts.is_constant = smallest == largest;
  facts.mean = known == 0 ? 0 : json::shortest(static_cast<float>(sum / static_cast<double>(known)));
  return facts;
}

std::vector<ColumnFacts> facts_of_columns(const JobData& data) {
  std::vector<ColumnFacts> all;
  const io::NodeTable& table = data.table;
  const bool has_numbers_as_names =
      table.is_id_guessed && table.rows() == data.graph.node_count() && count_rows(table.names);
  for (const io::Column& column : table.columns) {
    all.push_back(column_facts(column));
    all.back().is_label = std::ranges::count(data.config.label, column.name) > 0;
    if (has_numbers_as_names && could_name_nodes(column, data.graph)) all.back().numbered_by = table.id_column;
  }
  return all;
}

std::vector<std::pair<std::string, std::uint64_t>> label_counts(const data::Labels& labels) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const std::string& name : labels.names) counts.emplace_back(name, 0);
  for (const std::int32_t of : labels.classes)
    if (of >= 0) ++counts[static_cast<std::size_t>(of)].second;
  for (Eigen::Index i = 0; i < labels.targets.cols(); ++i) {
    const auto column = labels.targets.col(i).array();
    const bool is_multilabel = labels.task == data::Task::multilabel;
    counts[static_cast<std::size_t>(i)].second =
        static_cast<std::uint64_t>(is_multilabel ? (column > 0.5F).count() : (!column.isNaN()).count());
  }
  return counts;
}

std::vector<std::string> edge_warnings(const graph::Graph& graph, const EdgeFacts& facts) {
  std::vector<std::string> warnings;
  const bool is_directed = graph.direction() == graph::Direction::directed;
  if (facts.edges == 0) warnings.emplace_back("there are no edges: attention has nothing to look at");
  if (is_directed && facts.pairs > 0 && facts.reversed == 0)
    warnings.emplace_back(
        "no edge has a reverse edge although the graph is taken as directed: if ties are mutual, this is an undirected "
        "graph with each edge stored once; use --directed=false");
  if (!is_directed && facts.reversed == facts.pairs && facts.pairs > 0)
    warnings.emplace_back(
        "every edge is listed in both directions: an undirected graph with each edge stored twice; the second of each "
        "pair is a duplicate");
  else if (!is_directed && facts.reversed > 0)
    warnings.push_back(fmt::format(
        "{} ({:.1f} %) {} edges in both directions although the graph is taken as undirected: if the direction means "
        "something, use --directed",
        counted(facts.reversed, "pair of nodes", "pairs of nodes"), percent(facts.reversed, facts.pairs),
        facts.reversed == 1 ? "has" : "have"));
  if (facts.repeated > 0)
    warnings.push_back(counted(facts.repeated, "edge is listed more than once", "edges are listed more than once"));
  if (facts.self_loops > 0)
    warnings.push_back(counted(facts.self_loops, "edge is a self loop", "edges are self loops"));
  if (facts.smallest_weight < 0)
    warnings.push_back(fmt::format(
        "some weights are negative (down to {}): with edge_weights, a node whose weights sum to 0 or less gets nothing "
        "from its neighbours",
        facts.smallest_weight));
  if (facts.isolated > 0)
    warnings.push_back(fmt::format("{} ({:.1f} %) {}", counted(facts.isolated, "node"),
                                   percent(facts.isolated, graph.node_count()),
                                   facts.isolated == 1 ? "has no edge to another node: it sees only itself"
                                                       : "have no edge to another node: they see only themselves"));
  return warnings;
}

std::string reading_doubt(const ColumnFacts& column, std::uint64_t rows) {
  if (2 * (column.decimal_commas + column.thousands) > column.categories)
    return fmt::format("column \"{}\" is taken as categories: its values look like numbers with {}", column.name,
                       column.decimal_commas > 0 ? "a decimal comma; use a decimal point"
                                                 : "commas between thousands; leave the commas out");
  if (2 * column.dates > column.categories)
    return fmt::format("column \"{}\" is taken as categories: its values look like dates; convert them to numbers (a "
                       "year, days since){}",
                       column.name, column.is_label ? "" : " or leave the column out with --ignore");
  if (!column.first_text.empty() && 2 * column.numeric_categories > column.categories)
    return fmt::format(
        "column \"{}\" is taken as categories: {} of its {} different values are numbers, but \"{}\" is not",
        column.name, column.numeric_categories, column.categories, column.first_text);
  if (!column.numbered_by.empty())
    return fmt::format(
        "the names of nodes are the row numbers in the column \"{}\", but \"{}\" holds all names in use, too, in other "
        "rows: --id says which column names the nodes",
        column.numbered_by, column.name);
  if (!column.zero_led.empty())
    return fmt::format("column \"{}\" is taken as numbers, without leading zeros as in {}: for codes, use "
                       "--categorical {}",
                       column.name, column.zero_led, as_argument(column.name));
  if (column.is_label) return "";
  if (!column.is_numeric && rows > 20 && 2 * column.categories > rows)
    return fmt::format(
        "column \"{}\" has {} different texts for {} nodes: a name rather than a category? leave it out with "
        "--ignore {}",
        column.name, column.categories, rows, as_argument(column.name));
  if (column.counts_rows && column.name.starts_with(io::kUnnamedColumn)) return "";  // left out, which is noted
  if (column.counts_rows)
    return fmt::format(
        "column \"{}\" numbers the rows: a row number says nothing about the node, or too much if the rows are "
        "sorted; leave it out with --ignore {}",
        column.name, as_argument(column.name));
  return "";
}

std::vector<std::string> reading_doubts(const JobData& data) {
  std::vector<ColumnFacts> columns;
  if (!data.graphs) columns = facts_of_columns(data);
  for (const std::string& label : data.config.label)
    if (const io::Column* column = data.graphs ? data.table.find(label) : nullptr) {
      columns.push_back(column_facts(*column));
      columns.back().is_label = true;
    }
  std::vector<std::string> doubts;
  for (const ColumnFacts& column : columns) {
    if (std::ranges::count(data.config.ignore, column.name) > 0) continue;
    std::string doubt = reading_doubt(column, data.table.rows());
    if (!doubt.empty()) doubts.push_back(std::move(doubt));
  }
  return doubts;
}

std::vector<std::string> column_warnings(const std::vector<ColumnFacts>& columns, std::uint64_t rows) {
  std::vector<std::string> warnings;
  if (rows == 0) return warnings;
  for (const ColumnFacts& column : columns) {
    if (column.is_empty)
      warnings.push_back(fmt::format("column \"{}\" is empty and not used", column.name));
    else if (column.is_constant)
      warnings.push_back(
          fmt::format("column \"{}\" has the same value everywhere and carries no information", column.name));
    else if (2 * column.missing > rows)
      warnings.push_back(fmt::format("column \"{}\" is missing for {} of {} nodes", column.name, column.missing, rows));
    if (std::string doubt = reading_doubt(column, rows); !doubt.empty()) warnings.push_back(std::move(doubt));
  }
  return warnings;
}

std::vector<std::string> label_warnings(const data::Labels& labels) {
  std::vector<std::string> warnings = data::target_notes(labels);
  std::ranges::copy(constant_labels(labels), std::back_inserter(warnings));
  const auto counts = label_counts(labels);
  std::uint64_t smallest = ~std::uint64_t{0};
  std::uint64_t largest = 0;
  for (const auto& [name, count] : counts) {
    if (count < 5)
      warnings.push_back(fmt::format("label \"{}\": only {} it", name, counted(count, "item has", "items have")));
    smallest = std::min(smallest, count);
    largest = std::max(largest, count);
  }
  if (are_numeric_classes(labels))
    warnings.push_back(fmt::format("the labels are {} different whole numbers, taken as classes: for amounts, use "
                                   "--task regression",
                                   labels.names.size()));
  if (labels.task == data::Task::classification && counts.size() > 1 && largest > 10 * smallest)
    warnings.push_back(fmt::format("the classes are unbalanced ({} to {} nodes): look at macro_f1, and try "
                                   "--class-weights balanced",
                                   smallest, largest));
  return warnings;
}

std::vector<std::string> label_warnings(const JobData& data) {
  if (!data.labels.names.empty()) return label_warnings(data.labels);
  std::vector<std::string> warnings;
  for (const std::string& column : data.config.label) {
    const char* missing = data.table.find(column) != nullptr  ? "there is no value in"
                          : column == data.table.id_column ? "the names of the nodes are in"
                                                           : "there is no";
    warnings.push_back(fmt::format("{} column \"{}\", so there is nothing to learn", missing, column));
  }
  return warnings;
}

std::vector<std::string> molecule_warnings(const GraphItems& molecules, const data::Labels& labels) {
  std::map<std::string, std::vector<graph::Node>> rows_of;
  const std::vector<std::string> smiles = data::canonical_smiles(molecules.smiles);
  for (graph::Node row = 0; row < smiles.size(); ++row)
    if (!smiles[row].empty()) rows_of[smiles[row]].push_back(row);
  std::size_t repeated = 0, different = 0;
  std::string example;
  for (const auto& [text, rows] : rows_of) {
    if (rows.size() < 2) continue;
    const bool are_different = !agree(labels, rows);
    if (repeated == 0 || (are_different && different == 0))
      example = fmt::format("rows {} and {}", molecules.names[rows[0]], molecules.names[rows[1]]);
    ++repeated;
    different += are_different ? 1 : 0;
  }
  if (repeated == 0) return {};
  const std::string but = different > 0 ? fmt::format(", {} of them with different labels", different) : "";
  return {
      fmt::format("{} of {} molecules appear in several rows{} (such as {}): the parts of a random split share them, "
                  "and errors look smaller than they are; --split scaffold keeps them together",
                  repeated, rows_of.size(), but, example)};
}

}  // namespace edgewise::train
