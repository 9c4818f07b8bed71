#include "edgewise/train/use/result_network.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/use/molecule_lists.hpp"

namespace edgewise::train {
namespace {

/// Edges are the items, so that the attributes of items are theirs.
io::ResultGraph with_labelled_edges(const EdgeItems& edges, const io::Predictions& predictions) {
  io::ResultGraph network{.name = "predictions",
                          .direction = edges.is_directed ? graph::Direction::directed : graph::Direction::undirected,
                          .nodes = std::vector<graph::Node>(edges.nodes.size()),
                          .sources = edges.sources,
                          .targets = edges.targets,
                          .edge_attributes = io::node_attributes(predictions, edges.size())};
  std::iota(network.nodes.begin(), network.nodes.end(), graph::Node{0});
  std::erase_if(network.edge_attributes,
                [](const auto& attribute) { return attribute.name == "source" || attribute.name == "target"; });
  return network;
}

/// An edge as the user gave it, and its relation.
struct NamedEdge {
  std::size_t place = 0;
  std::string_view relation;
};

/// Nothing for the reverse of an edge whose reverse differs.
std::optional<std::size_t> relation_of(const NodeKinds& kinds, const graph::EdgeList& edges, std::size_t place) {
  for (std::size_t relation = 0; relation < kinds.relations.size(); ++relation)
    if (edges.features(static_cast<Eigen::Index>(place), kinds.column_of(relation)) != 0) return relation;
  return std::nullopt;
}

/// The edges without the reverses that they are there with.
std::vector<NamedEdge> edges_of_user(const NodeKinds& kinds, const graph::EdgeList& edges) {
  std::vector<NamedEdge> given;
  for (std::size_t place = 0; place < edges.size(); ++place) {
    const std::optional<std::size_t> found = relation_of(kinds, edges, place);
    if (!found) continue;
    const Relation& relation = kinds.relations[*found];
    given.push_back({place, relation.name});
    if (relation.is_undirected && edges.sources[place] != edges.targets[place]) ++place;  // the reverse follows
  }
  return given;
}

io::ResultGraph of_kinds(const Dataset& data, const io::Predictions& predictions) {
  io::ResultGraph network = io::predicted_graph(data.graph, predictions);
  const graph::EdgeList& edges = data.graph.edges();
  const NodeKinds& kinds = *data.kinds;
  const auto given = std::make_shared<const std::vector<NamedEdge>>(edges_of_user(kinds, edges));
  network.sources.clear();
  network.targets.clear();
  for (const NamedEdge& edge : *given) {
    network.sources.push_back(edges.sources[edge.place]);
    network.targets.push_back(edges.targets[edge.place]);
  }
  const auto kind = [&kinds](std::size_t node) { return kinds.kind_of(static_cast<graph::Node>(node)).name; };
  const auto relation = [given](std::size_t row) { return std::string((*given)[row].relation); };
  network.node_attributes.push_back({"kind", io::AttributeType::text, kind});
  network.edge_attributes = {{"relation", io::AttributeType::text, relation}};
  return network;
}

/// Atoms have the values of atoms, and bonds those of bonds.
io::ResultGraph of_atoms(const Dataset& data, const io::Predictions& predictions) {
  io::ResultGraph network = io::predicted_graph(data.graph, predictions);
  for (io::ResultAttribute& attribute : network.node_attributes)
    attribute.value = [&data, name = attribute.name, value = std::move(attribute.value)](std::size_t node) {
      const bool is_bond = &targets_of(data, static_cast<graph::Node>(node)) == &data.reading.bond_target;
      return says_of(data.reading, name, is_bond) ? value(node) : "";
    };
  return network;
}

}  // namespace

const graph::NodeNames& names_of_network(const Dataset& data) {
  return data.edges ? data.edges->nodes : data.graph.names();
}

io::ResultGraph result_network(const Dataset& data, const io::Predictions& predictions) {
  if (data.edges) return with_labelled_edges(*data.edges, predictions);
  if (data.atoms) return of_atoms(data, predictions);
  return data.kinds ? of_kinds(data, predictions) : io::predicted_graph(data.graph, predictions);
}

}  // namespace edgewise::train
