#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/detail/simd.hpp"

/// @file
/// The definition of a score. For one edge u -> v and one head h with columns d,
///   x     = scale * sum over d of attention_vector[h, d] * value(query[v, h, d], key[u, h, d]) + bias
///   score = activate(x)
/// A score policy is a small struct that defines `value`, `scale` and `activate`, and their derivatives. The fused
/// driver and all reference implementations are templates over such a policy, so a score is one file. Every function is
/// a template over the type of its numbers: a float, or a vector of floats.
namespace edgewise::attention {

/// Gradients of one column: those of the two arguments of `value(query, key)`, and `value` itself times the gradient,
/// which goes to the attention vector.
template <class Floats>
struct ColumnGradient {
  Floats query;
  Floats key;
  Floats vector;
};

/// Defaults that most scores share: a score policy derives from this and hides what differs.
struct ColumnScore {
  /// Whether columns are multiplied by a learnt attention vector, [heads * width].
  static constexpr bool kHasVector = false;
  /// Whether queries and keys are one number per head, [nodes, heads], rather than rows of [nodes, heads * width].
  static constexpr bool kIsPerHead = false;
  /// Whether the score's key is also its value when implementations are compared (GATv2, as in the paper).
  static constexpr bool kValueIsKey = false;

  /// Factor of the sum over the columns.
  float scale = 1;

  /// The score of x, the sum plus its bias.
  template <class Floats>
  Floats activate(Floats x) const {
    return x;
  }
  /// The gradient of x, from the score and its gradient.
  template <class Floats>
  Floats through(Floats /*score*/, Floats gradient) const {
    return gradient;
  }
};

}  // namespace edgewise::attention
