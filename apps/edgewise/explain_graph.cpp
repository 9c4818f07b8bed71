#include "explain_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/io/attention.hpp"
#include "edgewise/io/molecule_picture.hpp"
#include "edgewise/io/text_writer.hpp"
#include "edgewise/train/jobs/attending_model.hpp"
#include "edgewise/train/jobs/attention_rows.hpp"
#include "edgewise/train/jobs/attention_summary.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::app {
namespace {

bool is_picture(const std::string& path) { return path.ends_with(".svg"); }

/// One graph, its prediction, and the share of attention that each part received.
struct Answer {
  graph::GraphUnion one;
  std::vector<nn::AttentionRecord> records;
  train::AttentionSummary summary;
  Matrix prediction;  // [1, outputs]
};

Answer ask(const train::ModelData& loaded, train::TrainedModel& trained, const train::ModelInput& input,
           graph::Node item) {
  train::GraphBatches batches(input.features, {input.graph, loaded.data.graphs->offsets},
                              train::graph_batch_options(loaded.data, 1, &input.descriptors));
  batches.check_fits(trained.model);
  Answer answer;
  autograd::Tape tape(false);
  const graph::Node items[] = {item};
  const autograd::Variable outputs =
      batches.forward(trained.model, {.tape = tape, .attention = &answer.records}, items);
  answer.prediction = train::to_predictions(trained.task, outputs.value(), trained.scaler);
  train::check_finite(answer.prediction);
  answer.one = batches.batch();
  answer.summary = train::summarise_attention(answer.one, answer.records, train::layout_of(loaded.data).grid_columns);
  return answer;
}

/// Scales the values to a maximum of 1.
std::vector<float> to_colours(const std::vector<double>& values) {
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::vector<float> colours;
  for (const double value : values) colours.push_back(most > 0 ? static_cast<float>(value / most) : 0.0F);
  return colours;
}

/// The ends of each edge, as node indices within the graph.
std::vector<std::pair<graph::Node, graph::Node>> edge_ends(const train::ModelData& loaded, const Answer& answer,
                                                           graph::Node first_node) {
  const graph::EdgeList& edges = loaded.data.graph.edges();
  std::vector<std::pair<graph::Node, graph::Node>> ends;
  for (std::size_t i = 0; i < answer.summary.edges.size(); ++i)
    ends.emplace_back(edges.sources[answer.summary.first_edge + i] - first_node,
                      edges.targets[answer.summary.first_edge + i] - first_node);
  return ends;
}

/// What the parts of a graph are called: the nodes of a collection by their names, atoms and others by numbers from 0.
graph::NodeNames part_names(const train::JobData& data, const Answer& answer, graph::Node first_node) {
  const std::size_t count = answer.one.graph.destination_count();
  if (!data.collection) return graph::NodeNames::numbered(count);
  graph::NodeNames names;
  for (std::size_t i = 0; i < count; ++i) names.add(data.graph.names()[first_node + static_cast<graph::Node>(i)]);
  return names;
}

/// Edges are numbered within the graph.
void write_rows(const GraphQuestion& question, const Answer& answer, const train::GraphLayout& layout,
                const graph::NodeNames& names, const std::vector<std::string>& tokens) {
  const std::string mask = train::choose_mask(question.mask, answer.records);
  const graph::MaskInput input{
      .edges = answer.one.graph, .offsets = answer.one.offsets, .grid_columns = layout.grid_columns};
  io::AttentionTable attention =
      train::collect_rows(graph::parse_mask(mask).build(input), train::records_over(mask, answer.records));
  for (graph::StoredEdge& edge : attention.edges)
    if (edge != graph::kAddedSelfLoop) edge = static_cast<graph::StoredEdge>(edge - answer.summary.first_edge);
  attention.tokens = tokens;
  io::write_attention(question.out, names, attention);
}

void write_picture(const std::string& path, const train::ModelData& loaded, const Answer& answer, graph::Node item) {
  const std::vector<std::string>& smiles = loaded.data.graphs->smiles;
  if (!loaded.data.graphs->are_molecules)
    throw UsageError("--out: only molecules can be drawn; use .csv, .jsonl, .graphml or .dot");
  std::vector<float> atoms = to_colours(answer.summary.nodes), bonds = to_colours(answer.summary.edges);
  if (loaded.config.encodings.virtual_node) throw UsageError("--out: a model with a virtual node cannot be drawn yet");
  io::write_molecule_picture(path, smiles[item], atoms, bonds);
}

json::Value prediction_of(const train::ModelData& loaded, const Answer& answer) {
  json::Value value{json::Object{}};
  for (std::size_t i = 0; i < loaded.trained.label_names.size(); ++i)
    value.set(loaded.trained.label_names[i], answer.prediction(0, static_cast<Eigen::Index>(i)));
  return value;
}

json::Value to_json(const train::ModelData& loaded, const Answer& answer, graph::Node first_node) {
  json::Value object{json::Object{}};
  json::Array nodes, edges;
  for (const double share : answer.summary.nodes) nodes.emplace_back(share);
  const auto ends = edge_ends(loaded, answer, first_node);
  for (std::size_t i = 0; i < ends.size(); ++i)
    edges.push_back(json::Object{{"source", static_cast<std::int64_t>(ends[i].first)},
                                 {"target", static_cast<std::int64_t>(ends[i].second)},
                                 {"attention", answer.summary.edges[i]}});
  object.set("nodes", std::move(nodes));
  object.set("edges", std::move(edges));
  return object;
}

/// The number of characters of a text in UTF-8.
std::size_t character_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

/// The parts of the graph with the most attention; `kind` and `labels` say what they are.
std::string part_table(const Answer& answer, const char* kind, const std::vector<std::string>& labels,
                       std::int64_t top) {
  std::vector<std::size_t> order(answer.summary.nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return answer.summary.nodes[a] > answer.summary.nodes[b];
  });
  std::string text = fmt::format("\nshare of the {}, by {}",
                                 answer.summary.is_by_readout ? "readout's attention" : "attention along edges", kind);
  const std::size_t shown = std::min(order.size(), static_cast<std::size_t>(top));
  std::size_t width = 8;
  for (const std::string& label : labels) width = std::max(width, character_count(label) + 2);
  for (std::size_t k = 0; k < shown; ++k)
    text += fmt::format("\n  {:<{}}{:>8.4f}", labels[order[k]], width, answer.summary.nodes[order[k]]);
  if (shown < order.size()) text += fmt::format("\n  ... and {} more", order.size() - shown);
  return text;
}

/// The index of the given row. Throws UsageError when there is no such row, DataError when it holds no graph.
graph::Node item_of(const train::ModelData& loaded, std::int64_t row) {
  const auto count = static_cast<std::int64_t>(loaded.data.items().size());
  if (row < 1) throw UsageError("explain: graphs have the labels: name one by its row (--row), counted from 1");
  if (count == 0) throw DataError(fmt::format("{}: expected a row to explain, found none", loaded.data.name));
  if (row > count) throw UsageError(fmt::format("--row: expected 1 to {}, got {}", count, row));
  const auto item = static_cast<graph::Node>(row - 1);
  const train::GraphItems& graphs = *loaded.data.graphs;
  if (!graphs.problems.empty() && !graphs.problems[item].empty())
    throw DataError(fmt::format("{}: row {}: {}", loaded.data.name, row, graphs.problems[item]));
  if (graphs.offsets[item] == graphs.offsets[item + 1])
    throw DataError(fmt::format("{}: row {}: the graph is empty", loaded.data.name, row));
  return item;
}

}  // namespace

void check_picture_path(const std::string& path) {
  if (!is_picture(path)) io::result_format(path);
}

int explain_graph(const Session& session, const std::string& model, train::ModelData& loaded,
                  const GraphQuestion& question) {
  const graph::Node item = item_of(loaded, question.row);
  const graph::Node first_node = loaded.data.graphs->offsets[item];
  const Answer answer = train::ask_attending_model(
      model, loaded, note_hook(session), [&](train::TrainedModel& trained, const train::ModelInput& input) {
        return ask(loaded, trained, input, item);
      });
  const graph::NodeNames names = part_names(loaded.data, answer, first_node);
  const std::vector<std::string> tokens = train::tokens_of(loaded.data, first_node, answer.summary.nodes.size());
  if (is_picture(question.out))
    write_picture(question.out, loaded, answer, item);
  else if (!question.out.empty())
    write_rows(question, answer, train::layout_of(loaded.data), names, tokens);

  json::Value object;
  object.set("schema", "edgewise.explain/1");
  object.set("model", model);
  object.set("dataset", loaded.data.name);
  object.set("threads", threads());
  object.set("row", question.row);
  const std::vector<std::string>& smiles = loaded.data.graphs->smiles;
  if (!smiles.empty()) object.set("smiles", smiles[item]);
  object.set("prediction", prediction_of(loaded, answer));
  object.set("is_by_readout", answer.summary.is_by_readout);
  if (!tokens.empty()) object.set("tokens", tokens);
  object.set("attention", to_json(loaded, answer, first_node));
  if (!question.out.empty()) object.set("out", question.out);
  std::string text = fmt::format("row {}{}: {}", question.row, smiles.empty() ? "" : " (" + smiles[item] + ")",
                                 json::dump(object.at("prediction")));
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < answer.summary.nodes.size(); ++i)
    labels.push_back(fmt::format("{}{}{}", names[static_cast<graph::Node>(i)], tokens.empty() ? "" : " ",
                                 tokens.empty() ? "" : tokens[i]));
  text += part_table(answer, loaded.data.collection ? "node" : "atom or node (from 0)", labels, question.top);
  if (!question.out.empty()) text += fmt::format("\n{}: written", question.out);
  session.print_result(text, object);
  return kDone;
}

}  // namespace edgewise::app
