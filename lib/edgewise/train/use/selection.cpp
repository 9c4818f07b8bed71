#include "edgewise/train/use/selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <utility>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/graph_union.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/graph_batches.hpp"
#include "edgewise/train/loop/node_batches.hpp"
#include "edgewise/train/loop/part_batches.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/loop/row_source.hpp"

namespace edgewise::train {
namespace {

Matrix rows_of(const Matrix& matrix, std::span<const graph::Node> rows) {
  Matrix result(static_cast<Eigen::Index>(rows.size()), matrix.cols());
  for (std::size_t i = 0; i < rows.size(); ++i)
    result.row(static_cast<Eigen::Index>(i)) = matrix.row(static_cast<Eigen::Index>(rows[i]));
  return result;
}

/// What some nodes depend on.
struct Part {
  graph::Neighbourhood seen;
  GraphLayout layout;
};

/// All nodes of the graphs of the selected nodes.
Part whole_graphs(const graph::FrozenGraph& graph, GraphLayout layout, std::span<const graph::Node> selected) {
  if (layout.offsets.empty()) layout.offsets = {0, static_cast<graph::Node>(graph.destination_count())};
  std::set<graph::GraphIndex> wanted;
  for (const graph::Node node : selected) {
    const auto next = std::ranges::upper_bound(layout.offsets, node);
    wanted.insert(static_cast<graph::GraphIndex>(next - layout.offsets.begin() - 1));
  }
  const std::vector<graph::GraphIndex> members(wanted.begin(), wanted.end());
  Part part{.seen = {.nodes = graph::nodes_of(layout.offsets, members), .seeds = {}, .graph = {}}, .layout = {}};
  for (const graph::Node node : selected) {
    const auto place = std::ranges::lower_bound(part.seen.nodes, node);
    part.seen.seeds.push_back(static_cast<graph::Node>(place - part.seen.nodes.begin()));
  }
  graph::GraphUnion graphs = graph::select({graph, std::move(layout.offsets)}, members);
  part.seen.graph = std::move(graphs.graph);
  part.layout = {.offsets = std::move(graphs.offsets), .grid_columns = layout.grid_columns};
  return part;
}

/// The part within the model's reach; all models of an ensemble share one configuration.
Part part_of(const TrainedModel& trained, const graph::FrozenGraph& graph, const GraphLayout& layout,
             std::span<const graph::Node> selected) {
  const std::optional<std::size_t> hops = trained.model.reach(/*is_training=*/false);
  if (!hops) return whole_graphs(graph, layout, selected);
  return {.seen = graph::neighbourhood(graph, selected, *hops), .layout = {}};
}

/// They refer to `features` and `part`. Many graphs are computed some at a time.
std::unique_ptr<Batches> batches_of(const data::Features& features, const Part& part) {
  if (part.layout.offsets.size() <= 2)
    return std::make_unique<NodeBatches>(features, part.seen.graph, std::vector<graph::Node>{}, part.layout);
  return std::make_unique<GraphBatches>(
      features, graph::GraphUnion{part.seen.graph, part.layout.offsets},
      GraphBatchOptions{.labelled = Labelled::nodes, .grid_columns = part.layout.grid_columns});
}

constexpr std::array<const char*, 4> kNames = {"id", "node", "node_id", "name"};

bool is_usual_name(std::string_view name) {
  return std::ranges::any_of(kNames, [&](const char* usual) { return io::equals_ignoring_case(name, usual); });
}

/// The index of the name column in a header; nothing if `fields` are not a header.
std::optional<std::size_t> name_column(std::span<const std::string_view> fields, const graph::NodeNames& names) {
  for (const std::string_view usual : kNames)
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (io::equals_ignoring_case(fields[i], usual) && !names.find(fields[i])) return i;
  return fields.size() == 1 || names.find(fields[0]) ? std::nullopt : std::optional<std::size_t>(0);
}

/// The index of the name column in a commented header.
std::optional<std::size_t> commented_column(const io::CsvReader& csv) {
  if (csv.commented_records().empty()) return std::nullopt;
  const std::vector<std::string>& fields = csv.commented_records().back().fields;
  const auto found = std::ranges::find_if(fields, is_usual_name);
  return found == fields.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - fields.begin()));
}

/// Refuses comments of one word before the first name: they are names of nodes that do not exist.
void refuse_unknown_names(const io::CsvReader& csv, std::size_t nodes) {
  if (csv.fields().size() > 1) return;
  for (const std::string& comment : csv.comments())
    if (!comment.empty() && comment.find_first_of(" \t#%") == std::string::npos && !is_usual_name(comment))
      throw DataError(fmt::format("{}: {} begins like a comment and is not one of the {} nodes", csv.path(),
                                  io::quote(comment), nodes));
}

/// What a kind of model needs for some nodes.
struct ReceptiveField {
  Part part;
  data::Features features;  ///< Of the nodes of the part.
};

ReceptiveField seen_in_network(const TrainedModel& trained, const std::shared_ptr<const data::FrozenNetwork>& network,
                               std::span<const graph::Node> selected) {
  PartBatches(network).check_fits(trained.model);  // which leaves masks along the edges, and so a reach
  const graph::EdgeRows edges = data::edge_rows_of(*network, trained.model.graph_options());
  const std::size_t hops = trained.model.reach(/*is_training=*/false).value();
  ReceptiveField seen{.part = {.seen = graph::neighbourhood_in_pieces(edges, selected, hops), .layout = {}},
                      .features = {}};
  seen.features = FrozenRows(*network).features_of(seen.part.seen.nodes);
  return seen;
}

SelectedPredictions predict_kind(TrainedModel& trained, const ReceptiveField& seen, bool with_embeddings) {
  const std::vector<graph::Node>& seeds = seen.part.seen.seeds;
  const std::unique_ptr<Batches> batches = batches_of(seen.features, seen.part);
  SelectedPredictions result;
  result.nodes = seen.part.seen.nodes.size();
  Matrix deviations;
  result.values = rows_of(predict(trained, *batches, &deviations), seeds);
  if (deviations.size() > 0) result.deviations = rows_of(deviations, seeds);
  if (with_embeddings) result.embeddings = rows_of(embeddings(trained.model, *batches), seeds);
  return result;
}

/// The mean over the kinds of models; `seen_by(i)` is what the i-th needs.
template <class SeenBy>
SelectedPredictions predict_kinds(TrainedModel& trained, bool with_embeddings, const SeenBy& seen_by) {
  const std::vector<TrainedModel*> kinds = components_of(trained);
  Ensemble average;
  SelectedPredictions result;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    SelectedPredictions one = predict_kind(*kinds[i], seen_by(i), with_embeddings && i == 0);
    average.add(one.values);
    result.nodes = std::max(result.nodes, one.nodes);
    if (i > 0) continue;
    result.deviations = std::move(one.deviations);
    result.embeddings = std::move(one.embeddings);
  }
  result.values = average.mean();
  if (kinds.size() > 1) result.deviations = average.deviation();
  trained.calibration.apply(result.values, &result.deviations);
  return result;
}

}  // namespace

SelectedPredictions predict_selection(TrainedModel& trained, std::span<const ModelInput> inputs,
                                      const GraphLayout& layout, std::span<const graph::Node> selected,
                                      bool with_embeddings) {
  const std::vector<TrainedModel*> kinds = components_of(trained);
  return predict_kinds(trained, with_embeddings, [&](std::size_t i) {
    check_indices("selection", "nodes", selected, inputs[i].graph.destination_count());
    ReceptiveField seen{.part = part_of(*kinds[i], inputs[i].graph, layout, selected), .features = {}};
    seen.features = data::select_rows(inputs[i].features, seen.part.seen.nodes);
    return seen;
  });
}

SelectedPredictions predict_selection(TrainedModel& trained, std::shared_ptr<const data::FrozenNetwork> network,
                                      std::span<const graph::Node> selected, bool with_embeddings) {
  check_indices("selection", "nodes", selected, network->node_count());
  const std::vector<TrainedModel*> kinds = components_of(trained);
  return predict_kinds(trained, with_embeddings,
                       [&](std::size_t i) { return seen_in_network(*kinds[i], network, selected); });
}

std::vector<graph::Node> read_selection(const std::string& path, const graph::NodeNames& names) {
  io::CsvReader csv(path);
  csv.set_row_test([&](std::string_view line) { return names.find(line).has_value(); });
  std::vector<graph::Node> nodes;
  std::size_t column = 0;
  for (bool is_first = true; csv.next(); is_first = false) {
    const std::optional<std::size_t> commented = is_first ? commented_column(csv) : std::nullopt;
    const std::optional<std::size_t> header =
        is_first && !commented ? name_column(csv.fields(), names) : std::nullopt;
    if (header) {
      column = *header;
      continue;
    }
    if (is_first) refuse_unknown_names(csv, names.size());
    column = commented.value_or(column);
    if (is_first && !commented && csv.fields().size() > 1)
      throw DataError(csv.where(), fmt::format("expected one node per line, or a header, found {} fields; a name with "
                                               "commas or blanks goes in double quotes",
                                               csv.fields().size()));
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
