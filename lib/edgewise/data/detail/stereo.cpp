#include "edgewise/data/detail/stereo.hpp"

#include <GraphMol/MolOps.h>
#include <GraphMol/PeriodicTable.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>

#include <algorithm>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace edgewise::data::detail {
namespace {

constexpr const char* kRingStereo = "_edgewiseRingStereo";

bool is_stereocentre(const RDKit::Atom& atom) {
  const RDKit::Atom::ChiralType tag = atom.getChiralTag();
  return tag == RDKit::Atom::CHI_TETRAHEDRAL_CW || tag == RDKit::Atom::CHI_TETRAHEDRAL_CCW;
}

bool is_isotopic_hydrogen(const RDKit::Atom& atom) { return atom.getAtomicNum() == 1 && atom.getIsotope() > 0; }

std::optional<unsigned> rank_of(const RDKit::Atom& atom) {
  unsigned rank = 0;
  if (!atom.getPropIfPresent(RDKit::common_properties::_CIPRank, rank)) return std::nullopt;
  return rank;
}

/// The neighbours of an atom that are not `previous` and `next`, those with higher ranks first; nothing if two have the
/// same rank, or unless there are one or two.
std::vector<const RDKit::Atom*> substituents(const RDKit::RWMol& molecule, const RDKit::Atom& atom, unsigned previous,
                                             unsigned next) {
  std::vector<std::pair<unsigned, const RDKit::Atom*>> ranked;
  for (const RDKit::Atom* neighbour : molecule.atomNeighbors(&atom)) {
    if (neighbour->getIdx() == previous || neighbour->getIdx() == next) continue;
    const std::optional<unsigned> rank = rank_of(*neighbour);
    if (!rank) return {};
    ranked.emplace_back(*rank, neighbour);
  }
  if (ranked.size() == 2 && ranked[0].first == ranked[1].first) return {};
  if (ranked.size() == 2 && ranked[0].first < ranked[1].first) std::swap(ranked[0], ranked[1]);
  std::vector<const RDKit::Atom*> atoms;
  for (const auto& [rank, neighbour] : ranked) atoms.push_back(neighbour);
  return atoms.size() > 2 ? std::vector<const RDKit::Atom*>() : atoms;
}

/// 1 or -1 for the side of the ring on which the first substituent of its i-th atom is, seen by who walks around it; 0
/// if it has none. An implicit hydrogen is the last neighbour.
int side_of(const RDKit::RWMol& molecule, const std::vector<int>& ring, std::size_t i) {
  const RDKit::Atom& atom = *molecule.getAtomWithIdx(static_cast<unsigned>(ring[i]));
  if (!is_stereocentre(atom)) return 0;
  const auto previous = static_cast<unsigned>(ring[(i + ring.size() - 1) % ring.size()]);
  const auto next = static_cast<unsigned>(ring[(i + 1) % ring.size()]);
  const auto others = substituents(molecule, atom, previous, next);
  if (others.empty()) return 0;
  const auto bond_to = [&](unsigned neighbour) {
    return static_cast<int>(molecule.getBondBetweenAtoms(atom.getIdx(), neighbour)->getIdx());
  };
  std::list<int> bonds = {bond_to(previous), bond_to(next)};
  for (const RDKit::Atom* other : others) bonds.push_back(bond_to(other->getIdx()));
  const bool is_turned = atom.getPerturbationOrder(bonds) % 2 != 0;
  const bool is_clockwise = atom.getChiralTag() == RDKit::Atom::CHI_TETRAHEDRAL_CW;
  return is_clockwise != is_turned ? 1 : -1;
}

/// Sums and counts of what the members of RingStereo are the means of.
struct Relations {
  std::array<double, 3> sums = {};
  std::array<int, 3> counts = {};

  void add(std::size_t bonds, int relation) {
    const std::size_t place = std::min<std::size_t>(bonds, 3) - 1;
    sums.at(place) += relation;
    ++counts.at(place);
  }
  std::vector<double> means() const {
    std::vector<double> result;
    for (std::size_t i = 0; i < sums.size(); ++i) result.push_back(counts[i] == 0 ? 0 : sums[i] / counts[i]);
    return result;
  }
};

/// Adds the relations in one ring.
void relate(const RDKit::RWMol& molecule, const std::vector<int>& ring, std::vector<Relations>& relations) {
  std::vector<int> sides;
  for (std::size_t i = 0; i < ring.size(); ++i) sides.push_back(side_of(molecule, ring, i));
  for (std::size_t i = 0; i < ring.size(); ++i)
    for (std::size_t j = 0; j < ring.size(); ++j) {
      if (i == j || sides[i] == 0 || sides[j] == 0) continue;
      const std::size_t bonds = i > j ? i - j : j - i;
      relations[static_cast<std::size_t>(ring[i])].add(std::min(bonds, ring.size() - bonds), sides[i] * sides[j]);
    }
}

bool is_open(const RDKit::Atom& atom) { return is_stereocentre(atom) && chirality_of(atom).empty(); }

}  // namespace

std::string chirality_of(const RDKit::Atom& atom) {
  std::string label;
  if (atom.getChiralTag() != RDKit::Atom::CHI_UNSPECIFIED)
    atom.getPropIfPresent(RDKit::common_properties::_CIPCode, label);
  return label;
}

void find_ring_stereo(RDKit::RWMol& molecule) {
  std::vector<RDKit::Atom*> open;
  for (RDKit::Atom* atom : molecule.atoms())
    if (is_open(*atom)) open.push_back(atom);
  if (open.empty()) return;
  std::vector<Relations> relations(molecule.getNumAtoms());
  for (const std::vector<int>& ring : molecule.getRingInfo()->atomRings()) relate(molecule, ring, relations);
  for (RDKit::Atom* atom : open) atom->setProp(kRingStereo, relations[atom->getIdx()].means());
}

RingStereo ring_stereo_of(const RDKit::Atom& atom) {
  RingStereo result = {};
  std::vector<double> means;
  if (atom.getPropIfPresent(kRingStereo, means))
    for (std::size_t i = 0; i < result.size(); ++i) result.at(i) = static_cast<float>(means[i]);
  return result;
}

bool has_isotopic_hydrogens(const RDKit::RWMol& molecule) {
  for (const RDKit::Atom* atom : molecule.atoms())
    if (is_isotopic_hydrogen(*atom)) return true;
  return false;
}

void fold_isotopic_hydrogens(RDKit::RWMol& molecule) {
  if (!has_isotopic_hydrogens(molecule)) return;
  std::vector<std::pair<RDKit::Atom*, std::string>> labels;
  for (RDKit::Atom* atom : molecule.atoms())
    if (std::string label = chirality_of(*atom); !label.empty()) labels.emplace_back(atom, std::move(label));
  RDKit::MolOps::RemoveHsParameters parameters;
  parameters.removeAndTrackIsotopes = true;
  parameters.showWarnings = false;
  RDKit::MolOps::removeHs(molecule, parameters);
  for (const auto& [atom, label] : labels) atom->setProp(RDKit::common_properties::_CIPCode, label);
}

double isotopic_mass(const RDKit::Atom& atom) {
  const RDKit::PeriodicTable& table = *RDKit::PeriodicTable::getTable();
  constexpr unsigned kHydrogen = 1;
  double mass = 0;
  if (atom.getIsotope() > 0 && atom.getAtomicNum() > 0)
    mass += atom.getMass() - table.getAtomicWeight(static_cast<unsigned>(atom.getAtomicNum()));
  std::vector<unsigned> isotopes;
  atom.getPropIfPresent(RDKit::common_properties::_isotopicHs, isotopes);
  for (const unsigned isotope : isotopes)
    mass += table.getMassForIsotope(kHydrogen, isotope) - table.getAtomicWeight(kHydrogen);
  return mass;
}

}  // namespace edgewise::data::detail
