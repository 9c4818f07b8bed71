#include "edgewise/attention/shapes.hpp"

#include <fmt/format.h>

#include <string_view>

#include "edgewise/attention/score_traits.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

Shape require(std::string_view argument, const std::optional<Shape>& found) {
  if (!found) throw UsageError(fmt::format("attend: expected a {}, got none", argument));
  return *found;
}

void check_if_set(std::string_view argument, const std::optional<Shape>& found, Shape expected) {
  if (found) check_shape("attend", argument, *found, expected);
}

/// Edge terms multiply the edge features of the mask.
void check_edge_terms(const graph::FrozenGraph& mask, const InputShapes& shapes, int heads, Score score) {
  if (!shapes.edge_weight && !shapes.value_edge_weight && !shapes.edge_bias) return;
  if (score == Score::gat && shapes.edge_weight)
    throw UsageError("attend: the score gat has no edge_weight, but may have an edge_bias");
  const std::ptrdiff_t columns = shapes.value->columns;
  const std::ptrdiff_t features = mask.edge_features.cols();
  check_if_set("edge_weight", shapes.edge_weight, {features, columns});
  check_if_set("value_edge_weight", shapes.value_edge_weight, {features, columns});
  check_if_set("edge_bias", shapes.edge_bias, {features, heads});
  check_shape("attend", "mask.edge_features", {mask.edge_features.rows(), features},
              {static_cast<std::ptrdiff_t>(mask.slot_count()), features});
}

void check_vector(const ScoreTraits& traits, const InputShapes& shapes, Score score) {
  if (!shapes.attention_vector) return;
  if (!traits.has_vector) throw UsageError(fmt::format("attend: the score {} has no attention vector", name(score)));
  check_if_set("attention_vector", shapes.attention_vector, {1, shapes.value->columns});
}

}  // namespace

void check_shapes(const graph::FrozenGraph& mask, const InputShapes& shapes, int heads, Score score) {
  const Shape value = require("value", shapes.value);
  const std::ptrdiff_t columns = value.columns;
  check_heads("attend", heads, columns);
  const ScoreTraits& traits = score_traits(score);
  const std::ptrdiff_t score_columns = traits.columns(heads, static_cast<int>(columns) / heads);
  const auto destinations = static_cast<std::ptrdiff_t>(mask.destination_count());
  const auto sources = static_cast<std::ptrdiff_t>(mask.source_count());
  check_shape("attend", "query", require("query", shapes.query), {destinations, score_columns});
  check_shape("attend", "key", require("key", shapes.key), {sources, score_columns});
  check_shape("attend", "value", value, {sources, columns});
  check_vector(traits, shapes, score);
  check_edge_terms(mask, shapes, heads, score);
}

void check_slope(float negative_slope) {
  if (!(negative_slope >= 0))
    throw UsageError(fmt::format("attend: expected a negative_slope of at least 0, got {}", negative_slope));
}

}  // namespace edgewise::attention
