#include "edgewise/data/detail/environments.hpp"

#include <DataStructs/SparseIntVect.h>
#include <GraphMol/Fingerprints/MorganFingerprints.h>
#include <GraphMol/RWMol.h>

#include <algorithm>
#include <memory>

namespace edgewise::data::detail {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = (seed ^ value) + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

Environments morgan_environments(const RDKit::RWMol& molecule, unsigned radius) {
  const std::unique_ptr<RDKit::SparseIntVect<std::uint32_t>> counts(
      RDKit::MorganFingerprints::getFingerprint(molecule, radius));
  Environments found;
  for (const auto& [environment, count] : counts->getNonzeroElements())
    found.emplace(environment, static_cast<float>(count));
  return found;
}

Environments changes_of(const Environments& before, const Environments& after) {
  enum Change : std::uint64_t { stays = 1, vanishes, appears };
  Environments changes;
  const auto add = [&](Change change, std::uint64_t environment, float count) {
    if (count > 0) changes[mixed(change, environment)] += count;
  };
  for (const auto& [environment, count] : before) {
    const auto found = after.find(environment);
    const float later = found == after.end() ? 0 : found->second;
    add(stays, environment, std::min(count, later));
    add(vanishes, environment, count - later);
  }
  for (const auto& [environment, count] : after) {
    const auto found = before.find(environment);
    add(appears, environment, count - (found == before.end() ? 0 : found->second));
  }
  return changes;
}

void add_share(const Environments& molecule, std::size_t place, bool is_sum, float share, Environments& all) {
  for (const auto& [environment, count] : molecule)
    all[is_sum ? environment : mixed(place + 1, environment)] += share * count;
}

}  // namespace edgewise::data::detail
