#include <fmt/format.h>

#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/kinds.hpp"

namespace edgewise::train {
namespace {

/// Graphs of one's own, with edges and labels of the graphs, are like those of a TU folder.
bool are_graphs(const json::Value& data) {
  const auto has = [&](const char* member) { return !data.get(member, "").empty(); };
  return has("graph_column") && has("graphs") && has("edges");
}

std::vector<std::string> candidates(const Dataset& data) {
  if (!data.collection || data.atoms) return {};
  if (data.graphs && !data.reading.edges.empty()) return {"neighbour_trees", "mlp", "sage", "gatv2"};
  return {"mlp", "window", "convolution", "lstm", "attention"};
}

/// How a model's collection is read: the members for other ways do not fit it.
struct CollectionLayout {
  const char* name;
  std::string advice;
  std::vector<const char*> foreign;
};

CollectionLayout layout_of_collection(const DataConfig& trained) {
  if (!trained.graph_column.empty())
    return {"graphs whose nodes are rows of a table",
            fmt::format("such a table ({}, {})", setting("data.nodes"), setting("data.graph_column")),
            {"texts", "grid", "sequence", "graph"}};
  if (!trained.grid.empty() || trained.sequence)
    return {"graphs that are rows of a table",
            fmt::format("such a table ({})", setting("data.nodes")),
            {"texts", "graph_column", "edges", "graph"}};
  return {"texts",
          fmt::format("a table of texts ({})", setting("data.texts")),
          {"nodes", "graph_column", "grid", "sequence", "edges", "graph"}};
}

/// Refuses other collections than those of training.
void check_way(const Reuse& reuse) {
  const CollectionLayout way = layout_of_collection(reuse.trained);
  for (const char* member : way.foreign)
    if (reuse.gives(member))
      throw ModelError(fmt::format("{}: data.{}: the model was trained on {}: give {}", reuse.path, member, way.name,
                                   way.advice));
}

/// Refuses to split or cut items in another way than in training, which gives nodes that the model does not know.
void check_making_of_nodes(const Reuse& reuse, const DataConfig& data) {
  const auto check = [&](const char* member, const auto& given, const auto& known) {
    if (reuse.gives(member) && given != known)
      throw ModelError(fmt::format("{}: data.{}: expected \"{}\", as in training, got \"{}\"", reuse.path, member,
                                   known, given));
  };
  const std::vector<std::string> names = data::tokens_names();
  const auto name_of = [&](data::Tokens tokens) { return names[static_cast<std::size_t>(tokens)]; };
  check("tokens", name_of(data.tokens), name_of(reuse.trained.tokens));
  check("affixes", data.affixes.value_or(0), reuse.trained.affixes.value_or(0));
  check("grid", data.grid, reuse.trained.grid);
}

/// Other nodes of a collection replace its edges, too: takes the edges of training for its nodes, and refuses other
/// nodes without edges if the model sees them.
void take_edges_of_training(const Reuse& reuse, DataConfig& data, std::vector<std::string>& notes) {
  const DataConfig& trained = reuse.trained;
  check_making_of_nodes(reuse, data);
  if (trained.edges.empty() || !data.edges.empty() || !data.dataset.empty() || !reuse.sees_edges) return;
  if (data.nodes != trained.nodes)
    throw ModelError(fmt::format("{}: the model was trained with edges between the nodes: give those of {} ({})",
                                 reuse.path, data.nodes, setting("data.edges")));
  data.edges = trained.edges;
  notes.push_back(
      fmt::format("{}: uses the edges of training, because {} is not given", data.edges, setting("data.edges")));
}

}  // namespace

const Source& collection_source() {
  static const Source kSource{
      .noun = "a collection",
      .named_by = {"graph_column", "texts", "grid", "sequence"},
      .takes = {DataGroup::nodes, DataGroup::names, DataGroup::unknown_nodes, DataGroup::edge_columns,
                DataGroup::target, DataGroup::edges, DataGroup::tables, DataGroup::labels, DataGroup::collection},
      .replaces = {"nodes", "texts", "graphs"},
      .shape = [](const json::Value& data) { return are_graphs(data) ? DataShape::graphs : DataShape::collection; },
      .check = [](const DataConfig&) {},  // what a collection of the catalogue says is known when it is read
      .read = load_collection,
      .rank = 1,
      .settings = {"edges"},  // between its nodes
      .is_setting = true,
      .renewed_by = {"nodes", "texts"},
      .alone = "data: a collection cannot be combined with another source of data",
      .suits = [](const data::CatalogueSet& set) { return set.is_collection(); },
      .read_set = load_collection_set,
      .defaults =
          [](const json::Value& given) {
            return are_graphs(given.at("data")) ? graph_defaults(given) : collection_defaults(given);
          },
      .candidates = candidates,
      .check_reuse = check_way,
      .adapt = take_edges_of_training};
  return kSource;
}

}  // namespace edgewise::train
