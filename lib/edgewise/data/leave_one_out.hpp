#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "edgewise/data/node_data.hpp"

/// @file
/// Splits of ties in which each node holds out one of its own, as recommenders are often compared.
namespace edgewise::data {

/// Ties, each of which is held out for one node or for two.
struct OwnedTies {
  std::span<const graph::Node> owners;
  std::span<const graph::Node> other_owners = {};  ///< Empty: ties have one owner.
  std::span<const double> times = {};              ///< Empty: which tie is held out is drawn.
  std::size_t most = 0;                            ///< Nodes that hold one out; others only train.
};

/// In an order drawn from the seed, each node gives one tie to the test part, and after that, in the same order, each
/// gives one to the validation part: with times the latest that is left, of equal ones and without times any. No node
/// has two ties in one of these parts, and each keeps one or more in training, so that one with a single tie gives
/// none, and one with two gives none to validation. Where a tie has two owners, those of a node may therefore all be
/// taken or needed, and it gives none. Ties without a time (NaN) have no role. Throws DataError if no tie can be held
/// out.
Split leave_one_out_split(const OwnedTies& ties, std::uint64_t seed);

}  // namespace edgewise::data
