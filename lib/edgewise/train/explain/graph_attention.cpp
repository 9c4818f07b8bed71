#include "edgewise/train/explain/graph_attention.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/train/explain/atom_picture.hpp"
#include "edgewise/train/explain/attending_model.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {

GraphAttention ask(const Dataset& data, TrainedModel& trained, const ModelInput& input, graph::Node item) {
  GraphBatches batches(input.features, {input.graph, data.graphs->offsets},
                       graph_batch_options(data, 1, &input.descriptors));
  batches.check_fits(trained.model);
  GraphAttention answer;
  answer.item = item;
  autograd::Tape tape(false);
  const graph::Node items[] = {item};
  const autograd::Variable outputs =
      batches.forward(trained.model, {.tape = tape, .attention = &answer.records}, items);
  answer.prediction = to_predictions(trained.task, outputs.value(), trained.scaler);
  check_finite(answer.prediction);
  answer.one = batches.batch();
  answer.summary = summarise_attention(answer.one, answer.records, layout_of(data).grid_columns);
  return answer;
}

void name_parts(const Dataset& data, GraphAttention& answer) {
  const graph::Node first = data.graphs->offsets[answer.item];
  const std::size_t count = answer.one.graph.destination_count();
  if (data.collection)
    for (std::size_t i = 0; i < count; ++i) answer.names.add(data.graph.names()[first + static_cast<graph::Node>(i)]);
  else
    answer.names = graph::NodeNames::numbered(count);
  answer.tokens = tokens_of(data, first, answer.summary.nodes.size());
  const graph::EdgeList& edges = data.graph.edges();
  for (std::size_t i = 0; i < answer.summary.edges.size(); ++i) {
    const std::size_t edge = answer.summary.first_edge + i;
    answer.ends.emplace_back(edges.sources[edge] - first, edges.targets[edge] - first);
  }
}

/// Scales the values to a maximum of 1.
std::vector<float> to_colours(const std::vector<double>& values) {
  const double most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::vector<float> colours;
  for (const double value : values) colours.push_back(most > 0 ? static_cast<float>(value / most) : 0.0F);
  return colours;
}

}  // namespace

graph::Node item_in_row(const ModelData& loaded, std::int64_t row) {
  if (loaded.first_row == 1) check_row(row, loaded.data.items().size(), loaded.data.name);
  const auto item = static_cast<graph::Node>(row - loaded.first_row);
  const GraphItems& graphs = *loaded.data.graphs;
  if (!graphs.problems.empty() && !graphs.problems[item].empty())
    throw DataError(fmt::format("{}: row {}: {}", loaded.data.name, row, graphs.problems[item]));
  if (graphs.offsets[item] == graphs.offsets[item + 1])
    throw DataError(fmt::format("{}: row {}: the graph is empty", loaded.data.name, row));
  return item;
}

GraphAttention attention_of_graph(const std::string& path, ModelData& loaded, graph::Node item, const NoteHook& note) {
  GraphAttention answer =
      first_with_attention(path, loaded, note, [&](TrainedModel& trained, const ModelInput& input) {
        return ask(loaded.data, trained, input, item);
      });
  name_parts(loaded.data, answer);
  return answer;
}

io::AttentionTable collect_rows(const Dataset& data, const GraphAttention& attention, const std::string& mask) {
  const std::string chosen = choose_mask(mask, attention.records);
  const graph::MaskInput input{.edges = attention.one.graph,
                               .offsets = attention.one.offsets,
                               .grid_columns = layout_of(data).grid_columns};
  io::AttentionTable table =
      collect_rows(graph::parse_mask(chosen).build(input), records_over(chosen, attention.records));
  for (graph::StoredEdge& edge : table.edges)
    if (edge != graph::kAddedSelfLoop) edge = static_cast<graph::StoredEdge>(edge - attention.summary.first_edge);
  table.tokens = attention.tokens;
  return table;
}

std::optional<std::string> draw(const ModelData& loaded, const GraphAttention& attention,
                                const std::vector<std::string>& title) {
  const GraphItems& graphs = *loaded.data.graphs;
  if (!graphs.are_molecules) return std::nullopt;
  AtomColours colours;
  const std::vector<float> atoms = to_colours(attention.summary.nodes), bonds = to_colours(attention.summary.edges);
  for (std::size_t i = 0; i < atoms.size(); ++i) colours.atoms[static_cast<graph::Node>(i)] = atoms[i];
  for (std::size_t i = 0; i < bonds.size(); ++i) colours.bonds[attention.ends[i]] = bonds[i];
  const io::PictureText text{
      .title = title, .low = "none", .high = "the most", .scale = "attention, which has no sign and no unit"};
  return draw_atoms(graphs, attention.item, colours, text, /*is_signed=*/false);
}

}  // namespace edgewise::train
