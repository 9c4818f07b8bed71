#pragma once

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

}  // namespace edgewise::data::detail
