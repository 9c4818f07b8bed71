#include "edgewise/attention/attend.hpp"

#include <vector>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/attention/shapes.hpp"

namespace edgewise::attention {
namespace {

void check(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options) {
  InputShapes shapes{shape_of(inputs.query), shape_of(inputs.key), shape_of(inputs.value)};
  if (inputs.attention_vector != nullptr) shapes.attention_vector = shape_of(*inputs.attention_vector);
  check_shapes(mask, shapes, options.heads, options.score);
  check_slope(options.negative_slope);
}

}  // namespace

Matrix attend(const graph::FrozenGraph& mask, const AttendInputs& inputs, const AttendOptions& options) {
  check(mask, inputs, options);
  const int width = static_cast<int>(inputs.value.cols()) / options.heads;
  const Tables tables{
      .heads = options.heads,
      .width = width,
      .parts = {.query = inputs.query.data(),
                .key = inputs.key.data(),
                .value = inputs.value.data(),
                .attention_vector = inputs.attention_vector == nullptr ? nullptr : inputs.attention_vector->data()},
      .score = {.negative_slope = options.negative_slope, .scale = options.scale}};
  Matrix output(static_cast<Eigen::Index>(mask.destination_count()), inputs.value.cols());
  if (width == 0) return output;
  Workspace workspace;
  std::vector<float> row_statistics(row_statistics_size(mask, options.heads, width));
  kernels(options.score, options.normaliser)
      .forward(mask, tables, output.data(), row_statistics.data(), workspace);
  return output;
}

}  // namespace edgewise::attention
