#include "edgewise/train/loop/batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"

namespace edgewise::train {

void add_masks(const nn::Model& model, const graph::MaskInput& input,
               std::map<std::string, graph::FrozenGraph>& masks) {
  for (const nn::MaskShape& mask : model.masks_by_rule()) {
    if (mask.name == "edges" || masks.contains(mask.name)) continue;
    masks.emplace(mask.name, graph::parse_mask(mask.name).build(input));
  }
}

nn::ForwardContext make_context(const PassOptions& pass, const graph::FrozenGraph& edges,
                                const std::map<std::string, graph::FrozenGraph>& masks) {
  nn::ForwardContext context{.tape = pass.tape,
                             .masks = {{"edges", &edges}},
                             .is_training = pass.is_training,
                             .seed = pass.seed,
                             .step = pass.step,
                             .attention = pass.attention,
                             .embeddings = pass.embeddings};
  for (const auto& [name, mask] : masks) context.masks.emplace(name, &mask);
  return context;
}

void check_node_sets(const nn::Model& model, const std::vector<nn::NodeSetShape>& there) {
  if (model.is_link_level()) throw ModelError("model: it labels links, but the data has none");
  const nn::ModelShape& shape = model.shape();
  for (const nn::NodeSetShape& needed : shape.node_sets)
    if (std::ranges::find(there, needed) == there.end())
      throw ModelError(fmt::format("model: it needs the node set \"{}\" of {} columns, but the data has none",
                                   needed.name, needed.columns));
  if (!shape.masks.empty())
    throw ModelError(fmt::format("model: it needs the mask \"{}\", but no rule makes it", shape.masks.front().name));
}

void check_feature_columns(const nn::Model& model, Eigen::Index of_nodes, Eigen::Index of_edges) {
  const auto check = [](std::string_view what, Eigen::Index found, int expected) {
    if (found != expected)
      throw ModelError(
          fmt::format("model: the {} have {} feature columns, the model is made for {}", what, found, expected));
  };
  check("nodes", of_nodes, model.shape().inputs);
  check("edges", of_edges, model.shape().edge_features);
}

std::vector<graph::Node> Batches::items_to_predict() const {
  std::vector<graph::Node> items(item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  return items;
}

std::vector<std::vector<graph::Node>> Batches::of_evaluation(const nn::Model&,
                                                             std::span<const graph::Node> items) const {
  if (items.empty()) return {};
  return {{items.begin(), items.end()}};
}

void evaluate_outputs(nn::Model& model, Batches& batches, std::span<const graph::Node> items, autograd::Tape& tape,
                      Matrix& outputs) {
  outputs.resize(static_cast<Eigen::Index>(batches.item_count()), batches.output_columns(model));
  for (const std::vector<graph::Node>& part : batches.of_evaluation(model, items)) {
    check_interruption();
    tape.reset(false);
    const autograd::Variable rows = batches.forward(model, {.tape = tape}, part);
    for (std::size_t i = 0; i < part.size(); ++i)
      outputs.row(static_cast<Eigen::Index>(part[i])) = rows.value().row(static_cast<Eigen::Index>(i));
  }
}

}  // namespace edgewise::train
