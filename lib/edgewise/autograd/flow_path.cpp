#include "edgewise/autograd/flow_path.hpp"

#include <array>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {

namespace {

using Eigen::Index;
using Vector = Eigen::RowVectorXf;

/// The slopes k1 to k4 are taken at p + kReach dt k(previous) and t + kReach dt, and weighted by kShare.
constexpr std::array kReach = {0.0F, 0.5F, 0.5F, 1.0F};
constexpr std::array kShare = {1 / 6.0F, 1 / 3.0F, 1 / 3.0F, 1 / 6.0F};

/// One slope of a step, with what its gradient needs.
struct Stage {
  Vector point;   // [1, F]
  Vector hidden;  // after tanh, [1, M]
  Vector slope;   // [1, F]
};
using Stages = std::array<Stage, 4>;

Stages run_step(const FlowNetwork& network, const Vector& p, float t, float dt) {
  const MatrixMap w1 = network.w1.value(), w2 = network.w2.value();
  Stages stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    Stage& stage = stages[i];
    stage.point = p;
    if (i > 0) stage.point += kReach[i] * dt * stages[i - 1].slope;
    const float time = t + kReach[i] * dt;
    Vector sum = stage.point * w1.topRows(p.size());
    sum += time * w1.bottomRows(1) + network.b1.value();
    stage.hidden = sum.array().tanh();
    stage.slope = stage.hidden * w2;
    stage.slope += network.b2.value();
  }
  return stages;
}

template <class Gradient>
void add_gradient(Variable to, const Gradient& gradient) {
  if (to.needs_gradient()) to.gradient() += gradient;
}

/// Adds to the gradients of the weights; returns that of the stage's point. `ds` is the gradient of its slope.
Vector step_back(const FlowNetwork& network, const Stage& stage, float time, const Vector& ds) {
  add_gradient(network.w2, stage.hidden.transpose() * ds);
  add_gradient(network.b2, ds);
  Vector dsum = ds * network.w2.value().transpose();
  dsum.array() *= 1 - stage.hidden.array().square();
  if (network.w1.needs_gradient()) {
    MatrixMap dw1 = network.w1.gradient();
    dw1.topRows(stage.point.size()) += stage.point.transpose() * dsum;
    dw1.bottomRows(1) += time * dsum;
  }
  add_gradient(network.b1, dsum);
  return dsum * network.w1.value().topRows(stage.point.size()).transpose();
}

/// Forward was p' = p + dt sum of kShare k. Returns the gradient of p from that of p'.
Vector run_step_back(const FlowNetwork& network, const Vector& p, float t, float dt, const Vector& of_next) {
  const Stages stages = run_step(network, p, t, dt);
  Vector of_point = of_next;
  Vector of_later = Vector::Zero(p.size());  // of the point of the next stage
  for (std::size_t i = stages.size(); i-- > 0;) {
    Vector of_slope = dt * kShare[i] * of_next;
    if (i + 1 < stages.size()) of_slope += kReach[i + 1] * dt * of_later;
    of_later = step_back(network, stages[i], t + kReach[i] * dt, of_slope);
    of_point += of_later;
  }
  return of_point;
}

void check(Variable start, const FlowNetwork& network, Index length, float dt) {
  const Index width = start.cols(), hidden = network.w1.cols();
  check_shape("flow_path", "start", shape_of(start), {1, width});
  check_shape("flow_path", "w1", shape_of(network.w1), {width + 1, hidden});
  check_shape("flow_path", "b1", shape_of(network.b1), {1, hidden});
  check_shape("flow_path", "w2", shape_of(network.w2), {hidden, width});
  check_shape("flow_path", "b2", shape_of(network.b2), {1, width});
  if (length < 1 || !(dt > 0)) throw UsageError("flow_path: expected a positive length and step");
}

}  // namespace

Variable flow_path(Variable start, const FlowNetwork& network, Index length, float dt) {
  check(start, network, length, dt);
  const bool needs_gradient = start.needs_gradient() || network.w1.needs_gradient() || network.b1.needs_gradient() ||
                              network.w2.needs_gradient() || network.b2.needs_gradient();
  Variable path = start.tape().make(length, start.cols(), needs_gradient);
  Vector p = start.value();
  for (Index i = 0; i < length; ++i) {
    path.value().row(i) = p;
    const Stages stages = run_step(network, p, static_cast<float>(i) * dt, dt);
    for (std::size_t s = 0; s < stages.size(); ++s) p += dt * kShare[s] * stages[s].slope;
  }
  start.tape().on_backward(path, [start, network, path, dt] {
    MatrixMap gradient = path.gradient();
    Vector of_point = gradient.row(path.rows() - 1);
    for (Index i = path.rows() - 1; i-- > 0;) {
      const Vector p_here = path.value().row(i);
      of_point = run_step_back(network, p_here, static_cast<float>(i) * dt, dt, of_point);
      of_point += gradient.row(i);
    }
    add_gradient(start, of_point);
  });
  return path;
}

}  // namespace edgewise::autograd
