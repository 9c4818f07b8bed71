#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/affine.hpp"

namespace edgewise::autograd {

/// x * weight + bias; x [n, k], weight [k, m], bias [1, m] or an unset Variable.
Variable linear(Variable x, Variable weight, Variable bias = {});

/// A linear map: weight [k, m], bias [1, m] or an unset Variable.
struct LinearFactor {
  Variable weight;
  Variable bias;
};

/// x * weight + bias for each of one to `kMostMaps` factors, in one pass over x, forward and backward. What is behind
/// the last is unset.
std::array<Variable, kMostMaps> linear_each(Variable x, std::span<const LinearFactor> factors);

/// As `linear`, where each head, one of `keys.size()` equal groups of the columns of the result, sees x through a
/// dropout mask of its own (as the code of Velickovic et al. 2018 does): head h through that of
/// `dropout(x, probability, keys[h])`.
Variable linear_by_head(Variable x, Variable weight, float probability, std::span<const std::uint64_t> keys);

}  // namespace edgewise::autograd
