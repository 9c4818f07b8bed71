#include "edgewise/train/source/link_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kFewestTies = 3;  // one for each part

LinkItems ties_of(const graph::Graph& graph) {
  const graph::EdgeList& edges = graph.edges();
  const bool is_directed = graph.direction() == graph::Direction::directed;
  std::unordered_map<std::uint64_t, graph::StoredEdge> known;
  known.reserve(edges.size());
  LinkItems links;
  links.tie_of_edge.assign(edges.size(), LinkItems::kNoTie);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const graph::Node source = edges.sources[e], target = edges.targets[e];
    if (source == target) continue;
    const auto [tie, is_new] =
        known.emplace(pair_key(source, target, is_directed), static_cast<graph::StoredEdge>(links.size()));
    links.tie_of_edge[e] = tie->second;
    if (!is_new) continue;
    links.sources.push_back(source);
    links.targets.push_back(target);
    links.names.add(name_of_link(graph.names(), source, target));
  }
  return links;
}

/// The rows of the edges that ties are first named by.
io::NodeTable rows_of_ties(const LinkItems& links, const io::NodeTable& edges) {
  std::vector<std::size_t> rows(links.size());
  for (std::size_t e = links.tie_of_edge.size(); e-- > 0;)
    if (links.tie_of_edge[e] != LinkItems::kNoTie) rows[links.tie_of_edge[e]] = e;
  io::NodeTable table = io::rows_of(edges, rows);
  table.names = links.names;
  return table;
}

/// Each of them is there.
data::Labels labels_of_ties(std::size_t count) {
  data::Labels labels{.task = *find_task(kLinks), .names = {"tie"}, .classes = {}, .targets = {}};
  labels.targets = Matrix::Ones(static_cast<Eigen::Index>(count), 1);
  labels.are_ranked = true;
  return labels;
}

}  // namespace

void check_links(const DataConfig& config) {
  if (!config.label.empty())
    throw UsageError(fmt::format("data.label: links learns which ties there are, not a column; leave out {}",
                                 setting("data.label")));
  if (!config.frozen.empty())
    throw UsageError(fmt::format("data.frozen: {}: links needs the edges in memory; give the files ({})", config.frozen,
                                 setting("data.edges")));
}

std::vector<graph::Node> ends_of(const LinkItems& links, std::span<const graph::Node> ties) {
  std::vector<graph::Node> nodes;
  for (const graph::Node tie : ties) {
    nodes.push_back(links.sources[tie]);
    nodes.push_back(links.targets[tie]);
  }
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  return nodes;
}

data::Split read_link_split(const std::string& path, const Dataset& data) {
  const LinkItems& links = *data.links;
  const bool is_directed = data.graph.direction() == graph::Direction::directed;
  std::vector<std::uint64_t> keys;
  for (std::size_t tie = 0; tie < links.size(); ++tie)
    keys.push_back(pair_key(links.sources[tie], links.targets[tie], is_directed));
  return read_pair_split(path, data.graph.names(), keys,
                         {.noun = "ties", .is_directed = is_directed, .can_be_loops = false});
}

void write_link_split(const std::string& path, const Dataset& data, const data::Split& split) {
  io::write_text(path, [&](std::ostream& out) {
    out << "source,target,split\n";
    for (std::size_t tie = 0; tie < split.size(); ++tie)
      out << data.links->names[static_cast<graph::Node>(tie)] << ',' << data::role_name(split[tie]) << '\n';
  });
}

void make_links(Dataset& data) {
  if (data.has_many_graphs() || data.pairs || data.frozen)
    throw UsageError(fmt::format("data.task: links is for the edges of one network ({}, {}); {} has {}",
                                 setting("data.edges"), setting("data.graph"), data.name,
                                 data.pairs ? "pairs" : "many graphs"));
  data.links = ties_of(data.graph);
  if (data.links->size() < kFewestTies)
    throw DataError(fmt::format("{}: expected three ties or more between different nodes, to train, validate and test "
                                "on, found {}",
                                data.name, data.links->size()));
  const auto loops = static_cast<std::size_t>(std::ranges::count(data.links->tie_of_edge, LinkItems::kNoTie));
  const std::size_t repeats = data.graph.edge_count() - loops - data.links->size();
  if (repeats > 0)
    data.notes.push_back(fmt::format("{} a tie that was there before{}: each counts once",
                                     counted(repeats, "edge repeats", "edges repeat"),
                                     data.graph.direction() == graph::Direction::directed ? "" : ", or its reverse"));
  if (loops > 0)
    data.notes.push_back(fmt::format("{} from a node to itself, which nobody is asked for",
                                     counted(loops, "edge leads", "edges lead")));
  data.links->nodes = std::exchange(data.table, {});
  if (data.edge_table.rows() > 0) data.table = rows_of_ties(*data.links, data.edge_table);
  data.labels = labels_of_ties(data.links->size());
  data.splits.clear();
  data.reading.label.clear();
}

}  // namespace edgewise::train
