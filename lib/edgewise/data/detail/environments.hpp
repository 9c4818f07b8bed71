#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace RDKit {
class RWMol;
}

namespace edgewise::data::detail {

/// A well mixed number from two (SplitMix64).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t value);

/// How often each environment of an atom occurs, by its number.
using Environments = std::map<std::uint64_t, float>;

/// Those of the Morgan algorithm (Rogers and Hahn 2010), up to `radius` bonds.
Environments morgan_environments(const RDKit::RWMol& molecule, unsigned radius);

/// What becomes of them in a reaction: those that vanish, that appear, and that stay have different numbers.
Environments changes_of(const Environments& before, const Environments& after);

/// Adds `share` of those of a molecule. Those of different places differ, unless the order of molecules says nothing
/// (`is_sum`).
void add_share(const Environments& molecule, std::size_t place, bool is_sum, float share, Environments& all);

}  // namespace edgewise::data::detail
