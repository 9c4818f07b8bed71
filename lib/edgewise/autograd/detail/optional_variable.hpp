#pragma once

#include "edgewise/autograd/tape.hpp"

/// @file
/// Variables that may be unset, meaning "none".
namespace edgewise::autograd::detail {

inline bool needs_gradient(Variable variable) { return variable.is_set() && variable.needs_gradient(); }

inline const float* values_or_null(Variable variable) { return variable.is_set() ? variable.value().data() : nullptr; }

/// The gradient to add to.
inline float* gradient_or_null(Variable variable) {
  return needs_gradient(variable) ? variable.gradient().data() : nullptr;
}

}  // namespace edgewise::autograd::detail
