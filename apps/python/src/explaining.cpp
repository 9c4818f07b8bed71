#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/train/explain/effect_picture.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/explain/node_attention.hpp"
#include "edgewise/train/source/node_pairs.hpp"
#include "jobs.hpp"
#include "model.hpp"
#include "tables.hpp"

namespace edgewise::python {
namespace {

/// Who attends to whom; see io::AttentionTable. Bound types need distinct names, even if private to a file.
struct ModelAttention {
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  std::vector<std::int64_t> edges;  ///< -1 for an added self loop.
  std::vector<Matrix> layers;
  std::vector<std::string> notes;
};

/// Of all nodes, or of the one called `node` alone, in the layers over `mask`; "": along edges, if a layer does.
ModelAttention attention(const Model& model, const std::string& over, const Tables& tables, const std::string& mask,
                         const std::string& node) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  ModelAttention result;
  train::ModelData loaded = train::load_model_data(train::open_model(model.restore(), request_of(model, over)),
                                                   train::Needs::features, into(result.notes));
  if (loaded.data.graphs)
    throw UsageError("attention: graphs have the labels: explain(row=...) is about one of them");
  const graph::NodeNames& names = loaded.data.graph.names();
  const std::optional<graph::Node> only = node.empty() ? std::nullopt : names.find(node);
  if (!node.empty() && !only) throw UsageError(fmt::format("attention: there is no node \"{}\"", node));
  const train::NodeAttention answer = train::attention_of_nodes(model.name, loaded, into(result.notes));
  const std::string chosen = train::choose_mask(mask, answer.records);
  const io::AttentionTable table =
      train::collect_rows(answer.batches->mask(chosen), train::records_over(chosen, answer.records), only);
  for (const graph::Node source : table.sources) result.sources.emplace_back(names[source]);
  for (const graph::Node target : table.targets) result.targets.emplace_back(names[target]);
  for (const graph::StoredEdge edge : table.edges)
    result.edges.push_back(edge == graph::kAddedSelfLoop ? -1 : static_cast<std::int64_t>(edge));
  result.layers = table.layers;
  return result;
}

json::Value to_json(const train::GraphAttention& answer) {
  json::Array names, edges;
  for (graph::Node i = 0; i < answer.names.size(); ++i) names.emplace_back(answer.names[i]);
  for (const auto& [source, target] : answer.ends)
    edges.push_back(json::Array{static_cast<std::int64_t>(source), static_cast<std::int64_t>(target)});
  return json::Object{{"names", std::move(names)},
                      {"tokens", answer.tokens},
                      {"nodes", answer.summary.nodes},
                      {"is_by_readout", answer.summary.is_by_readout},
                      {"edges", std::move(edges)},
                      {"edge_attention", answer.summary.edges}};
}

/// {"row": ..., "prediction": {...}, "names": [...], "tokens": [...], "nodes": [...], "is_by_readout": ...,
///  "edges": [[source, target], ...], "edge_attention": [...], "svg": ..., "notes": [...]}
std::string explain(const Model& model, const std::string& over, const Tables& tables, std::int64_t row) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::ModelData loaded =
      train::load_row(train::open_model(model.restore(), request_of(model, over)), row, into(notes));
  if (!loaded.data.graphs) throw UsageError("explain: is for graphs; attention says whom the nodes of one attend to");
  const train::GraphAttention answer =
      train::attention_of_graph(model.name, loaded, train::item_in_row(loaded, row), into(notes));
  json::Value result = to_json(answer);
  result.set("row", row);
  result.set("prediction", train::row_to_json(loaded.trained.label_names, answer.prediction, 0));
  const std::optional<std::string> picture = train::draw(loaded, answer);
  result.set("svg", picture ? json::Value(*picture) : json::Value());
  result.set("notes", notes);
  return json::dump(result);
}

/// What is explained: a graph by its row, from 1, or a node by its name.
graph::Node item_of(const train::ModelData& loaded, std::int64_t row, const std::string& node) {
  if (loaded.data.graphs) {
    if (!node.empty()) throw UsageError("explain: graphs have the labels: give the row of one");
    return train::item_in_row(loaded, row);
  }
  if (node.empty()) throw UsageError("explain: nodes have the labels: give the name of one (node=)");
  const std::optional<graph::Node> found = loaded.data.find_node(node);
  if (!found) throw UsageError(fmt::format("explain: there is no node \"{}\"", node));
  return *found;
}

train::Effects effects_of(train::ModelData& loaded, std::int64_t row, const std::string& node, const std::string& of) {
  if (!loaded.data.links) return train::effects_of(loaded, item_of(loaded, row, node), of);
  const auto [source, target] = train::ends_of_link(loaded.data.pair_names(), node, "explain: node");
  return train::effects_of_link(loaded, source, target);
}

/// `node` is two nodes for a model of ties (train::name_of_link).
/// {"row" or "node": ..., "prediction": {...}, "of": ..., "value": ..., "parts": [...], "svg": ..., "notes": [...]}
std::string explain_by_deletion(const Model& model, const std::string& over, const Tables& tables, std::int64_t row,
                                const std::string& node, const std::string& of) {
  const Inputs found = in_memory(tables);
  Hooks hooks{nb::none()};
  const Released released(hooks);
  std::vector<std::string> notes;
  train::ModelData loaded =
      train::load_row(train::open_model(model.restore(), request_of(model, over)), row, into(notes));
  const train::Effects effects = effects_of(loaded, row, node, of);
  const std::string& about = loaded.trained.label_names[effects.answer];
  const double value = effects.prediction(0, static_cast<Eigen::Index>(effects.answer));
  json::Value result = train::to_json(loaded, effects);
  result.set("svg", train::can_be_drawn(loaded)
                        ? json::Value(train::draw(loaded, effects, {fmt::format("{}: {:.4g}", about, value)}))
                        : json::Value());
  result.set("notes", notes);
  node.empty() ? result.set("row", row) : result.set("node", node);
  return json::dump(result);
}

}  // namespace

void bind_explaining(nb::module_& module, nb::class_<Model>& model) {
  model.def("attention", &attention, nb::arg("over"), nb::arg("tables"), nb::arg("mask"), nb::arg("node"))
      .def("explain", &explain, nb::arg("over"), nb::arg("tables"), nb::arg("row"))
      .def("explain_by_deletion", &explain_by_deletion, nb::arg("over"), nb::arg("tables"), nb::arg("row"),
           nb::arg("node"), nb::arg("of"));
  nb::class_<ModelAttention>(module, "ModelAttention")
      .def_ro("sources", &ModelAttention::sources)
      .def_ro("targets", &ModelAttention::targets)
      .def_ro("notes", &ModelAttention::notes)
      .def("edges", [](const ModelAttention& of) { return to_numpy(of.edges); })
      .def("layers", [](const ModelAttention& of) {
        std::vector<NumpyMatrix> layers;
        for (const Matrix& layer : of.layers) layers.push_back(to_numpy(layer));
        return layers;
      });
}

}  // namespace edgewise::python
