#include "edgewise/train/config/model_traits.hpp"

#include <algorithm>
#include <string_view>

#include "edgewise/train/config/config.hpp"

namespace edgewise::train {
namespace {

std::string without_suffix(const std::string& name, std::string_view end) {
  return name.substr(0, name.size() - end.size());
}

}  // namespace

ModelTraits traits_of(const std::string& model) {
  if (model.ends_with(kSmoothed)) {
    ModelTraits traits = traits_of(without_suffix(model, kSmoothed));
    traits.uses_graph = true;
    return traits;
  }
  if (model.ends_with(kWithLabels)) {
    ModelTraits traits = traits_of(without_suffix(model, kWithLabels));
    traits.sees_labels = true;
    return traits;
  }
  if (model.ends_with(kWithoutFeatures)) {
    ModelTraits traits = traits_of(without_suffix(model, kWithoutFeatures));
    traits.uses_features = false;
    return traits;
  }
  if (model.ends_with(kWithoutEdges)) return {.uses_graph = false, .uses_attention = false};
  if (model == "label_propagation") return {.uses_features = false, .uses_attention = false, .is_network = false};
  if (model == "mlp") return {.uses_graph = false, .uses_attention = false};
  constexpr const char* kBlindToEdges[] = {"fingerprint", "descriptors", "boosted_trees", "sum_features"};
  if (std::ranges::count(kBlindToEdges, model) > 0)
    return {.uses_graph = false, .uses_attention = false, .is_network = false};
  if (model == "neighbour_trees") return {.uses_attention = false, .is_network = false};
  if (model == "window" || model == "convolution" || model == "lstm") return {.uses_attention = false};
  constexpr const char* kWithoutAttention[] = {"gcn", "gcn2", "grand", "sage"};
  return {.uses_attention = std::ranges::count(kWithoutAttention, model) == 0};
}

std::vector<std::string> baseline_names() {
  return {"label_propagation", "fingerprint", "descriptors", "boosted_trees", "neighbour_trees", "sum_features"};
}

bool is_baseline(const json::Value& model) { return std::ranges::count(baseline_names(), model_name(model)) > 0; }

bool has_no_model(const json::Value& model) { return model_name(model) == "label_propagation"; }

}  // namespace edgewise::train
