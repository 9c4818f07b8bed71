#include "edgewise/nn/initialisers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::nn {

namespace {

void spend(BuildContext& context, const std::string& name, int rows, int cols) {
  if (rows < 0 || cols < 0)
    throw UsageError(fmt::format("{}.{}: expected sizes of at least 0, got {} x {}", context.name, name, rows, cols));
  const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  if (count > context.budget) {
    throw ModelError(fmt::format("{}.{}: {} x {} elements are more than there are", context.name, name, rows, cols));
  }
  context.budget -= count;
}

}  // namespace

autograd::Parameter glorot(BuildContext& context, const std::string& name, int rows, int cols, int fan_in,
                           int fan_out) {
  spend(context, name, rows, cols);
  Random random(context.seed, Stream::initialise, context.drawn++);
  const double limit = std::sqrt(6.0 / std::max(1, fan_in + fan_out));
  Matrix value(rows, cols);
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    value.data()[i] = static_cast<float>(random.uniform(-limit, limit));
  }
  return {context.name + "." + name, std::move(value)};
}

autograd::Parameter glorot(BuildContext& context, const std::string& name, int rows, int cols) {
  return glorot(context, name, rows, cols, rows, cols);
}

autograd::Parameter constant(BuildContext& context, const std::string& name, int rows, int cols, float value) {
  spend(context, name, rows, cols);
  return {context.name + "." + name, Matrix::Constant(rows, cols, value)};
}

}  // namespace edgewise::nn
