#pragma once

#include "edgewise/attention/options.hpp"
#include "edgewise/core/detail/simd.hpp"

/// @file
/// What a score is. For one edge u -> v and one head h with columns d,
///   x     = scale * sum over d of attention_vector[h, d] * value(query[v, h, d], key[u, h, d]) + bias
///   score = activate(x)
/// and a score policy is a small struct that says which `value`, `scale` and `activate`, and what their derivatives
/// are. The fused driver and all reference implementations are written over such a policy, so that a score is one file.
/// Every function is a template over the type of its numbers: a float, or a vector of floats that are worked on at
/// once.
namespace edgewise::attention {

/// Gradients of one column: what `value(query, key)` passes on to its two arguments, and `value` itself times the
/// gradient, which is what the attention vector gets.
template <class Floats>
struct ColumnGradient {
  Floats query;
  Floats key;
  Floats vector;
};

/// What most scores have in common: a score policy derives from it and hides what differs.
struct ColumnScore {
  /// Whether columns are multiplied by a learnt attention vector, [heads * width].
  static constexpr bool kHasVector = false;
  /// Whether queries and keys are one number per head, [nodes, heads], rather than rows of [nodes, heads * width].
  static constexpr bool kIsPerHead = false;
  /// Whether the score's key is also its value where it is compared with others (GATv2, as in the paper).
  static constexpr bool kValueIsKey = false;

  /// What the sum over the columns is multiplied with.
  float scale = 1;

  /// The score of x, the sum and its bias.
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
