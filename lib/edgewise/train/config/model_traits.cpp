#include "edgewise/train/config/model_traits.hpp"

#include <algorithm>
#include <array>

#include "edgewise/train/config/config.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kModels = {
    ModelTraits{.name = "gat", .uses_attention = true},
    ModelTraits{.name = "gatv2", .uses_attention = true},
    ModelTraits{.name = "bahdanau", .uses_attention = true},
    ModelTraits{.name = "transformer", .uses_attention = true},
    ModelTraits{.name = "gcn"},
    ModelTraits{.name = "gcn2", .depth = 8},
    ModelTraits{.name = "grand", .agrees_in_passes = true, .depth = 2},
    ModelTraits{.name = "sage"},
    ModelTraits{.name = "mlp", .uses_graph = false},
    ModelTraits{.name = "gat_sep", .uses_attention = true},
    ModelTraits{.name = "gatv2_sep", .uses_attention = true},
    ModelTraits{.name = "transformer_sep", .uses_attention = true},
    ModelTraits{.name = "gps", .uses_attention = true, .is_sized_for_graphs = true},
    ModelTraits{.name = "attention", .uses_attention = true},
    ModelTraits{.name = "window", .sees_grid = true},
    ModelTraits{.name = "convolution", .sees_grid = true},
    ModelTraits{.name = "lstm"},
    ModelTraits{.name = "label_propagation", .is_network = false, .uses_features = false, .leaves_model = false},
    ModelTraits{.name = "fingerprint", .is_network = false, .uses_graph = false},
    ModelTraits{.name = "descriptors", .is_network = false, .uses_graph = false},
    ModelTraits{.name = "boosted_trees", .is_network = false, .uses_graph = false},
    ModelTraits{.name = "neighbour_trees", .is_network = false},
    ModelTraits{.name = "sum_features", .is_network = false, .uses_graph = false},
};

}  // namespace

ModelTraits traits_of(std::string_view model) {
  const auto found = std::ranges::find(kModels, model, &ModelTraits::name);
  return found == kModels.end() ? ModelTraits{.is_known = false} : *found;
}

std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const ModelTraits& model : kModels)
    if (!model.is_network) names.emplace_back(model.name);
  return names;
}

bool is_baseline(const json::Value& model) { return !traits_of(model_name(model)).is_network; }

bool has_no_model(const json::Value& model) { return !traits_of(model_name(model)).leaves_model; }

}  // namespace edgewise::train
