#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/node_dataset.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/largest_component.hpp"
#include "edgewise/train/source/network.hpp"
#include "edgewise/train/source/sources.hpp"

namespace edgewise::train {
namespace {

/// The set of a job, which may ask for its task.
const data::CatalogueSet& set_of(const data::Catalogue& catalogue, const DataConfig& config) {
  const data::CatalogueSet& dataset = data::find_dataset(catalogue, config.dataset);
  const bool has_own_task = config.task == "auto" || is_pretraining(config) || is_of_links(config);
  const data::Task* asked = data::find_plain_task(config.task);
  const bool is_of_set = asked != nullptr && asked->has_numbers() == dataset.task.ends_with("regression");
  if (!has_own_task && !is_of_set)
    throw UsageError(fmt::format("data.task: expected the task of the data set \"{}\", which is {}, got \"{}\"",
                                 dataset.name, dataset.task, config.task));
  if (dataset.is_node_level() || source_of(dataset) != nullptr) return dataset;
  throw UsageError(fmt::format("data set \"{}\" is for the task \"{}\", which has no labels to learn", dataset.name,
                               dataset.task));
}

void load_node_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& of_job,
                   Dataset& data) {
  const DataConfig config = data.reading;
  data::CatalogueSet wanted = dataset;
  for (const std::vector<std::string>* requested : {&config.label, &of_job.known_labels}) {
    const bool is_logarithm = requested->size() == 1 && data::is_logarithm_of(requested->front(), dataset.label);
    if (dataset.task == "node regression" && is_logarithm) wanted.label = requested->front();
  }
  std::vector<std::string> label;
  if (!wanted.label.empty()) label.push_back(wanted.label);
  if (!config.label.empty() && config.label != label)
    throw UsageError(fmt::format("data.label: the data set \"{}\" has its own labels", config.dataset));
  data::LoadOptions options{.split = of_job.split_name};
  if (config.normalise_rows) options.normalise_rows = true;
  data::LoadedDataset set = data::load_dataset(catalogue, wanted, data::default_data_directories(), options);
  data.name = config.dataset;
  // A model of the set reads other files in the same way as the set.
  data.reading.directed = dataset.directed;
  data.reading.normalise_rows = config.normalise_rows || dataset.normalise_rows;
  data.reading.id = dataset.id;
  data.reading.label = label;
  data.graph = std::move(set.data.graph);
  data.labels = std::move(set.data.labels);
  data.splits = std::move(set.data.splits);
  data.table = std::move(set.table);
  if (data.table.rows() == 0) data.features = std::move(set.data.features);  // otherwise fitted to the split in use
}

Dataset read_set(const DataConfig& request, const LoadOptions& options) {
  Dataset data;
  data.reading = request;
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::CatalogueSet& set = set_of(catalogue, request);
  const Source* reader = source_of(set);
  const bool takes_features = reader != nullptr && std::ranges::count(reader->takes, DataGroup::features) > 0;
  if (!request.features.empty() && !takes_features)
    throw UsageError("data.features: a data set of the catalogue has its own features");
  if (request.is_collection() && !set.is_collection() && !set.is_pairs())
    throw UsageError(
        fmt::format("data: graph_column, grid and sequence are for collections; \"{}\" is none", set.name));
  if (reader != nullptr) {
    reader->read_set(catalogue, set, options, data);
    return data;
  }
  load_node_set(catalogue, set, options, data);
  if (request.component == Component::largest) keep_largest_component(data);
  add_encodings(data);
  return data;
}

/// The source that reads the set that is named; null for nodes and edges.
const Source* reader_of(const json::Value& data) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  return source_of(data::find_dataset(catalogue, data.get("dataset", "")));
}

/// A set of the catalogue is read as its entry says, a collection except for these settings.
bool keeps_of_collection(const json::Value& base, std::string_view member) {
  constexpr std::string_view kKept[] = {"missing",    "missing_labels", "directed",     "undirected",
                                        "duplicates", "self_loops",     "unknown_nodes"};
  return is_named(collection_source(), base) && std::ranges::count(kKept, member) > 0;
}

std::optional<Dataset> read_rows_of_set(const DataConfig& request, const io::ReadAsText& texts) {
  const data::Catalogue catalogue = data::read_catalogue(data::default_catalogue_directory());
  const data::CatalogueSet& set = data::find_dataset(catalogue, request.dataset);
  if (!set.is_molecules()) return std::nullopt;
  return read_molecule_texts(catalogue, set, request, texts);
}

}  // namespace

const Source& catalogue_set_source() {
  static const Source kSource{
      .noun = "a data set of the catalogue",
      .named_by = {"dataset"},
      .takes = {DataGroup::features, DataGroup::component, DataGroup::molecules, DataGroup::tu_labels,
                DataGroup::pairs},
      .replaces = {"smiles", "features", "label", "categorical", "ignore"},  // its entry says how it is read
      .shape =
          [](const json::Value& data) {
            const Source* reader = reader_of(data);
            return reader == nullptr ? DataShape::network : reader->shape(data);
          },
      .check =
          [](const DataConfig& config) {
            if (!config.nodes.empty()) throw UsageError("data.nodes: a data set of the catalogue has its own nodes");
          },
      .read = read_set,
      .rank = 2,
      .settings = {"graph_column", "grid", "sequence"},  // a collection of the catalogue can be read in another way
      .keeps = keeps_of_collection,
      .defaults =
          [](const json::Value& given) -> json::Value {
            const Source* reader = reader_of(given.at("data"));
            return reader == nullptr || reader->defaults == nullptr ? json::Object{} : reader->defaults(given);
          },
      .read_rows = read_rows_of_set};
  return kSource;
}

}  // namespace edgewise::train
