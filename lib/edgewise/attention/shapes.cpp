#include "edgewise/attention/shapes.hpp"

#include <fmt/format.h>

#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {

void check_shapes(const graph::FrozenGraph& mask, const InputShapes& shapes, int heads, Score score) {
  const std::ptrdiff_t columns = shapes.value.columns;
  check_heads("attend", heads, columns);
  const ScoreEntry& entry = score_entry(score);
  const std::ptrdiff_t score_columns = entry.columns(heads, static_cast<int>(columns) / heads);
  const auto destinations = static_cast<std::ptrdiff_t>(mask.destination_count());
  const auto sources = static_cast<std::ptrdiff_t>(mask.source_count());
  check_shape("attend", "query", shapes.query, {destinations, score_columns});
  check_shape("attend", "key", shapes.key, {sources, score_columns});
  check_shape("attend", "value", shapes.value, {sources, columns});
  if (!shapes.attention_vector) return;
  if (!entry.has_vector) throw UsageError(fmt::format("attend: the score {} has no attention vector", name(score)));
  check_shape("attend", "attention_vector", *shapes.attention_vector, {1, columns});
}

void check_slope(float negative_slope) {
  if (!(negative_slope >= 0))
    throw UsageError(fmt::format("attend: expected a negative_slope of at least 0, got {}", negative_slope));
}

}  // namespace edgewise::attention
