#include "edgewise/train/source/link_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/data/time_split.hpp"
#include "edgewise/graph/link_candidates.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

constexpr std::ptrdiff_t kFewestOfSide = 10;  // of a few nodes it may be chance

/// An edge of the graph that is, unless it is a loop, a tie between these nodes.
struct TieEdge {
  std::size_t edge;
  graph::Node source, target;
  bool is_added = false;  ///< The user has it only the other way round.
};

std::vector<TieEdge> edges_of_ties(const Dataset& data) {
  const graph::EdgeList& edges = data.graph.edges();
  std::vector<TieEdge> found;
  const bool is_of_kinds = data.kinds.has_value();
  const Eigen::Index column = is_of_kinds ? data.kinds->column_of(*data.kinds->asked) : 0;
  const bool is_undirected = is_of_kinds && data.kinds->relations[*data.kinds->asked].is_undirected;
  const auto has = [&](std::size_t e, Eigen::Index feature) {
    return edges.features(static_cast<Eigen::Index>(e), feature) != 0;
  };
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const graph::Node source = edges.sources[e], target = edges.targets[e];
    if (!is_of_kinds || has(e, column)) {
      found.push_back({e, source, target});
      // Its reverse, which has the same number, follows.
      if (is_undirected && source != target) found.push_back({++e, source, target, /*is_added=*/true});
    } else if (!is_undirected && has(e, column + 1)) {
      found.push_back({e, target, source, /*is_added=*/true});
    }
  }
  return found;
}

/// Whether ties have a direction: those between two kinds of nodes need none.
graph::Direction direction_of_ties(const Dataset& data) {
  if (!data.kinds) return data.graph.direction();
  const Relation& relation = data.kinds->relations[*data.kinds->asked];
  const bool is_within = relation.source == relation.target;
  return is_within && !relation.is_undirected ? graph::Direction::directed : graph::Direction::undirected;
}

LinkItems ties_of(const Dataset& data, const std::vector<TieEdge>& edges) {
  LinkItems links;
  links.direction = direction_of_ties(data);
  const bool is_directed = links.direction == graph::Direction::directed;
  std::unordered_map<std::uint64_t, graph::StoredEdge> known;
  known.reserve(edges.size());
  links.tie_of_edge.assign(data.graph.edges().size(), LinkItems::kNoTie);
  for (const TieEdge& edge : edges) {
    if (edge.source == edge.target) continue;
    const auto [tie, is_new] =
        known.emplace(pair_key(edge.source, edge.target, is_directed), static_cast<graph::StoredEdge>(links.size()));
    links.tie_of_edge[edge.edge] = tie->second;
    if (!is_new) continue;
    links.sources.push_back(edge.source);
    links.targets.push_back(edge.target);
  }
  return links;
}

/// Those that are asked for where not all can be, ascending: the latest, so that the others are earlier than what is
/// tested; without times some at random, the same in each run.
std::vector<std::size_t> asked_ties(std::size_t count, std::span<const double> times) {
  std::vector<std::size_t> ties(count);
  std::iota(ties.begin(), ties.end(), std::size_t{0});
  if (times.empty()) {
    Random random(0, Stream::split);
    shuffle(std::span(ties), random);
  } else {
    const auto age = [&](std::size_t tie) {
      return std::isnan(times[tie]) ? std::numeric_limits<double>::infinity() : -times[tie];
    };
    std::ranges::stable_sort(ties, {}, age);
  }
  ties.resize(kMostTies);
  std::ranges::sort(ties);
  return ties;
}

/// Moves these ties to the front, the items; the others keep their order.
void put_items_first(const std::vector<std::size_t>& items, LinkItems& links) {
  std::vector<bool> is_item(links.all());
  for (const std::size_t tie : items) is_item[tie] = true;
  std::vector<std::size_t> order = items;
  for (std::size_t tie = 0; tie < links.all(); ++tie)
    if (!is_item[tie]) order.push_back(tie);
  std::vector<graph::StoredEdge> place(order.size());
  std::vector<graph::Node> sources, targets;
  for (const std::size_t tie : order) {
    place[tie] = static_cast<graph::StoredEdge>(sources.size());
    sources.push_back(links.sources[tie]);
    targets.push_back(links.targets[tie]);
  }
  for (graph::StoredEdge& tie : links.tie_of_edge)
    if (tie != LinkItems::kNoTie) tie = place[tie];
  links.sources = std::move(sources);
  links.targets = std::move(targets);
  links.others = order.size() - items.size();
}

/// If there are more than can be asked for, makes some of them the items, and their rows the table.
void keep_asked(Dataset& data, std::span<const double> times) {
  LinkItems& links = *data.links;
  if (links.all() <= kMostTies) return;
  data.notes.push_back(
      fmt::format("of {} ties, {}{} are predicted in training, validation and test; the others are always seen; {} "
                  "names others",
                  links.all(), times.empty() ? "" : "the latest ", kMostTies, setting("split.file")));
  const std::vector<std::size_t> items = asked_ties(links.all(), times);
  if (data.table.rows() > 0) data.table = io::rows_of(data.table, items);
  put_items_first(items, links);
}

void name_items(const PairNames& nodes, LinkItems& links) {
  for (std::size_t tie = 0; tie < links.size(); ++tie)
    links.names.add(name_of_link(nodes, links.sources[tie], links.targets[tie]));
}

/// Which nodes can stand at which end.
void set_sides(const Dataset& data, LinkItems& links) {
  const Relation& relation = data.kinds->relations[*data.kinds->asked];
  links.has_two_sides = relation.source != relation.target;
  links.sides.assign(data.graph.node_count(), graph::kNoSide);
  const auto place = [&](const NodeKind& kind, std::uint8_t side) {
    std::fill_n(links.sides.begin() + kind.first, kind.count, side);
  };
  place(data.kinds->kinds[relation.target], graph::kTargetSide);
  place(data.kinds->kinds[relation.source], graph::kSourceSide);
}

/// Whether no node is in both columns of the edges: users and what they rate, as two kinds that are read as one. Then
/// ties lead from the nodes of the one to those of the other. `known`: what a model was trained on.
void find_sides(const Dataset& data, std::optional<bool> known, LinkItems& links) {
  if (known == false) return;
  std::vector<std::uint8_t> sides(data.graph.node_count(), graph::kNoSide);
  for (const graph::Node source : links.sources) sides[source] = graph::kSourceSide;
  for (const graph::Node target : links.targets) {
    if (sides[target] == graph::kSourceSide && known)
      throw DataError(fmt::format("{}: node \"{}\" is at both ends of ties; the model was trained on ties that lead "
                                  "from the nodes of one column to those of the other",
                                  data.name, data.graph.names()[target]));
    if (sides[target] == graph::kSourceSide) return;
    sides[target] = graph::kTargetSide;
  }
  const auto count = [&](std::uint8_t side) { return std::ranges::count(sides, side); };
  if (!known && std::min(count(graph::kSourceSide), count(graph::kTargetSide)) < kFewestOfSide) return;
  links.sides = std::move(sides);
  links.has_two_sides = true;
  links.direction = graph::Direction::undirected;
}

void note_sides(Dataset& data) {
  const auto count = [&](std::uint8_t side) { return std::ranges::count(data.links->sides, side); };
  data.notes.push_back(fmt::format("no node is in both columns of the edges: ties lead from the {} of the first to the "
                                   "{} of the second",
                                   count(graph::kSourceSide), count(graph::kTargetSide)));
}

bool is_earlier(double time, double other) { return time < other || (std::isnan(other) && !std::isnan(time)); }

/// The row of each tie in the table of the edges: of those of its edges the earliest, or the first without times.
std::vector<std::size_t> rows_of_ties(const LinkItems& links, const std::vector<TieEdge>& edges,
                                      std::span<const double> times) {
  std::vector<std::size_t> rows;
  std::size_t row = 0;
  for (const TieEdge& edge : edges) {
    if (edge.is_added) continue;
    const graph::StoredEdge tie = links.tie_of_edge[edge.edge];
    if (tie == rows.size())
      rows.push_back(row);
    else if (tie != LinkItems::kNoTie && !times.empty() && is_earlier(times[row], times[rows[tie]]))
      rows[tie] = row;
    ++row;
  }
  return rows;
}

/// Makes the table that of the ties. Their times, if the edges have any.
std::vector<double> take_rows_of_ties(const std::vector<TieEdge>& edges, const std::string& time, Dataset& data) {
  const io::NodeTable& table = data.edge_table;
  if (table.rows() == 0) return {};
  const bool has_times = !time.empty() && table.find(time) != nullptr;
  const std::vector<double> of_edges = has_times ? data::read_times(table, time) : std::vector<double>();
  const std::vector<std::size_t> rows = rows_of_ties(*data.links, edges, of_edges);
  data.table = io::rows_of(table, rows);
  std::vector<double> times;
  if (has_times)
    for (const std::size_t row : rows) times.push_back(of_edges[row]);
  return times;
}

/// The other relations between the kinds of that whose ties are asked for.
std::vector<std::size_t> relations_beside_asked(const Dataset& data) {
  if (!data.kinds) return {};
  const std::vector<Relation>& relations = data.kinds->relations;
  const auto kinds = [&](std::size_t i) { return std::minmax(relations[i].source, relations[i].target); };
  std::vector<std::size_t> beside;
  for (std::size_t i = 0; i < relations.size(); ++i)
    if (i != *data.kinds->asked && kinds(i) == kinds(*data.kinds->asked)) beside.push_back(i);
  return beside;
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
  if (config.encodings != EncodingConfig{})
    throw UsageError("data.encodings: are made from all ties, which would give away those to predict");
}

std::vector<std::string> repeated_relation_notes(const Dataset& data) {
  constexpr double kMost = 0.2;
  const std::vector<std::size_t> beside = relations_beside_asked(data);
  if (beside.empty()) return {};
  std::vector<std::string> notes;
  const graph::EdgeList& edges = data.graph.edges();
  const LinkItems& links = *data.links;
  std::unordered_set<std::uint64_t> ties;
  for (std::size_t tie = 0; tie < links.all(); ++tie)
    ties.insert(pair_key(links.sources[tie], links.targets[tie], /*is_directed=*/false));
  for (const std::size_t relation : beside) {
    const Eigen::Index column = data.kinds->column_of(relation);
    std::unordered_set<std::uint64_t> shared;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges.features(static_cast<Eigen::Index>(e), column) == 0) continue;
      const std::uint64_t key = pair_key(edges.sources[e], edges.targets[e], /*is_directed=*/false);
      if (ties.contains(key)) shared.insert(key);
    }
    if (static_cast<double>(shared.size()) <= kMost * static_cast<double>(ties.size())) continue;
    notes.push_back(fmt::format("the relation {} has {:.3g} % of the ties to predict, in one direction or the "
                                "other: if it follows from them, it gives them away; leave it out then",
                                data.kinds->names_of_relations()[relation],
                                100 * static_cast<double>(shared.size()) / static_cast<double>(ties.size())));
  }
  return notes;
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
  const bool is_directed = links.direction == graph::Direction::directed;
  std::vector<std::uint64_t> keys;
  for (std::size_t tie = 0; tie < links.size(); ++tie)
    keys.push_back(pair_key(links.sources[tie], links.targets[tie], is_directed));
  return read_pair_split(path, data.pair_names(), keys,
                         {.noun = "ties", .is_directed = is_directed, .can_be_loops = false});
}

void write_link_split(const std::string& path, const Dataset& data, const data::Split& split) {
  const PairNames nodes = data.pair_names();
  io::write_text(path, [&](std::ostream& out) {
    out << "source,target,split\n";
    for (std::size_t tie = 0; tie < split.size(); ++tie)
      out << data.links->names[static_cast<graph::Node>(tie)] << ',' << data::role_name(split[tie]) << '\n';
    for (std::size_t tie = split.size(); tie < data.links->all(); ++tie)
      out << name_of_link(nodes, data.links->sources[tie], data.links->targets[tie]) << ','
          << data::role_name(data::Role::train) << '\n';
  });
}

void make_links(Dataset& data, const TieOptions& options) {
  if (data.has_many_graphs() || data.pairs || data.frozen)
    throw UsageError(fmt::format("data.task: links is for the edges of one network ({}, {}); {} has {}",
                                 setting("data.edges"), setting("data.graph"), data.name,
                                 data.pairs ? "pairs" : "many graphs"));
  if (!data.kinds && !data.reading.relation.empty())
    throw UsageError(fmt::format("data.relation: the relation whose ties are learnt is for several of them ({} "
                                 "people:buys:products=FILE), but {} has one",
                                 setting("data.edges"), data.name));
  const std::vector<TieEdge> edges = edges_of_ties(data);
  data.links = ties_of(data, edges);
  data.kinds ? set_sides(data, *data.links) : find_sides(data, options.has_two_sides, *data.links);
  if (data.links->size() < options.fewest)
    throw DataError(fmt::format("{}: expected {} or more between different nodes{}, found {}", data.name,
                                counted(options.fewest, "tie"),
                                options.fewest > 1 ? ", to train, validate and test on" : "", data.links->size()));
  const auto given = static_cast<std::size_t>(std::ranges::count(edges, false, &TieEdge::is_added));
  const auto loops = static_cast<std::size_t>(
      std::ranges::count_if(edges, [](const TieEdge& edge) { return edge.source == edge.target && !edge.is_added; }));
  const std::size_t repeats = given - loops - data.links->size();
  if (!data.kinds && data.links->has_two_sides) note_sides(data);
  if (repeats > 0)
    data.notes.push_back(fmt::format("{} a tie that was there before{}: each counts once",
                                     counted(repeats, "edge repeats", "edges repeat"),
                                     data.links->direction == graph::Direction::directed ? "" : ", or its reverse"));
  if (loops > 0)
    data.notes.push_back(fmt::format("{} from a node to itself: not predicted",
                                     counted(loops, "edge leads", "edges lead")));
  data.links->nodes = std::exchange(data.table, {});
  const std::vector<double> times = take_rows_of_ties(edges, options.time, data);
  if (!options.asks_all) keep_asked(data, times);
  name_items(data.pair_names(), *data.links);
  if (data.table.rows() > 0) data.table.names = data.links->names;
  data.labels = labels_of_ties(data.links->size());
  data.splits.clear();
  data.reading.label.clear();
}

}  // namespace edgewise::train
