#include "edgewise/nn/reach.hpp"

#include <algorithm>
#include <string>

#include "edgewise/attention/options.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/gcn2.hpp"
#include "edgewise/nn/masks.hpp"

namespace edgewise::nn {
namespace {

using Reach = std::optional<std::size_t>;

struct Walk {
  bool weighs_by_degree = false;  // by that of a source, which takes the in-edges of the source

  Reach blocks(const json::Value& list);
  Reach block(const json::Value& block);
};

Reach of_mask(const std::string& name) {
  const graph::Mask mask = graph::parse_mask(name);
  if (mask.rule->name == "edges") return 1;
  if (mask.rule->name == "k_hop") return mask.parameters.front();
  return std::nullopt;
}

Reach Walk::blocks(const json::Value& list) {
  std::size_t sum = 0;
  for (const json::Value& one : list.as_array()) {
    const Reach reach = block(one);
    if (!reach) return std::nullopt;
    sum += *reach;
  }
  return sum;
}

Reach Walk::block(const json::Value& one) {
  const std::string type = one.at("type").as_string();
  if (const json::Value* inner = one.find("blocks")) return blocks(*inner);
  if (const json::Value* inner = one.find("block")) return block(*inner);
  if (const json::Value* branches = one.find("branches")) {
    std::size_t longest = 0;
    for (const json::Value& branch : branches->as_array()) {
      const Reach reach = blocks(branch);
      if (!reach) return std::nullopt;
      longest = std::max(longest, *reach);
    }
    return longest;
  }
  weighs_by_degree =
      weighs_by_degree || type == "gcn" || type == "gcn2" || type == "appnp" || type == "propagate";
  if (type == "gcn2") return static_cast<std::size_t>(one.get("layers", std::int64_t{Gcn2Options{}.layers}));
  if (type == "appnp" || type == "propagate") return static_cast<std::size_t>(one.get("steps", std::int64_t{10}));
  const std::vector<std::string> scores = attention::score_names();
  const bool looks_at_neighbours = type == "gcn" || type == "sage" || type == "mean" ||
                                   std::find(scores.begin(), scores.end(), type) != scores.end();
  if (looks_at_neighbours) return of_mask(one.get("mask", "edges"));
  constexpr const char* kRowByRow[] = {"linear", "activation", "dropout", "layer_norm", "batch_norm", "feed_forward"};
  const bool is_row_by_row = std::find(std::begin(kRowByRow), std::end(kRowByRow), type) != std::end(kRowByRow);
  return is_row_by_row ? Reach(0) : std::nullopt;
}

bool convolves_over_edges(const json::Value& model) {
  if (model.is_array()) return std::ranges::any_of(model.as_array(), convolves_over_edges);
  if (!model.is_object()) return false;
  const json::Value* type = model.find("type");
  const json::Value* mask = model.find("mask");
  const bool convolves = type != nullptr && *type == "convolution" && mask != nullptr && *mask == kEdges;
  return convolves || std::ranges::any_of(model.as_object(),
                                          [](const auto& one) { return convolves_over_edges(one.second); });
}

}  // namespace

bool has_anywhere(const json::Value& model, std::string_view member, const json::Value& value) {
  if (model.is_array())
    return std::ranges::any_of(model.as_array(),
                               [&](const json::Value& one) { return has_anywhere(one, member, value); });
  if (!model.is_object()) return false;
  return std::ranges::any_of(model.as_object(), [&](const auto& one) {
    return (one.first == member && one.second == value) || has_anywhere(one.second, member, value);
  });
}

bool uses_attention(const json::Value& model) {
  return std::ranges::any_of(attention::score_names(),
                             [&](const std::string& score) { return has_anywhere(model, "type", score); });
}

bool uses_edge_features(const json::Value& model) {
  return uses_attention(model) || convolves_over_edges(model) || has_anywhere(model, "edge_weights", true) ||
         has_anywhere(model, "set", kEdges);
}

std::optional<std::size_t> reach(const json::Value& model) {
  Walk walk;
  const Reach steps = walk.blocks(model.at("blocks"));
  if (!steps) return std::nullopt;
  return *steps + (walk.weighs_by_degree && *steps > 0 ? 1 : 0);
}

}  // namespace edgewise::nn
