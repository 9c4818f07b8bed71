#include "edgewise/nn/initialisers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::nn {

namespace {

void spend(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kLargest = std::numeric_limits<int>::max();
  if (rows < 0 || cols < 0 || rows > kLargest || cols > kLargest)
    throw UsageError(fmt::format("{}.{}: expected sizes from 0 to {}, got {} x {}", context.name, name, kLargest, rows,
                                 cols));
  const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols);
  if (count > context.budget) {
    throw ModelError(fmt::format("{}.{}: {} x {} elements are more than there are", context.name, name, rows, cols));
  }
  context.budget -= count;
}

}  // namespace

autograd::Parameter glorot(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols,
                           std::int64_t fan_in, std::int64_t fan_out) {
  spend(context, name, rows, cols);
  Random random(context.seed, Stream::initialise, context.drawn++);
  const double limit = std::sqrt(6.0 / static_cast<double>(std::max<std::int64_t>(1, fan_in + fan_out)));
  Matrix value(rows, cols);
  for (Eigen::Index i = 0; i < value.size(); ++i) {
    value.data()[i] = static_cast<float>(random.uniform(-limit, limit));
  }
  return {context.name + "." + name, std::move(value)};
}

autograd::Parameter glorot(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols) {
  return glorot(context, name, rows, cols, rows, cols);
}

autograd::Parameter constant(BuildContext& context, const std::string& name, std::int64_t rows, std::int64_t cols,
                             float value) {
  spend(context, name, rows, cols);
  return {context.name + "." + name, Matrix::Constant(rows, cols, value)};
}

}  // namespace edgewise::nn
