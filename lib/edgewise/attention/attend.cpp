#include "edgewise/attention/attend.hpp"

#include <fmt/format.h>

#include <vector>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

void check(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options) {
  const Eigen::Index columns = inputs.value.cols();
  check_heads("attend", options.heads, columns);
  if (!(options.negative_slope >= 0))
    throw UsageError(fmt::format("attend: expected a negative_slope of at least 0, got {}", options.negative_slope));
  const ScoreEntry& score = score_entry(options.score);
  const Eigen::Index score_columns = score.columns(options.heads, static_cast<int>(columns) / options.heads);
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  check_shape("attend", "query", shape_of(inputs.query), {destinations, score_columns});
  check_shape("attend", "key", shape_of(inputs.key), {sources, score_columns});
  check_shape("attend", "value", shape_of(inputs.value), {sources, columns});
  if (inputs.attention_vector == nullptr) return;
  if (!score.has_vector)
    throw UsageError(fmt::format("attend: the score {} has no attention vector", name(options.score)));
  check_shape("attend", "attention_vector", shape_of(*inputs.attention_vector), {1, columns});
}

}  // namespace

Matrix attend(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options) {
  check(mask, inputs, options);
  const int width = static_cast<int>(inputs.value.cols()) / options.heads;
  const Tables tables{
      .heads = options.heads,
      .width = width,
      .query = inputs.query.data(),
      .key = inputs.key.data(),
      .value = inputs.value.data(),
      .attention_vector = inputs.attention_vector == nullptr ? nullptr : inputs.attention_vector->data(),
      .score = {.negative_slope = options.negative_slope, .scale = options.scale}};
  Matrix output(static_cast<Eigen::Index>(mask.destination_count()), inputs.value.cols());
  if (width == 0) return output;
  Workspace workspace;
  std::vector<float> row_statistics(row_statistics_size(mask, options.heads, width));
  kernels(options.score, options.normaliser, options.precision)
      .forward(mask, tables, output.data(), row_statistics.data(), workspace);
  return output;
}

}  // namespace edgewise::attention
