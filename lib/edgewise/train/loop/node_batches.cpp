#include "edgewise/train/loop/node_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/nn/masks.hpp"

namespace edgewise::train {
namespace {

bool are_all_in_order(std::span<const graph::Node> rows, Eigen::Index count) {
  if (rows.size() != static_cast<std::size_t>(count)) return false;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != i) return false;
  return true;
}

}  // namespace

NodeBatches::NodeBatches(const data::Features& features, const graph::FrozenGraph& graph,
                         std::vector<graph::Node> order, GraphLayout layout, MaskedLabels labels)
    : features_(features),
      graph_(graph),
      layout_(std::move(layout)),
      order_(std::move(order)),
      place_(graph::inverse(order_)),
      labels_(labels) {
  if (!order_.empty()) check_count("nodes", "order", order_.size(), graph.destination_count());
  if (labels_.columns > features.columns())
    throw UsageError(fmt::format("nodes: {} label columns, but the nodes have {} feature columns", labels_.columns,
                                 features.columns()));
  if (layout_.offsets.empty()) layout_.offsets = {0, static_cast<graph::Node>(graph.destination_count())};
  if (features.is_sparse) sparse_ = std::make_unique<autograd::SparseInput>(features.sparse);
}

NodeBatches::~NodeBatches() = default;

void NodeBatches::check_fits(const nn::Model& model) const {
  check_node_sets(model);
  if (model.is_graph_level())
    throw ModelError("model: it has a readout: it labels graphs, but the data has labels of nodes");
  check_feature_columns(model, static_cast<Eigen::Index>(features_.columns()), graph_.edge_features.cols());
  if (const int columns = model.shape().pair_features; columns != 0)
    throw ModelError(
        fmt::format("model: pairs of nodes have no features, the model is made for {} columns", columns));
  if (features_.rows() != graph_.destination_count())
    throw ModelError(fmt::format("model: the features have {} rows, the graph has {} nodes", features_.rows(),
                                 graph_.destination_count()));
}

std::vector<std::vector<graph::Node>> NodeBatches::training_batches(const nn::Model&, std::vector<graph::Node> items,
                                                                    std::uint64_t seed, std::uint64_t epoch) {
  if (labels_.columns == 0) return {std::move(items)};
  return {draw_hidden(labels_, std::move(items), seed, epoch)};
}

/// Builds the masks. Rules see the nodes in the user's order.
void NodeBatches::add_masks_of(const nn::Model& model) {
  const bool has_all = std::ranges::all_of(
      model.masks(), [&](const nn::MaskShape& mask) { return mask.name == "edges" || masks_.contains(mask.name); });
  if (has_all) return;
  const auto input = [&](const graph::FrozenGraph& edges) {
    return graph::MaskInput{.edges = edges, .offsets = layout_.offsets, .grid_columns = layout_.grid_columns};
  };
  if (order_.empty()) return add_masks(model, input(graph_), masks_);
  const graph::FrozenGraph as_given = graph::permute(graph_, place_);
  masks_.clear();
  add_masks(model, input(as_given), masks_);
  for (auto& [name, mask] : masks_) {
    if (!graph::parse_mask(name).rule->is_between_nodes())
      throw UsageError("training.reorder: the model depends on the order of the nodes or of the edges; use none");
    mask = graph::permute(mask, order_);
  }
}

std::vector<graph::Node> NodeBatches::places_of(std::span<const graph::Node> items) const {
  std::vector<graph::Node> places(items.begin(), items.end());
  if (!place_.empty())
    for (graph::Node& node : places) node = place_[node];
  return places;
}

/// Hides the labels of the nodes being trained on.
nn::NodeRows NodeBatches::input(const PassOptions& pass, std::span<const graph::Node> items) {
  if (hides_labels(pass)) {
    if (!label_mask_) label_mask_.emplace(features_, sparse_.get(), labels_.columns);
    label_mask_->hide(places_of(items));
    return label_mask_->rows(pass.tape);
  }
  if (sparse_ == nullptr) return {.dense = pass.tape.constant(features_.dense)};
  return {.dense = {}, .sparse = {.input = sparse_.get()}};
}

std::vector<graph::Node> NodeBatches::Part::places_of(std::span<const graph::Node> of) const {
  std::vector<graph::Node> places;
  for (const graph::Node node : of)
    places.push_back(static_cast<graph::Node>(std::ranges::lower_bound(nodes, node) - nodes.begin()));
  return places;
}

/// Its rows in memory stay where they are, since its batches refer to them.
void NodeBatches::add_part(const nn::Model& model, std::span<const graph::Node> seeds, std::size_t hops) {
  Part& part = parts_.emplace_back(Part{.seeds = {seeds.begin(), seeds.end()}, .hops = hops});
  if (4 * seeds.size() > 3 * features_.rows()) return;  // even for a model that ignores edges: not worth a copy
  std::vector<graph::Node> places = places_of(seeds);
  if (const std::optional<std::size_t> steps = model.sampled_steps(); steps && layout_.items > 0) {
    std::ranges::sort(places);
    part.sampler = graph::sample_neighbours(graph_, {.fan_outs = {std::numeric_limits<std::uint32_t>::max()}});
    part.steps = part.sampler->draw({.nodes = places, .item_count = places.size()}, *steps, 0, 0);
    part.nodes = std::move(places);
    part.features = data::select_rows(features_, part.steps.nodes);
  } else {
    const std::size_t most = (graph_.destination_count() + graph_.slot_count()) / 2;
    std::optional<graph::Neighbourhood> seen = graph::neighbourhood_within(graph_, places, hops, most);
    if (!seen) return;
    part.nodes = std::move(seen->nodes);
    part.graph = std::move(seen->graph);
    part.features = data::select_rows(features_, part.nodes);
  }
  const graph::FrozenGraph& graph = part.sampler != nullptr ? graph_ : part.graph;
  part.batches = std::make_unique<NodeBatches>(part.features, graph, std::vector<graph::Node>{}, GraphLayout{},
                                               MaskedLabels{.columns = labels_.columns});
  if (part.sampler != nullptr) part.batches->steps_ = &part.steps;
}

/// In training with hidden labels, one part serves all nodes that may be hidden, which differ between epochs.
const NodeBatches::Part* NodeBatches::part_of(nn::Model& model, const PassOptions& pass,
                                              std::span<const graph::Node> items) {
  constexpr std::size_t kParts = 4;
  const std::span<const graph::Node> seeds = hides_labels(pass) ? std::span(labels_.known) : items;
  if (seeds.empty() || pass.attention != nullptr || pass.embeddings != nullptr) return nullptr;
  const std::optional<std::size_t> hops = model.reach(pass.is_training);
  if (!hops) return nullptr;
  const auto is_it = [&](const Part& part) { return part.hops == *hops && std::ranges::equal(part.seeds, seeds); };
  auto part = std::ranges::find_if(parts_, is_it);
  if (part == parts_.end()) {
    if (parts_.size() == kParts) parts_.pop_front();
    add_part(model, seeds, *hops);
    part = std::prev(parts_.end());
  }
  return part->batches == nullptr ? nullptr : &*part;
}

autograd::Variable NodeBatches::forward(nn::Model& model, const PassOptions& pass, std::span<const graph::Node> items) {
  check_indices("nodes", "items", items, item_count());
  const Part* part = part_of(model, pass, items);
  if (part == nullptr) return forward_all(model, pass, items);
  return part->batches->forward_all(model, pass, part->places_of(places_of(items)));
}

autograd::Variable NodeBatches::forward_all(nn::Model& model, const PassOptions& pass,
                                            std::span<const graph::Node> items) {
  add_masks_of(model);
  nn::ForwardContext context = make_context(pass, graph_, masks_);
  context.sample = steps_;
  if (model.uses_node_set(nn::kEdges)) {
    if (edge_rows_.cols() == 0) edge_rows_ = graph::edge_rows(graph_);
    context.node_sets[nn::kEdges].dense = pass.tape.constant(edge_rows_);
  }
  const autograd::Variable outputs = model.forward(context, input(pass, items));
  if (pass.attention != nullptr && !place_.empty()) put_back(*pass.attention);
  const bool are_all_nodes = items.empty() && layout_.items == 0;
  if (!are_all_nodes) rows_ = places_of(items.empty() ? items_to_predict() : items);
  const std::vector<graph::Node>& rows = are_all_nodes ? place_ : rows_;
  if (rows.empty() || are_all_in_order(rows, outputs.rows())) return outputs;
  if (pass.embeddings != nullptr) *pass.embeddings = (*pass.embeddings)(rows, Eigen::all).eval();
  return autograd::select_rows(outputs, rows);
}

const graph::FrozenGraph& NodeBatches::mask(const std::string& name) const {
  if (name == "edges") return graph_;
  const auto found = masks_.find(name);
  if (found == masks_.end()) throw UsageError(fmt::format("mask \"{}\": no model has needed it", name));
  return found->second;
}

void NodeBatches::put_back(std::vector<nn::AttentionRecord>& records) const {
  for (nn::AttentionRecord& record : records) {
    record.weights = graph::permute_rows(record.weights, graph::permuted_slots(mask(record.mask), place_));
  }
}

}  // namespace edgewise::train
