#include "edgewise/autograd/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {

using detail::for_each_rows;
using Eigen::Index;

namespace {

using detail::flat;

void check(std::span<const Variable> logits, float temperature) {
  if (logits.empty() || logits.size() > kMaxPasses)
    throw UsageError(fmt::format("consistency: expected 1 to {} passes, got {}", kMaxPasses, logits.size()));
  if (!(temperature > 0))
    throw UsageError(fmt::format("consistency: expected a temperature above 0, got {}", temperature));
  for (const Variable& pass : logits)
    check_shape("consistency", "logits", shape_of(pass), shape_of(logits.front()));
}

/// The passes, as an operation captures them.
struct Passes {
  std::size_t count;
  std::array<Variable, kMaxPasses> logits, probabilities;
};

/// Some rows of a matrix, which are contiguous.
struct Rows {
  Index begin, count;

  MatrixMap of(MatrixMap all) const { return {all.row(begin).data(), count, all.cols()}; }
};

void divide_by_sums(MatrixMap rows) {
  for (auto row : rows.rowwise()) row /= row.sum();
}

/// Softmax of each row.
void soften(ConstMatrixRef logits, MatrixMap probabilities) {
  for (Index i = 0; i < logits.rows(); ++i)
    probabilities.row(i) = logits.row(i).array() - logits.row(i).maxCoeff<Eigen::PropagateNaN>();
  detail::FlatArray all = flat(probabilities, 0, probabilities.size());  // vectorised as a whole: rows are short
  all = all.exp();
  divide_by_sums(probabilities);
}

/// Raises each row to the power 1 / temperature and divides it by its sum. Relative to its largest element, so that not
/// all underflow.
void sharpen(MatrixMap rows, float temperature) {
  for (auto row : rows.rowwise()) row /= row.maxCoeff<Eigen::PropagateNaN>();
  detail::FlatArray all = flat(rows, 0, rows.size());
  all = (all.log() / temperature).exp();
  divide_by_sums(rows);
}

}  // namespace

Variable consistency(std::span<const Variable> logits, float temperature) {
  check(logits, temperature);
  Tape& tape = logits.front().tape();
  const Index nodes = logits.front().rows(), classes = logits.front().cols();
  const bool needs_gradient = std::ranges::any_of(logits, [](const Variable& pass) { return pass.needs_gradient(); });
  Variable loss = tape.make(1, 1, needs_gradient);
  Passes passes{.count = logits.size(), .logits = {}, .probabilities = {}};
  for (std::size_t s = 0; s < passes.count; ++s) {
    passes.logits[s] = logits[s];
    passes.probabilities[s] = tape.make(nodes, classes, false);
  }
  Variable targets = tape.make(nodes, classes, false);
  MatrixMap distances = tape.scratch(nodes, 1);
  for_each_rows(nodes, classes * static_cast<Index>(passes.count), [&](Index begin, Index count) {
    const Rows rows{begin, count};
    MatrixMap target = rows.of(targets.value()), distance = rows.of(distances);
    target.setZero();
    for (std::size_t s = 0; s < passes.count; ++s) {
      MatrixMap p = rows.of(passes.probabilities[s].value());
      soften(rows.of(passes.logits[s].value()), p);
      target += p;
    }
    sharpen(target, temperature);
    distance.setZero();
    for (std::size_t s = 0; s < passes.count; ++s)
      distance += (rows.of(passes.probabilities[s].value()) - target).rowwise().squaredNorm();
  });
  const double terms = static_cast<double>(nodes) * static_cast<double>(passes.count);
  loss.value()(0, 0) = nodes > 0 ? static_cast<float>(distances.cast<double>().sum() / terms) : 0.0F;

  tape.on_backward(loss, [passes, loss, targets, terms] {
    // With g = p - target: d/dlogits = 2 / terms * p * (g - sum(p * g)).
    const auto factor = static_cast<float>(2 * loss.gradient()(0, 0) / terms);
    MatrixMap all_sums = loss.tape().scratch(targets.rows(), 1);
    for (std::size_t s = 0; s < passes.count; ++s) {
      if (!passes.logits[s].needs_gradient()) continue;
      MatrixMap gradients = passes.logits[s].gradient();
      for_each_rows(gradients.rows(), gradients.cols(), [&](Index begin, Index count) {
        const Rows rows{begin, count};
        const MatrixMap p = rows.of(passes.probabilities[s].value()), target = rows.of(targets.value());
        MatrixMap sums = rows.of(all_sums);
        sums = p.cwiseProduct(p - target).rowwise().sum();
        rows.of(gradients) += factor * p.cwiseProduct((p - target).colwise() - sums.col(0));
      });
    }
  });
  return loss;
}

}  // namespace edgewise::autograd
