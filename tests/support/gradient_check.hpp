#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <stdexcept>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/random.hpp"

/// Central differences, shared by the tests of all operations.
namespace edgewise::test {

/// Uniform in [low, high), the same for the same seed.
inline Matrix random_matrix(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed, double low = -1,
                            double high = 1) {
  Random random(seed, Stream::generate);
  Matrix matrix(rows, cols);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<float>(random.uniform(low, high));
  return matrix;
}

/// Random numbers at least `gap` away from 0, for functions with a kink there.
inline Matrix random_matrix_off_zero(Eigen::Index rows, Eigen::Index cols, std::uint64_t seed, float gap = 0.1F) {
  Matrix matrix = random_matrix(rows, cols, seed);
  for (Eigen::Index i = 0; i < matrix.size(); ++i) matrix.data()[i] += std::copysign(gap, matrix.data()[i]);
  return matrix;
}

/// Sum of weights * x, [1, 1]. A separate operation, so that the checker does not rely on those it checks.
inline autograd::Variable weighted_sum(autograd::Variable x, const Matrix& weights) {
  if (x.rows() != weights.rows() || x.cols() != weights.cols())  // no assertion: threads may call this
    throw std::logic_error("weighted_sum: expected a weight for each value");
  autograd::Variable y = x.tape().make(1, 1, x.needs_gradient());
  y.value()(0, 0) = static_cast<float>(x.value().cast<double>().cwiseProduct(weights.cast<double>()).sum());
  x.tape().on_backward(y, [x, y, w = &weights] { x.gradient() += y.gradient()(0, 0) * *w; });
  return y;
}

struct GradientCheck {
  /// The error of the five-point stencil is step^4 / 30 of the fifth derivative, about 1e-8 here, plus the rounding
  /// error of the forward pass divided by the step: about 1e-7 / 0.02 = 5e-6 for each unit of the summed terms.
  double step = 0.02;
  /// Relative to |analytic| + |numeric| + 1. Two hundred times that rounding error, and far below any wrong factor.
  double tolerance = 1e-3;
  int directions = 3;  ///< Random directions through all inputs at once.
  int samples = 40;    ///< Single elements per input, or all if it has fewer.
  std::uint64_t seed = 1;
};

/// Computes the output (any shape) from the inputs. Called many times, so it must be a pure function.
using Build = std::function<autograd::Variable(autograd::Tape&, std::span<const autograd::Variable>)>;

/// Compares the tape's gradient of sum(R * build(inputs)), with R random and fixed, with five-point central differences
/// of the same sum in double: along random directions, which cover every element, and for single elements, which locate
/// an error. Every input must get its gradient. Inputs are parameters, so gradients are accumulated.
inline void check_gradient(const Build& build, const std::vector<Matrix>& inputs, const GradientCheck& options = {}) {
  std::vector<autograd::Parameter> parameters;
  for (const Matrix& input : inputs) parameters.emplace_back("input", input);
  std::vector<autograd::Variable> variables(inputs.size());
  autograd::Tape tape;
  const auto run = [&](bool is_recording) {
    tape.reset(is_recording);
    for (std::size_t i = 0; i < inputs.size(); ++i) variables[i] = tape.parameter(parameters[i]);
    return build(tape, variables);
  };

  const autograd::Variable shape = run(false);
  const Matrix weights = random_matrix(shape.rows(), shape.cols(), options.seed + 1000);
  // Twice: the second pass reuses buffers, and shows that gradients are added, not set.
  for (int pass = 0; pass < 2; ++pass) {
    autograd::Variable output = run(true);
    tape.backward(weighted_sum(output, weights));
  }
  const auto loss_at = [&] {
    return run(false).value().cast<double>().cwiseProduct(weights.cast<double>()).sum();
  };
  const auto derivative = [&](const std::function<void(double)>& move_to) {
    double values[4];
    const double at[4] = {-2, -1, 1, 2};
    for (int k = 0; k < 4; ++k) {
      move_to(at[k] * options.step);
      values[k] = loss_at();
    }
    move_to(0);
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * options.step);
  };
  const auto expect_near = [&](double analytic, double numeric) {
    CHECK(std::abs(analytic - numeric) <= options.tolerance * (std::abs(analytic) + std::abs(numeric) + 1));
  };

  for (int d = 0; d < options.directions; ++d) {
    std::vector<Matrix> direction;
    double analytic = 0;
    double length = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      direction.push_back(random_matrix(inputs[i].rows(), inputs[i].cols(), options.seed + 17 * (d + 1) + i));
      length += direction[i].cast<double>().squaredNorm();
    }
    const float unit = length > 0 ? static_cast<float>(1 / std::sqrt(length)) : 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      direction[i] *= unit;
      analytic += 0.5 * parameters[i].gradient.cast<double>().cwiseProduct(direction[i].cast<double>()).sum();
    }
    const double numeric = derivative([&](double t) {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        parameters[i].value = inputs[i] + static_cast<float>(t) * direction[i];
    });
    CAPTURE(d, analytic, numeric);
    expect_near(analytic, numeric);
  }

  Random random(options.seed, Stream::generate, 7);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto size = static_cast<std::size_t>(inputs[i].size());
    const std::size_t count = std::min<std::size_t>(size, options.samples);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t element = count == size ? k : random.below(size);
      const double analytic = 0.5 * parameters[i].gradient.data()[element];
      const double numeric = derivative([&](double t) {
        parameters[i].value.data()[element] = inputs[i].data()[element] + static_cast<float>(t);
      });
      CAPTURE(i, element, analytic, numeric);
      expect_near(analytic, numeric);
    }
  }
}

/// Checks the gradients of `forward(x)`: that of x with `check_gradient`, those of the parameters along random
/// directions. A kink within a step would spoil the comparison, hence a small step and a tolerance for its rounding
/// error.
inline void check_gradients(const std::vector<autograd::Parameter*>& parameters, const Matrix& x,
                            const Build& forward) {
  const GradientCheck options{.step = 4e-3, .tolerance = 4e-3};
  check_gradient(forward, {x}, options);
  autograd::Tape tape;
  const auto run = [&](bool is_recording) {
    tape.reset(is_recording);
    const autograd::Variable input = tape.constant(x);
    return forward(tape, std::span(&input, 1));
  };
  const autograd::Variable shape = run(false);
  const Matrix weights = random_matrix(shape.rows(), shape.cols(), 8);
  for (autograd::Parameter* parameter : parameters) parameter->gradient.setZero();
  tape.backward(weighted_sum(run(true), weights));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    autograd::Parameter& parameter = *parameters[i];
    const Matrix start = parameter.value;
    Matrix direction = random_matrix(start.rows(), start.cols(), 50 + i);
    direction /= direction.norm();
    const auto loss_at = [&](double t) {
      parameter.value = start + static_cast<float>(t) * direction;
      return run(false).value().cast<double>().cwiseProduct(weights.cast<double>()).sum();
    };
    const double h = options.step;
    const double numeric = (loss_at(-2 * h) - 8 * loss_at(-h) + 8 * loss_at(h) - loss_at(2 * h)) / (12 * h);
    parameter.value = start;
    const double analytic = parameter.gradient.cwiseProduct(direction).sum();
    CAPTURE(parameter.name, numeric, analytic);
    CHECK(std::abs(numeric - analytic) <= options.tolerance * (1 + std::abs(numeric) + std::abs(analytic)));
  }
}

}  // namespace edgewise::test
