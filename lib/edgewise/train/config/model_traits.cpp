#include "edgewise/train/config/model_traits.hpp"

#include <algorithm>
#include <array>

#include "edgewise/nn/presets.hpp"

namespace edgewise::train {
namespace {

constexpr ModelTraits of_columns(std::string_view name) {
  return {.name = name, .is_network = false, .uses_graph = false, .learns_links = false, .weighs_rows = false};
}

/// A number of each pair of nodes.
constexpr ModelTraits heuristic(std::string_view name, TieSides sides = TieSides::any) {
  return {.name = name, .is_network = false, .uses_features = false, .is_of_links = true, .sides = sides};
}

constexpr ModelTraits of_ends_of_edges(std::string_view name) {
  return {.name = name,
          .is_network = false,
          .uses_features = false,
          .uses_graph = false,
          .learns_links = false,
          .weighs_rows = false};
}

constexpr std::array kBaselines = {
    ModelTraits{.name = "label_propagation",
                .is_network = false,
                .uses_features = false,
                .weighs_rows = false,
                .leaves_model = false},
    of_columns("fingerprint"),
    of_columns("descriptors"),
    ModelTraits{.name = "boosted_trees", .is_network = false, .uses_graph = false},
    ModelTraits{.name = "random_forest", .is_network = false, .uses_graph = false, .learns_links = false},
    ModelTraits{.name = "neighbour_trees", .is_network = false},
    of_columns("sum_features"),
    heuristic("common_neighbours", TieSides::one),
    heuristic("adamic_adar", TieSides::one),
    heuristic("resource_allocation", TieSides::one),
    heuristic("katz"),
    heuristic("preferential_attachment"),
    heuristic("nearest_targets", TieSides::two),
    heuristic("nearest_sources", TieSides::two),
    heuristic("matrix_factors", TieSides::two),
    heuristic("personalised_pagerank"),
    of_ends_of_edges("edge_biases"),
    of_ends_of_edges("edge_factors"),
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
