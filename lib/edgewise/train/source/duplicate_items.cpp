#include "edgewise/train/source/duplicate_items.hpp"

#include <cstdint>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/splits.hpp"

namespace edgewise::train {
namespace {

std::vector<graph::Node> find_equal_molecules(const GraphItems& items) {
  const std::vector<std::string> smiles = data::canonical_smiles(items.smiles);
  std::vector<graph::Node> first(smiles.size());
  std::iota(first.begin(), first.end(), graph::Node{0});
  std::unordered_map<std::string_view, graph::Node> places;
  bool is_any_repeated = false;
  for (graph::Node row = 0; row < smiles.size(); ++row) {
    if (smiles[row].empty() || !items.problems[row].empty()) continue;
    first[row] = places.emplace(smiles[row], row).first->second;
    is_any_repeated = is_any_repeated || first[row] != row;
  }
  return is_any_repeated ? first : std::vector<graph::Node>();
}

/// For each pair the first one with the same source; empty if all differ.
std::vector<graph::Node> find_equal_sources(const PairItems& pairs) {
  std::unordered_map<std::string_view, graph::Node> places;
  std::vector<graph::Node> first;
  for (const std::string& source : pairs.texts.sources)
    first.push_back(places.emplace(source, static_cast<graph::Node>(first.size())).first->second);
  return places.size() < first.size() ? first : std::vector<graph::Node>();
}

/// For each edge the first one between the same nodes; empty if all differ.
std::vector<graph::Node> find_equal_edges(const EdgeItems& edges) {
  std::unordered_map<std::uint64_t, graph::Node> places;
  std::vector<graph::Node> first;
  for (graph::Node edge = 0; edge < edges.size(); ++edge)
    first.push_back(places.emplace(edges.key(edge), edge).first->second);
  return places.size() < first.size() ? first : std::vector<graph::Node>();
}

}  // namespace

const std::vector<graph::Node>& duplicate_of(const Dataset& data) {
  return data.duplicates.get([&] {
    if (data.pairs) return find_equal_sources(*data.pairs);
    if (data.edges) return find_equal_edges(*data.edges);
    return data.graphs && data.graphs->are_molecules ? find_equal_molecules(*data.graphs) : std::vector<graph::Node>();
  });
}

std::vector<graph::Node> first_labelled(std::span<const graph::Node> first, const data::Labels& labels) {
  std::vector<graph::Node> result(first.size());
  std::iota(result.begin(), result.end(), graph::Node{0});
  std::unordered_map<graph::Node, graph::Node> places;
  for (const graph::Node item : data::labelled_nodes(labels))
    result[item] = places.emplace(first[item], item).first->second;
  return result;
}

data::Labels labels_of_firsts(std::span<const graph::Node> first, data::Labels labels) {
  for (graph::Node item = 0; item < first.size(); ++item)
    if (first[item] != item) data::forget_label(item, labels);
  return labels;
}

}  // namespace edgewise::train
