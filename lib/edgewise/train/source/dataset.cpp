#include "edgewise/train/source/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::train {

std::vector<std::string> GraphItems::smiles_of(std::string_view column) const {
  const auto found = mixtures ? std::ranges::find(mixtures->names, column) : std::vector<std::string>::const_iterator();
  if (!mixtures || found == mixtures->names.end())
    throw UsageError(fmt::format("split.group: expected one of the columns of molecules ({}), got {}",
                                 setting("data.smiles"), io::quote(column)));
  const auto place = static_cast<std::size_t>(found - mixtures->names.begin());
  std::vector<std::string> texts;
  for (const std::string& text : smiles) {
    const std::vector<io::MixturePart> parts = io::split_mixture(text).parts;
    const auto part = std::ranges::find(parts, place, &io::MixturePart::place);
    texts.push_back(part == parts.end() ? "" : part->smiles);
  }
  return texts;
}

PairNames EdgeItems::names() const {
  return source_kind.empty() ? PairNames(nodes) : PairNames(nodes, source_kind, target_kind);
}

std::uint64_t EdgeItems::key(std::size_t item) const {
  return pair_key(sources[item], targets[item], is_directed);
}

std::size_t NodeKinds::edge_count() const {
  return std::accumulate(relations.begin(), relations.end(), std::size_t{0},
                         [](std::size_t sum, const Relation& relation) { return sum + relation.edges; });
}

Eigen::Index NodeKinds::column_of(std::size_t relation) const {
  Eigen::Index column = 0;
  for (std::size_t r = 0; r < relation; ++r) column += relations[r].is_undirected ? 1 : 2;
  return column;
}

std::vector<std::string> NodeKinds::names_of_relations() const {
  std::vector<std::string> names;
  for (const Relation& relation : relations)
    names.push_back(fmt::format("{}:{}:{}", kinds[relation.source].name, relation.name, kinds[relation.target].name));
  return names;
}

const NodeKind& NodeKinds::kind_of(graph::Node node) const {
  const auto next = std::ranges::upper_bound(kinds, node, {}, &NodeKind::first);
  return *std::prev(next);
}

std::string NodeKinds::describe(const graph::NodeNames& names, graph::Node node) const {
  const NodeKind& kind = kind_of(node);
  return fmt::format("{} {}", kind.name, io::quote(names[node].substr(kind.name.size() + 1)));
}

std::size_t Dataset::edge_count() const {
  if (edges) return edges->size();
  if (kinds) return kinds->edge_count();
  return frozen ? frozen->edge_count() : graph.edge_count();
}

PairNames Dataset::pair_names() const {
  if (edges) return edges->names();
  if (!kinds && links && links->has_two_sides) return {graph.names(), links->sides};
  if (!kinds || !kinds->asked) return graph.names();
  const Relation& relation = kinds->relations[*kinds->asked];
  return {graph.names(), kinds->kinds[relation.source].name, kinds->kinds[relation.target].name};
}

std::optional<graph::Node> Dataset::find_node(std::string_view name) const {
  if (!kinds) return graph.names().find(name);
  if (const std::optional<graph::Node> item = kinds->items.find(name)) return item;
  const std::optional<graph::Node> node = graph.names().find(name);
  return node && *node < kinds->items.size() ? node : std::nullopt;
}

Noun GraphItems::noun() const {
  if (are_reactions) return {"reaction", "reactions"};
  if (mixtures) return {"mixture", "mixtures"};
  return are_molecules ? Noun{"molecule", "molecules"} : Noun{"graph", "graphs"};
}

Noun Dataset::noun() const {
  if (links) return {"tie", "ties"};
  if (edges) return {"edge", "edges"};
  if (pairs) return {"pair", "pairs"};
  if (graphs) return graphs->noun();
  if (!atoms) return {"node", "nodes"};
  if (reading.bond_target.empty()) return {"atom", "atoms"};
  return reading.atom_target.empty() ? Noun{"bond", "bonds"} : Noun{"atom or bond", "atoms and bonds"};
}

}  // namespace edgewise::train
