#include "model_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "edgewise/train/jobs/known_items.hpp"
#include "edgewise/train/jobs/label_input.hpp"
#include "edgewise/train/jobs/masked_atoms.hpp"
#include "edgewise/train/loop/label_mask.hpp"

namespace edgewise::app {
namespace {

constexpr double kGathersOfModel = 2;  // passes along all edges that a forward pass takes: one a layer

bool needs_edges(const nn::Model& model) {
  return std::ranges::any_of(model.masks(),
                             [](const nn::MaskShape& mask) { return graph::parse_mask(mask.name).rule->needs_edges; });
}

train::Config config_for(const train::TrainedModel& model, const ModelArguments& arguments) {
  train::Config trained;
  trained.data = model.data;
  trained.split = model.split;
  json::Value over = arguments.flags;
  if (!arguments.dataset.empty()) set_at(over, "data.dataset", arguments.dataset);
  return train::parse_config(train::merge_configs(train::to_json(trained), over));
}

/// The column of the molecules, where no flag says which: it need not be called as in training.
void find_smiles(const Session& session, const ModelArguments& arguments, train::DataConfig& data) {
  const json::Value* flags = arguments.flags.find("data");
  const bool is_told = flags != nullptr && flags->find("smiles") != nullptr;
  if (data.molecules.empty() || is_told) return;
  const std::optional<std::string> column = io::find_smiles_column(data.molecules, data.smiles);
  if (column && *column != data.smiles)
    note(session, fmt::format("{}: the molecules are those of the column \"{}\"{}", data.molecules, *column,
                              data.smiles.empty() ? "" : fmt::format("; in training it was \"{}\"", data.smiles)));
  data.smiles = column.value_or("");
}

}  // namespace

void add_model_arguments(CLI::App& verb, ModelArguments& arguments) {
  verb.add_option("model", arguments.model, "A model file of edgewise train")->required();
  verb.add_option("dataset", arguments.dataset,
                  "A set of the catalogue; else the data flags, else what it was trained on");
  ConfigFlags flags(verb, arguments.flags);
  flags.add("data");
  flags.add("split");
}

std::unique_ptr<train::Batches> ModelData::batches() const {
  return train::make_batches(data, features, graph, train::TrainOptions{}.batch_size, order.nodes, {}, &descriptors);
}

void ModelData::hide_labels(std::span<const graph::Node> nodes) {
  if (trained.label_input == 0) return;
  const std::vector<graph::Node> place = graph::inverse(order.nodes);
  std::vector<graph::Node> rows(nodes.begin(), nodes.end());
  if (!place.empty())
    for (graph::Node& row : rows) row = place[row];
  train::hide_labels(rows, train::label_columns(trained.task, trained.label_names.size()), features);
}

OpenModel open_model(const Session& session, const ModelArguments& arguments) {
  train::TrainedModel trained = train::load_trained_model(arguments.model);
  if (train::is_pretraining(trained.data))
    throw ModelError(
        fmt::format("{}: the model was pretrained on masked atoms, and answers nothing yet: edgewise train --from {}",
                    arguments.model, arguments.model));
  train::Config config = config_for(trained, arguments);
  find_smiles(session, arguments, config.data);
  return {std::move(trained), std::move(config)};
}

ModelData load_model_data(const Session& session, const ModelArguments& arguments, Needs needs) {
  return load_model_data(session, open_model(session, arguments), needs);
}

ModelData load_model_data(const Session& session, OpenModel model, Needs needs) {
  ModelData loaded{
      .trained = std::move(model.trained), .config = {}, .split = {}, .data = {}, .features = {}, .graph = {}};
  const train::Config& config = model.config;
  loaded.config = config.data;
  loaded.split = config.split;
  train::LoadOptions options{.needs_labels = needs == Needs::labels,
                             .known_labels = loaded.trained.label_names,
                             .known_task = train::to_string(loaded.trained.task),
                             .split_name = loaded.split.name,
                             .is_graph_level = loaded.trained.model.is_graph_level(),
                             .label_columns = loaded.config.label,
                             .needs_edges = needs_edges(loaded.trained.model)};
  if (loaded.trained.features.kind() == train::FeatureMap::Kind::ready)
    options.sparse_columns = static_cast<std::uint32_t>(loaded.trained.features.columns());
  if (needs == Needs::features) loaded.config.label.clear();
  loaded.data = train::load_job_data(loaded.config, options);
  train::check_pairs(loaded.trained.model, loaded.data);
  std::vector<std::string> notes = loaded.data.notes;
  if (loaded.trained.label_input > 0) {
    data::forget_texts(loaded.trained.data.label, loaded.config.missing_labels, loaded.data.table);
    loaded.data.labels = train::labels_for(loaded.trained, loaded.data);
  }
  loaded.features = train::features_for(loaded.trained, loaded.data, loaded.split, &notes);
  loaded.descriptors = loaded.trained.descriptors.apply(loaded.data);
  loaded.graph = graph::freeze(loaded.data.graph, loaded.trained.model.graph_options());
  const auto models = static_cast<double>(1 + loaded.trained.others.size());
  loaded.order =
      train::reorder(loaded.data, config.training.reorder, kGathersOfModel * models, loaded.graph, loaded.features);
  if (!loaded.order.note.empty()) notes.push_back(loaded.order.note);
  for (const std::string& line : notes) note(session, line);
  return loaded;
}

}  // namespace edgewise::app
