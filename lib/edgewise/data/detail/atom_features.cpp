#include "edgewise/data/detail/atom_features.hpp"

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "edgewise/core/error.hpp"
#include "edgewise/data/detail/stereo.hpp"

namespace edgewise::data::detail {
namespace {

/// The categories of each group of columns. `*` and unlisted elements use the group's last column, "other".
constexpr std::array<std::string_view, 15> kElements = {"H", "B", "C",  "N",  "O",  "F",  "Na", "Si",
                                                        "P", "S", "Cl", "Se", "Br", "I", "other"};
constexpr std::array<int, 14> kAtomicNumbers = {1, 5, 6, 7, 8, 9, 11, 14, 15, 16, 17, 34, 35, 53};
constexpr std::array<std::string_view, 7> kHybridisations = {"s", "sp", "sp2", "sp3", "sp3d", "sp3d2", "other"};
constexpr unsigned kMaxNeighbours = 6;
constexpr int kMaxCharge = 2;
constexpr unsigned kMaxHydrogens = 4;
constexpr unsigned kSmallestRing = 3;
constexpr unsigned kLargestRing = 8;
constexpr float kMassUnit = 100;

std::vector<std::string> element_names() {
  std::vector<std::string> names;
  for (const std::string_view element : kElements) names.push_back(fmt::format("element = {}", element));
  return names;
}

std::vector<std::string> standard_atom_names() {
  std::vector<std::string> names = element_names();
  for (unsigned n = 0; n <= kMaxNeighbours; ++n)
    names.push_back(fmt::format("neighbours {} {}", n < kMaxNeighbours ? "=" : ">=", n));
  for (int charge = -kMaxCharge; charge <= kMaxCharge; ++charge)
    names.push_back(fmt::format("charge {} {}",
                                charge == -kMaxCharge  ? "<="
                                : charge == kMaxCharge ? ">="
                                                        : "=",
                                charge));
  for (const std::string_view name : kHybridisations) names.push_back(fmt::format("hybridisation = {}", name));
  for (unsigned n = 0; n <= kMaxHydrogens; ++n)
    names.push_back(fmt::format("hydrogens {} {}", n < kMaxHydrogens ? "=" : ">=", n));
  for (const char* name : {"is aromatic", "is in a ring"}) names.emplace_back(name);
  for (unsigned n = kSmallestRing; n <= kLargestRing; ++n)
    names.push_back(fmt::format("smallest ring {} {}", n < kLargestRing ? "=" : ">=", n));
  for (const char* name : {"chirality = R", "chirality = S", "radical electrons", "mass / 100"})
    names.emplace_back(name);
  return names;
}

std::vector<std::string> atom_names_with_stereo() {
  std::vector<std::string> names = standard_atom_names();
  for (const char* name : {"cis or trans to 1 bond away in a ring", "cis or trans to 2 bonds away in a ring",
                           "cis or trans to 3 bonds away in a ring", "mass of isotopes / 100"})
    names.emplace_back(name);
  return names;
}

std::vector<std::string> standard_bond_names() {
  return {"order = 1",     "order = 2",       "order = 3",  "order = aromatic", "order = other", "is conjugated",
          "is in a ring", "stereo = either", "stereo = Z", "stereo = E"};
}

/// Writes a row group by group; each group of columns is as wide as its encoding.
class RowWriter {
 public:
  explicit RowWriter(float* row) : next_(row) {}
  void one_hot(std::size_t index, std::size_t width) {
    next_[index] = 1;
    next_ += width;
  }
  void none(std::size_t width) { next_ += width; }
  void number(float value) { *next_++ = value; }

 private:
  float* next_;
};

std::size_t element_index(int atomic_number) {
  const auto* const found = std::find(kAtomicNumbers.begin(), kAtomicNumbers.end(), atomic_number);
  return static_cast<std::size_t>(found - kAtomicNumbers.begin());
}

std::size_t hybridisation_index(const RDKit::Atom& atom) {
  switch (atom.getHybridization()) {
    case RDKit::Atom::S: return 0;
    case RDKit::Atom::SP: return 1;
    case RDKit::Atom::SP2: return 2;
    case RDKit::Atom::SP3: return 3;
    case RDKit::Atom::SP3D: return 4;
    case RDKit::Atom::SP3D2: return 5;
    default: return 6;
  }
}

void encode_chirality(const RDKit::Atom& atom, RowWriter& row) {
  const std::string label = chirality_of(atom);
  row.number(label == "R" ? 1 : 0);
  row.number(label == "S" ? 1 : 0);
}

void encode_atom(const RDKit::RWMol& molecule, const RDKit::Atom& atom, float* out) {
  RowWriter row(out);
  row.one_hot(element_index(atom.getAtomicNum()), kElements.size());
  row.one_hot(std::min(atom.getDegree(), kMaxNeighbours), kMaxNeighbours + 1);
  const int charge = std::clamp(atom.getFormalCharge(), -kMaxCharge, kMaxCharge);
  row.one_hot(static_cast<std::size_t>(charge + kMaxCharge), 2 * kMaxCharge + 1);
  row.one_hot(hybridisation_index(atom), kHybridisations.size());
  row.one_hot(std::min(atom.getTotalNumHs(true), kMaxHydrogens), kMaxHydrogens + 1);
  row.number(atom.getIsAromatic() ? 1 : 0);
  const unsigned ring = molecule.getRingInfo()->minAtomRingSize(atom.getIdx());  // 0 outside of rings
  row.number(ring > 0 ? 1 : 0);
  constexpr unsigned kRings = kLargestRing - kSmallestRing + 1;
  if (ring == 0)
    row.none(kRings);
  else
    row.one_hot(std::clamp(ring, kSmallestRing, kLargestRing) - kSmallestRing, kRings);
  encode_chirality(atom, row);
  row.number(static_cast<float>(atom.getNumRadicalElectrons()));
  row.number(static_cast<float>(atom.getMass()) / kMassUnit);
}

/// `encode_atom` and what it leaves out.
void encode_atom_with_stereo(const RDKit::RWMol& molecule, const RDKit::Atom& atom, float* out) {
  static const std::size_t first = standard_atom_names().size();
  encode_atom(molecule, atom, out);
  RowWriter row(out + first);
  for (const float relation : ring_stereo_of(atom)) row.number(relation);
  row.number(static_cast<float>(isotopic_mass(atom)) / kMassUnit);
}

std::size_t order_index(const RDKit::Bond& bond) {
  switch (bond.getBondType()) {
    case RDKit::Bond::SINGLE: return 0;
    case RDKit::Bond::DOUBLE: return 1;
    case RDKit::Bond::TRIPLE: return 2;
    case RDKit::Bond::AROMATIC: return 3;
    default: return 4;
  }
}

void encode_bond(const RDKit::RWMol& molecule, const RDKit::Bond& bond, float* out) {
  RowWriter row(out);
  row.one_hot(order_index(bond), 5);
  row.number(bond.getIsConjugated() ? 1 : 0);
  row.number(molecule.getRingInfo()->numBondRings(bond.getIdx()) > 0 ? 1 : 0);
  const RDKit::Bond::BondStereo stereo = bond.getStereo();
  row.number(stereo == RDKit::Bond::STEREOANY ? 1 : 0);
  row.number(stereo == RDKit::Bond::STEREOZ || stereo == RDKit::Bond::STEREOCIS ? 1 : 0);
  row.number(stereo == RDKit::Bond::STEREOE || stereo == RDKit::Bond::STEREOTRANS ? 1 : 0);
}

constexpr std::array<FeatureSet, 3> kFeatureSets = {{
    {"standard/2", atom_names_with_stereo, encode_atom_with_stereo, standard_bond_names, encode_bond, true},
    {"standard/1", standard_atom_names, encode_atom, standard_bond_names, encode_bond, false},
    {"elements/1", element_names, encode_element, nullptr, nullptr, false},
}};

}  // namespace

std::vector<std::string> feature_set_names() {
  std::vector<std::string> names;
  for (const FeatureSet& set : kFeatureSets) names.emplace_back(set.name);
  return names;
}

const FeatureSet& feature_set(std::string_view name) {
  for (const FeatureSet& set : kFeatureSets)
    if (set.name == name) return set;
  throw UsageError(fmt::format("molecules: no feature set \"{}\"; there are {}", name,
                               fmt::join(feature_set_names(), ", ")));
}

void encode_element(const RDKit::RWMol&, const RDKit::Atom& atom, float* out) {
  RowWriter(out).one_hot(element_index(atom.getAtomicNum()), kElements.size());
}

std::size_t element_columns() { return kElements.size(); }

}  // namespace edgewise::data::detail
