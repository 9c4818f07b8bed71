#pragma once

#include "edgewise/autograd/part.hpp"
#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

struct BatchNormOptions {
  float momentum = 0.1F;  ///< Share of the batch in the new running moments.
  float epsilon = 1e-5F;
  bool is_training = false;
  Part* part = nullptr;  ///< If set, the moments are those of the rows of all parts.
};

/// Normalises each column to mean 0 and variance 1, then applies gain and bias (Ioffe and Szegedy 2015):
///   y = (x - mean) / sqrt(variance + epsilon) * gain + bias,
/// x [N, C]; gain, bias, running moments [1, C]. In training the moments are those of x, variance with 1/N, and the
/// running moments move towards them (variance with 1/(N - 1), as in PyTorch; unchanged for a single row). Otherwise
/// the running moments are used. With no rows the result is empty and the running moments do not change.
Variable batch_norm(Variable x, Variable gain, Variable bias, Matrix& running_mean, Matrix& running_variance,
                    const BatchNormOptions& options);

}  // namespace edgewise::autograd
