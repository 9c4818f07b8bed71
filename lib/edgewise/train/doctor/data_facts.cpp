#include "edgewise/train/doctor/data_facts.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/graph/components.hpp"
#include "edgewise/graph/duplicate_edges.hpp"

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
  const auto below = degrees.size() % 2 == 0 ? std::max_element(degrees.begin(), middle) : middle;
  facts.median_degree = (static_cast<double>(*below) + static_cast<double>(*middle)) / 2;
  facts.smallest_degree = *std::min_element(degrees.begin(), degrees.end());
}

/// Whether the names are 0, 1, 2, ... or 1, 2, 3, ...
bool are_row_numbers(const graph::NodeNames& names) {
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

/// Nodes that edges lead from, but not to.
std::uint64_t count_without_incoming(const graph::EdgeList& edges, std::size_t nodes) {
  std::vector<bool> speaks(nodes, false), hears(nodes, false);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (edges.sources[e] == edges.targets[e]) continue;
    speaks[edges.sources[e]] = true;
    hears[edges.targets[e]] = true;
  }
  std::uint64_t count = 0;
  for (std::size_t node = 0; node < nodes; ++node) count += speaks[node] && !hears[node] ? 1 : 0;
  return count;
}

}  // namespace

EdgeFacts edge_facts(const graph::Graph& graph) {
  EdgeFacts facts;
  const graph::EdgeList& edges = graph.edges();
  facts.edges = edges.size();
  if (graph.direction() == graph::Direction::directed)
    facts.without_incoming = count_without_incoming(edges, graph.node_count());
  count_self_loops(edges, graph.node_count(), facts);
  summarise_degrees(count_ties(sorted_ties(edges), graph.node_count(), facts), graph.names(), facts);
  const graph::Components components = graph::connected_components(graph);
  facts.components = components.count();
  for (const std::size_t size : components.sizes)
    facts.largest_component = std::max<std::uint64_t>(facts.largest_component, size);
  const std::vector<float> weights = graph::weights_in_use(graph);
  if (weights.empty()) return facts;
  const auto [smallest, largest] = std::minmax_element(weights.begin(), weights.end());
  facts.smallest_weight = json::shortest(*smallest);
  facts.largest_weight = json::shortest(*largest);
  return facts;
}

void visit_columns(const Dataset& data, const io::NodeTable& table,
                   const std::function<void(const ColumnFacts&)>& visit) {
  const bool has_numbers_as_names =
      table.is_id_guessed && table.rows() == data.graph.node_count() && are_row_numbers(table.names);
  for (const io::Column& column : table.columns) {
    ColumnFacts facts = column_facts(column, table.lines);
    facts.is_label = std::ranges::count(data.reading.label, column.name) > 0;
    facts.is_placing = data.collection && std::ranges::count(data.collection->placing, column.name) > 0;
    if (has_numbers_as_names && could_name_nodes(column, data.graph)) facts.numbered_by = table.id_column;
    visit(facts);
  }
}

std::vector<ColumnFacts> facts_of_columns(const Dataset& data, const io::NodeTable& table) {
  std::vector<ColumnFacts> all;
  visit_columns(data, table, [&](const ColumnFacts& facts) { all.push_back(facts); });
  return all;
}

std::vector<std::pair<std::string, std::uint64_t>> label_counts(const data::Labels& labels) {
  std::vector<std::pair<std::string, std::uint64_t>> counts;
  for (const std::string& name : labels.names) counts.emplace_back(name, 0);
  for (const std::int32_t of : labels.classes)
    if (of >= 0) ++counts[static_cast<std::size_t>(of)].second;
  for (Eigen::Index i = 0; i < labels.targets.cols(); ++i) {
    const auto column = labels.targets.col(i).array();
    counts[static_cast<std::size_t>(i)].second =
        static_cast<std::uint64_t>(labels.has_flags() ? (column > 0.5F).count() : (!column.isNaN()).count());
  }
  return counts;
}

}  // namespace edgewise::train
