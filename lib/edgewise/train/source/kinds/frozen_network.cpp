#include "edgewise/data/frozen_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/config/byte_count.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/frozen_kinds.hpp"
#include "edgewise/train/source/kind_network.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

/// A model of the data reads tables as those were read that were frozen.
DataConfig reading_of(const data::FrozenNetwork& network) try {
  DataConfig data = parse_data(network.description().at("data").rooted_at("data"));
  data.frozen = network.path();
  return data;
} catch (const UsageError& problem) {
  throw DataError(fmt::format("{}: {}; freeze the network again", network.path(), problem.what()));
}

void take_labels(const LoadOptions& options, Dataset& data) {
  data.labels = data.frozen->labels(find_task);
  const std::vector<std::string>& names = data.labels.names;
  if (options.needs_labels && names.empty())
    throw UsageError(fmt::format("{}: the network was frozen without labels; freeze it with them ({})", data.name,
                                 setting("data.label")));
  if (!options.is_for_model() || names.empty() || names == options.known_labels) return;
  if (options.needs_labels)
    throw DataError(fmt::format("{}: its labels are {}, but the model knows {}", data.name, fmt::join(names, ", "),
                                fmt::join(options.known_labels, ", ")));
  data.labels = {};
}

/// Throws UsageError for a request to read the tables otherwise than they were read when the network was frozen.
void check_request(const DataConfig& request, const DataConfig& reading) {
  const DataConfig plain;
  for (const json::Field<DataConfig>& field : data_fields()) {
    const json::Value wanted = field.write(request), frozen = field.write(reading);
    const bool is_free =
        field.name == "memory" || ((field.name == "task" || field.name == "relation") && is_of_links(request));
    if (is_free || wanted == field.write(plain) || wanted == frozen) continue;
    throw UsageError(fmt::format("data.{}: {} was frozen {}; freeze its tables again to change that", field.name,
                                 request.frozen,
                                 frozen.is_null() ? "without" : fmt::format("with {}", json::dump(frozen))));
  }
}

/// Sets the relation whose ties are learnt. Throws UsageError if its sources are not of the first kind.
void ask(const DataConfig& request, Dataset& data) {
  NodeKinds& kinds = *data.kinds;
  kinds.asked = asked_relation(request, data.reading.relations);
  data.reading.relation = data.reading.relations[*kinds.asked];
  const std::size_t source = kinds.relations[*kinds.asked].source;
  if (source != 0)
    throw UsageError(fmt::format("data.relation: {} was frozen with {} first; freeze it without labels and with {}={}",
                                 data.name, kinds.kinds.front().name, setting("data.label_kind"),
                                 kinds.kinds[source].name));
}

/// For ties, which are learnt from all edges at once.
void read_ties(const DataConfig& request, Dataset& data) {
  if (data.kinds) ask(request, data);
  thaw(data);
  data.reading.task = request.task;
  data.notes.push_back(fmt::format("{} are read into memory, from which ties are learnt",
                                   counted(data.edge_count(), "edge")));
}

Dataset read_frozen(const DataConfig& request, const LoadOptions& options) {
  Dataset data;
  data.name = std::filesystem::path(request.frozen).filename().string();
  data.frozen = std::make_shared<const data::FrozenNetwork>(request.frozen);
  data.reading = reading_of(*data.frozen);
  if (!options.is_for_model()) check_request(request, data.reading);
  data.graph = graph::Graph(data.frozen->names(), {},
                            {.direction = data.frozen->is_directed() ? graph::Direction::directed
                                                                     : graph::Direction::undirected});
  data.kinds = kinds_of(*data.frozen, data.graph.names());
  if (data.kinds) data.reading.relations = data.kinds->names_of_relations();
  data.parts = options.parts;
  if (!request.memory.empty()) data.parts.memory = bytes_of_size("data.memory", request.memory);
  if (data.parts.folder.empty()) data.parts.folder = std::filesystem::path(data.frozen->path()).parent_path().string();
  if (is_of_links(request)) {
    read_ties(request, data);
    return data;
  }
  take_labels(options, data);
  if (std::optional<data::Split> split = data.frozen->split(); split && !data.labels.names.empty())
    data.splits.push_back(std::move(*split));
  return data;
}

}  // namespace

const Source& frozen_network_source() {
  static const Source kSource{.noun = "a frozen network",
                              .named_by = {"frozen"},
                              // What its tables were read by, of which nothing can be changed.
                              .takes = {DataGroup::frozen, DataGroup::features, DataGroup::component, DataGroup::names,
                                        DataGroup::unknown_nodes, DataGroup::graph_attributes, DataGroup::edge_columns,
                                        DataGroup::target, DataGroup::kinds, DataGroup::edges, DataGroup::tables,
                                        DataGroup::labels},
                              .replaces = {},
                              .shape = [](const json::Value&) { return DataShape::network; },
                              .check = [](const DataConfig&) {},
                              .read = read_frozen};
  return kSource;
}

}  // namespace edgewise::train
