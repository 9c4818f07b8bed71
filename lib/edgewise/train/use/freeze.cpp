#include "edgewise/train/use/freeze.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/graph/boost_graph.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/frozen_kinds.hpp"
#include "edgewise/train/source/kind_columns.hpp"
#include "edgewise/train/source/node_kinds.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

/// What says where data is, and not how it is read.
constexpr std::string_view kPlaces[] = {"dataset", "edges", "graph", "nodes", "features", "frozen", "memory"};

json::Value without_places(const json::Value& data) {
  json::Object kept;
  for (const auto& [name, value] : data.as_object())
    if (std::ranges::count(kPlaces, name) == 0) kept.emplace_back(name, value);
  return kept;
}

LoadOptions load_options_of(const Config& config) {
  LoadOptions options = load_options_for(config.split);
  options.needs_labels = !config.data.label.empty() || !config.data.dataset.empty();
  return options;
}

void check_data(const Dataset& data) {
  if (data.has_many_graphs() || data.pairs || data.frozen || is_pretraining(data.reading))
    throw UsageError(fmt::format("{}: only the nodes and edges of one graph can be frozen", data.name));
  if (data.edges) throw UsageError(fmt::format("{}: labels of edges cannot be frozen", data.name));
  if (data.links)
    throw UsageError(fmt::format("data.task: links is for training on a frozen network; leave it out ({})",
                                 setting("data.task")));
}

/// As training would fit it; without labels, to all nodes.
FeatureMap fit_map(const FreezeRequest& request, const Dataset& data, const data::Split& split) {
  if (!request.features_of.empty()) return load_trained_model(request.features_of).features;
  const data::Split all(split.size(), data::Role::train);
  FeatureMap map = FeatureMap::fit(data, request.config.split, data.labels.names.empty() ? all : split);
  if (map.kind() == FeatureMap::Kind::identity)
    throw UsageError(fmt::format("{}: the nodes have no features, which a frozen network needs; {} is one", data.name,
                                 setting("data.encodings.degree")));
  return map;
}

/// Every node in no part if nothing can be learnt.
data::Split split_of(const FreezeRequest& request, const Dataset& data) {
  if (data.labels.names.empty()) return data::Split(data.items().size(), data::Role::none);
  return make_split(data, request.config.split, request.config.training.seed, 0);
}

void add_arcs(const graph::Graph& graph, data::ArcList& arcs) {
  const graph::BoostGraph& boost_graph = graph.boost();
  const std::vector<float>& weights = graph.edges().weights;
  for (graph::Node source = 0; source < graph.node_count(); ++source)
    for (const auto& arc : boost::make_iterator_range(boost::out_edges(source, boost_graph))) {
      const graph::EdgeIndex edge = graph.edge_of_arc(boost::get(boost::edge_index, boost_graph, arc));
      arcs.add({.destination = boost::target(arc, boost_graph),
                .source = source,
                .edge = static_cast<graph::StoredEdge>(edge),
                .weight = weights.empty() ? 1.0F : weights[edge]});
    }
}

/// The edges of a list as they are read, and what their weights are.
class EdgePasses {
 public:
  EdgePasses(const DataConfig& config, data::ArcList& arcs) : config_(config), arcs_(arcs) {}

  void take(const graph::EdgeList& piece) {
    for (std::size_t e = 0; e < piece.size(); ++e) {
      const graph::Node source = piece.sources[e], target = piece.targets[e];
      const float weight = piece.weights.empty() ? 1.0F : piece.weights[e];
      sum_ += weight;
      squares_ += static_cast<double>(weight) * weight;
      const auto edge = static_cast<graph::StoredEdge>(count_++);
      if (source == target && config_.self_loops != graph::SelfLoops::keep) {
        if (config_.self_loops == graph::SelfLoops::drop) continue;
        throw DataError(fmt::format("{}: edge {} runs from a node to itself", config_.edges, count_));
      }
      arcs_.add({.destination = target, .source = source, .edge = edge, .weight = weight});
      if (!config_.directed && source != target)
        arcs_.add({.destination = source, .source = target, .edge = edge, .weight = weight});
    }
    is_weighted_ = is_weighted_ || !piece.weights.empty();
    check_edges_in_passes(config_, count_, is_weighted_);
  }
  bool is_weighted() const { return is_weighted_; }
  /// As StandardScale::fit.
  StandardScale scale() const {
    const auto count = static_cast<double>(count_);
    const double mean = sum_ / count, variance = std::max(0.0, squares_ / count - mean * mean);
    return {.mean = mean, .scale = variance > 0 ? 1 / std::sqrt(variance) : 0};
  }

 private:
  const DataConfig& config_;
  data::ArcList& arcs_;
  graph::EdgeIndex count_ = 0;
  double sum_ = 0, squares_ = 0;
  bool is_weighted_ = false;
};

graph::DuplicateEdges duplicates_of(const DataConfig& config) { return config.graph_options().duplicates; }

/// Whether the edges of an edge list, as a graph in memory, would take more than `memory`, or come from a pipe and may.
bool exceeds(const DataConfig& config, std::uint64_t memory) {
  const std::vector<std::string>& files = config.edges.files();
  if (files.empty() || io::is_graph_file(files.front())) return false;
  std::error_code ignored;
  return memory_of_edges(config.edges) > memory ||
         std::ranges::any_of(files, [&](const std::string& file) { return std::filesystem::is_fifo(file, ignored); });
}

/// Throws UsageError for what needs all edges at once.
void check_passes(const DataConfig& config) {
  const bool needs_graph = config.encodings != EncodingConfig{} || config.component != Component::all ||
                           config.combining() || !config.edge_features.empty() || names_kinds(config) ||
                           has_kind_columns(config);
  if (!needs_graph) return;
  throw UsageError(fmt::format("{}: the edges do not fit the memory ({}) and are read in passes, which allows no "
                               "encodings, components, combined duplicates, features of edges or kinds of nodes ({}, "
                               "{}, {}, {})",
                               config.edges, setting("data.memory"), setting("data.encodings.degree"),
                               setting("data.component"), setting("data.duplicates"), setting("data.edge_features")));
}

}  // namespace

void check_edges_in_passes(const DataConfig& config, std::uint64_t edges, bool is_weighted) {
  if (edges <= graph::kMaximalArcs) return;
  if (!is_weighted && duplicates_of(config) == graph::DuplicateEdges::keep_first) return;
  throw DataError(fmt::format("{}: expected at most {} edges, as they have weights or {} is not keep_first; the list "
                              "has more",
                              config.edges, graph::kMaximalArcs, setting("data.duplicates")));
}

data::FrozenCounts freeze_data(const FreezeRequest& request, const NoteHook& note) {
  const Config& config = request.config;
  const std::uint64_t memory = request.memory > 0 ? request.memory : available_memory() / 2;
  data::ArcList arcs(std::filesystem::path(request.out).parent_path().string(), memory / 2);
  EdgePasses passes(config.data, arcs);
  const bool has_passes = exceeds(config.data, memory);
  LoadOptions options = load_options_of(config);
  if (has_passes) {
    check_passes(config.data);
    options.take_edges = [&passes](const graph::EdgeList& piece) { passes.take(piece); };
  }
  const Dataset data = read_dataset(config.data, options);
  check_data(data);
  for (const std::string& line : data.notes) note(line);
  const data::Split split = split_of(request, data);
  const FeatureMap map = fit_map(request, data, split);
  for (const std::string& line : map.notes()) note(line);
  const data::Features features = map.apply(data);
  if (!has_passes) add_arcs(data.graph, arcs);
  const bool is_weighted = has_passes ? passes.is_weighted() : !data.graph.edges().weights.empty();
  json::Value description = json::Object{{"name", data.name},
                                         {"data", without_places(to_json(data.reading))},
                                         {"features", map.to_json()}};
  if (is_weighted) {
    const StandardScale scale = has_passes ? passes.scale() : scale_of_weights(data);
    description.set("weight_scale", json::Object{{"mean", scale.mean}, {"scale", scale.scale}});
  }
  std::vector<graph::Node> kinds;
  if (data.kinds) {
    describe_kinds(*data.kinds, description);
    for (const NodeKind& kind : data.kinds->kinds) kinds.push_back(kind.first);
  }
  const data::NetworkToFreeze network{
      .names = data.graph.names(),
      .features = features,
      .labels = data.labels,
      .split = split,
      .edge_features = data.graph.edges().features,
      .is_directed = data.graph.direction() == graph::Direction::directed,
      .is_weighted = is_weighted,
      // A graph in memory has dropped them.
      .duplicates = has_passes ? duplicates_of(config.data) : graph::DuplicateEdges::keep_all,
      .kinds = std::move(kinds),
      .description = std::move(description)};
  data::FrozenCounts counts =
      data::freeze_network(request.out, network, std::move(arcs),
                           {.parts = request.parts, .memory = memory, .half_features = request.half_features});
  if (data.kinds) counts.edges = data.edge_count();
  return counts;
}

}  // namespace edgewise::train
