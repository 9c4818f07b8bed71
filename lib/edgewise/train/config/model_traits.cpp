#include "edgewise/train/config/model_traits.hpp"

#include <algorithm>
#include <array>

#include "edgewise/nn/presets.hpp"

namespace edgewise::train {
namespace {

constexpr std::array kBaselines = {
    ModelTraits{.name = "label_propagation",
                .is_network = false,
                .uses_features = false,
                .weighs_rows = false,
                .leaves_model = false},
    ModelTraits{
        .name = "fingerprint", .is_network = false, .uses_graph = false, .learns_links = false, .weighs_rows = false},
    ModelTraits{
        .name = "descriptors", .is_network = false, .uses_graph = false, .learns_links = false, .weighs_rows = false},
    ModelTraits{.name = "boosted_trees", .is_network = false, .uses_graph = false},
    ModelTraits{.name = "random_forest", .is_network = false, .uses_graph = false, .learns_links = false},
    ModelTraits{.name = "neighbour_trees", .is_network = false},
    ModelTraits{
        .name = "sum_features", .is_network = false, .uses_graph = false, .learns_links = false, .weighs_rows = false},
    ModelTraits{.name = "common_neighbours",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::one},
    ModelTraits{.name = "adamic_adar",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::one},
    ModelTraits{.name = "resource_allocation",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::one},
    ModelTraits{.name = "katz", .is_network = false, .uses_features = false, .is_of_links = true},
    ModelTraits{.name = "preferential_attachment", .is_network = false, .uses_features = false, .is_of_links = true},
    ModelTraits{.name = "nearest_targets",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::two},
    ModelTraits{.name = "nearest_sources",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::two},
    ModelTraits{.name = "matrix_factors",
                .is_network = false,
                .uses_features = false,
                .is_of_links = true,
                .sides = TieSides::two},
    ModelTraits{.name = "personalised_pagerank", .is_network = false, .uses_features = false, .is_of_links = true},
    ModelTraits{.name = "edge_biases",
                .is_network = false,
                .uses_features = false,
                .uses_graph = false,
                .learns_links = false,
                .weighs_rows = false,
                .is_of_edges = true},
    ModelTraits{.name = "edge_factors",
                .is_network = false,
                .uses_features = false,
                .uses_graph = false,
                .learns_links = false,
                .weighs_rows = false,
                .is_of_edges = true},
    ModelTraits{.name = "link_trees", .is_network = false, .is_of_links = true},
};

}  // namespace

ModelTraits traits_of(std::string_view model) {
  if (const auto preset = nn::find_preset(model))
    return {.name = preset->name,
            .uses_graph = preset->uses_graph,
            .uses_attention = preset->uses_attention,
            .sees_grid = preset->sees_grid,
            .agrees_in_passes = preset->agrees_in_passes,
            .is_sized_for_graphs = preset->is_sized_for_graphs,
            .is_relational = preset->is_relational,
            .writes = preset->writes,
            .depth = preset->depth};
  const auto found = std::ranges::find(kBaselines, model, &ModelTraits::name);
  return found == kBaselines.end() ? ModelTraits{.is_known = false} : *found;
}

std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  for (const ModelTraits& model : kBaselines) names.emplace_back(model.name);
  return names;
}

}  // namespace edgewise::train
