#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/affine.hpp"

namespace edgewise::autograd {

/// x * weight + bias; x [n, k], weight [k, m], bias [1, m] or an unset Variable.
Variable linear(Variable x, Variable weight, Variable bias = {});

/// x * weight^T + bias; x [n, k], weight [m, k], bias [1, m] or an unset Variable. For a map that shares its weight
/// with the embedding of what it predicts.
Variable linear_transposed(Variable x, Variable weight, Variable bias = {});

/// A linear map: weight [k, m], bias [1, m] or an unset Variable.
struct LinearFactor {
  Variable weight;
  Variable bias;
};

/// x * weight + bias for each of one to `kMaxMaps` factors, in one pass over x, forward and backward. Results after
/// the last factor are unset. Throws UsageError for another number of factors.
std::array<Variable, kMaxMaps> linear_each(Variable x, std::span<const LinearFactor> factors);

/// As `linear`, except that each head, one of `keys.size()` equal groups of result columns, sees x through its own
/// dropout mask, as in the code of Velickovic et al. 2018. Head h uses the mask of `dropout(x, probability, keys[h])`.
Variable linear_by_head(Variable x, Variable weight, float probability, std::span<const std::uint64_t> keys);

}  // namespace edgewise::autograd
