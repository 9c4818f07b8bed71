#include "edgewise/attention/attend.hpp"

#include <fmt/format.h>

#include "edgewise/attention/dot_product.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::attention {
namespace {

void check_shape(const char* name, const Matrix& matrix, std::size_t rows, Eigen::Index columns) {
  if (static_cast<std::size_t>(matrix.rows()) == rows && matrix.cols() == columns) return;
  throw UsageError(fmt::format("attend: {} has shape [{}, {}], expected [{}, {}]", name, matrix.rows(), matrix.cols(),
                               rows, columns));
}

}  // namespace

Matrix attend(const graph::FrozenGraph& mask, const Matrix& query, const Matrix& key, const Matrix& value,
              const AttendOptions& options) {
  const Eigen::Index columns = query.cols();
  if (options.heads < 1 || options.heads > kMaximalHeads || columns % options.heads != 0)
    throw UsageError(fmt::format("attend: {} heads do not divide {} columns (1 to {} heads)", options.heads, columns,
                                 kMaximalHeads));
  check_shape("query", query, mask.destination_count(), columns);
  check_shape("key", key, mask.source_count(), columns);
  check_shape("value", value, mask.source_count(), columns);
  const DotProductInputs inputs{.heads = options.heads,
                                .width = static_cast<int>(columns) / options.heads,
                                .query = query.data(),
                                .key = key.data(),
                                .value = value.data()};
  Matrix output(query.rows(), columns);
  Matrix log_sum_exp(query.rows(), options.heads);
  dot_product_forward(mask, inputs, {}, output.data(), log_sum_exp.data(), {}, nullptr);
  return output;
}

}  // namespace edgewise::attention
