#include "edgewise/train/jobs/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/nn/reach.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {

Matrix rows_of(const Matrix& matrix, std::span<const graph::Node> rows) {
  Matrix result(static_cast<Eigen::Index>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.row(static_cast<Eigen::Index>(i)) = matrix.row(static_cast<Eigen::Index>(rows[i]));
  return result;
}

/// The part within the model's reach; all models of an ensemble share one configuration.
graph::Neighbourhood part_of(const TrainedModel& trained, const graph::FrozenGraph& graph,
                             std::span<const graph::Node> selected) {
  if (const std::optional<std::size_t> hops = nn::reach(trained.model.config()))
    return graph::neighbourhood(graph, selected, *hops);
  graph::Neighbourhood whole{.nodes = std::vector<graph::Node>(graph.destination_count()),
                             .seeds = {selected.begin(), selected.end()},
                             .graph = graph};
  std::iota(whole.nodes.begin(), whole.nodes.end(), graph::Node{0});
  return whole;
}

constexpr std::array<std::string_view, 4> kNames = {"id", "node", "node_id", "name"};

/// The index of the name column in a header; nothing if `fields` are not a header.
std::optional<std::size_t> name_column(std::span<const std::string_view> fields, const graph::NodeNames& names) {
  for (const std::string_view usual : kNames)
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (io::equals_ignoring_case(fields[i], usual) && !names.find(fields[i])) return i;
  return names.find(fields[0]) ? std::nullopt : std::optional<std::size_t>(0);
}

SelectedPredictions predict_kind(TrainedModel& trained, const ModelInput& input, std::span<const graph::Node> selected,
                                 bool with_embeddings) {
  for (const graph::Node node : selected)
    if (node >= input.graph.destination_count())
      throw UsageError(fmt::format("selection: node {}, but there are {}", node, input.graph.destination_count()));
  const graph::Neighbourhood part = part_of(trained, input.graph, selected);
  const data::Features rows = data::select_rows(input.features, part.nodes);
  NodeBatches batches(rows, part.graph);
  SelectedPredictions result;
  result.nodes = part.nodes.size();
  Matrix deviations;
  result.values = rows_of(predict(trained, batches, &deviations), part.seeds);
  if (deviations.size() > 0) result.deviations = rows_of(deviations, part.seeds);
  if (with_embeddings) result.embeddings = rows_of(embeddings(trained.model, batches), part.seeds);
  return result;
}

}  // namespace

SelectedPredictions predict_selection(TrainedModel& trained, std::span<const ModelInput> inputs,
                                      std::span<const graph::Node> selected, bool with_embeddings) {
  const std::vector<TrainedModel*> kinds = kinds_of(trained);
  Ensemble average;
  SelectedPredictions result;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    SelectedPredictions one = predict_kind(*kinds[i], inputs[i], selected, with_embeddings && i == 0);
    average.add(one.values);
    result.nodes = std::max(result.nodes, one.nodes);
    if (i > 0) continue;
    result.deviations = std::move(one.deviations);
    result.embeddings = std::move(one.embeddings);
  }
  result.values = average.mean();
  if (kinds.size() > 1) result.deviations = average.deviation();
  return result;
}

std::vector<graph::Node> read_selection(const std::string& path, const graph::NodeNames& names) {
  io::CsvReader csv(path);
  std::vector<graph::Node> nodes;
  std::size_t column = 0;
  for (bool is_first = true; csv.next(); is_first = false) {
    const std::optional<std::size_t> header = is_first ? name_column(csv.fields(), names) : std::nullopt;
    if (header) {
      column = *header;
      continue;
    }
    const std::string_view name = csv.fields()[column];
    const std::optional<graph::Node> node = names.find(name);
    if (!node)
      throw DataError(csv.where(), fmt::format("{} is not one of the {} nodes", io::quote(name), names.size()));
    nodes.push_back(*node);
  }
  if (nodes.empty()) throw DataError(fmt::format("{}: it names no node", path));
  return nodes;
}

}  // namespace edgewise::train
