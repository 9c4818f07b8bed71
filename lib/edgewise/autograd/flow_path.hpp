#pragma once

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// Weights of a small network that gives the velocity of a point: h(t, p) = tanh([p t] w1 + b1) w2 + b2.
struct FlowNetwork {
  Variable w1;  ///< [F + 1, M]; the last row is for the time.
  Variable b1;  ///< [1, M]
  Variable w2;  ///< [M, F]
  Variable b2;  ///< [1, F]
};

/// The position of a point at times 0, dt, 2 dt, ..., for dp/dt = h(t, p) and p(0) = `start`: the positional encoding
/// of FLOATER (Liu et al. 2020, eq. 5), with one classical Runge-Kutta step of fourth order from each time to the next.
/// The gradient is that of the steps themselves. start [1, F], result [length, F]. Throws UsageError unless length and
/// dt are positive and the shapes match.
Variable flow_path(Variable start, const FlowNetwork& network, Eigen::Index length, float dt);

}  // namespace edgewise::autograd
