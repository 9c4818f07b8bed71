#include "edgewise/train/baselines/correct_and_smooth.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/baselines/detail/propagation.hpp"

namespace edgewise::train {
namespace {

constexpr float kLargestScale = 1000;
constexpr detail::Bounds kErrors{-1, 1};
constexpr detail::Bounds kProbabilities{0, 1};

void check(const graph::Graph& graph, ConstMatrixRef probabilities, std::span<const std::int32_t> known,
           const CorrectAndSmoothOptions& options) {
  const std::size_t nodes = graph.node_count();
  if (static_cast<std::size_t>(probabilities.rows()) != nodes || known.size() != nodes)
    throw UsageError(fmt::format("correct and smooth: {} nodes, but {} rows and {} known classes", nodes,
                                 probabilities.rows(), known.size()));
  train::check(options);
  for (const std::int32_t of : known)
    if (of >= probabilities.cols())
      throw UsageError(fmt::format("correct and smooth: class {}, but there are {}", of, probabilities.cols()));
}

Matrix spread(const detail::Ties& ties, const Matrix& seeds, double share, int iterations,
              const detail::Bounds& bounds) {
  return detail::propagate(ties, seeds, {}, {.alpha = share, .iterations = iterations, .tolerance = 0}, &bounds);
}

/// Y minus the model's probabilities in known rows, zeros elsewhere.
Matrix errors_of(ConstMatrixRef probabilities, std::span<const std::int32_t> known) {
  Matrix errors = Matrix::Zero(probabilities.rows(), probabilities.cols());
  for (std::size_t node = 0; node < known.size(); ++node) {
    if (known[node] < 0) continue;
    const auto row = static_cast<Eigen::Index>(node);
    errors.row(row) = -probabilities.row(row);
    errors(row, known[node]) += 1;
  }
  return errors;
}

void correct(const detail::Ties& ties, std::span<const std::int32_t> known, const CorrectAndSmoothOptions& options,
             Matrix& values) {
  const auto count = std::count_if(known.begin(), known.end(), [](std::int32_t of) { return of >= 0; });
  if (count == 0) return;
  const Matrix errors = errors_of(values, known);
  const auto size = static_cast<float>(errors.cwiseAbs().cast<double>().sum() / static_cast<double>(count));
  const Matrix smooth = spread(ties, errors, options.correction, options.iterations, kErrors);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    const float sum = smooth.row(row).cwiseAbs().sum();
    const float scale = sum > 0 && size / sum <= kLargestScale ? size / sum : 1.0F;
    values.row(row) += scale * smooth.row(row);
  }
}

}  // namespace

void check(const CorrectAndSmoothOptions& options) {
  for (const double share : {options.correction, options.smoothing})
    if (!(share >= 0 && share < 1))
      throw UsageError(fmt::format("correct and smooth: expected shares in [0, 1), got {}", share));
  if (options.iterations < 1)
    throw UsageError(fmt::format("correct and smooth: expected at least 1 iteration, got {}", options.iterations));
}

Matrix correct_and_smooth(const graph::Graph& graph, ConstMatrixRef probabilities, std::span<const std::int32_t> known,
                          const CorrectAndSmoothOptions& options) {
  check(graph, probabilities, known, options);
  const detail::Ties ties = detail::normalised_ties(graph, Propagation::spreading, true);
  Matrix values = probabilities;
  const std::size_t parts = options.correction > 0 ? 2 : 1;
  if (parts == 2) {
    const StepPart first("Correct and Smooth", 0, parts);
    correct(ties, known, options, values);
  }
  const StepPart last("Correct and Smooth", parts - 1, parts);
  for (std::size_t node = 0; node < known.size(); ++node) {
    if (known[node] < 0) continue;
    values.row(static_cast<Eigen::Index>(node)).setZero();
    values(static_cast<Eigen::Index>(node), known[node]) = 1;
  }
  values = spread(ties, values, options.smoothing, options.iterations, kProbabilities);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    const float mass = values.row(row).sum();
    if (mass > 0)
      values.row(row) /= mass;
    else
      values.row(row) = probabilities.row(row);
  }
  return values;
}

}  // namespace edgewise::train
