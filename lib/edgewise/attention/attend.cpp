#include "edgewise/attention/attend.hpp"

#include <fmt/format.h>

#include <vector>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/score_entry.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

void check_shape(const char* name, const Matrix& matrix, std::size_t rows, Eigen::Index columns) {
  if (static_cast<std::size_t>(matrix.rows()) == rows && matrix.cols() == columns) return;
  throw UsageError(fmt::format("attend: {} has shape [{}, {}], expected [{}, {}]", name, matrix.rows(), matrix.cols(),
                               rows, columns));
}

void check(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options) {
  const Eigen::Index columns = inputs.value.cols();
  if (options.heads < 1 || options.heads > kMaxHeads || columns % options.heads != 0)
    throw UsageError(
        fmt::format("attend: {} heads do not divide {} columns (1 to {} heads)", options.heads, columns, kMaxHeads));
  if (!(options.negative_slope >= 0))
    throw UsageError(fmt::format("attend: expected a negative_slope of at least 0, got {}", options.negative_slope));
  const ScoreEntry& score = score_entry(options.score);
  const Eigen::Index score_columns = score.columns(options.heads, static_cast<int>(columns) / options.heads);
  check_shape("query", inputs.query, mask.destination_count(), score_columns);
  check_shape("key", inputs.key, mask.source_count(), score_columns);
  check_shape("value", inputs.value, mask.source_count(), columns);
  if (inputs.attention_vector == nullptr) return;
  if (!score.has_vector)
    throw UsageError(fmt::format("attend: the score {} has no attention vector, got one of shape [{}, {}]",
                                 name(options.score), inputs.attention_vector->rows(),
                                 inputs.attention_vector->cols()));
  check_shape("attention_vector", *inputs.attention_vector, 1, columns);
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
