#include "edgewise/data/molecules.hpp"

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <GraphMol/RingInfo.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/descriptors.hpp"
#include "edgewise/data/detail/stereo.hpp"
#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::data {
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
  const std::string label = detail::chirality_of(atom);
  row.number(label == "R" ? 1 : 0);
  row.number(label == "S" ? 1 : 0);
}

void encode_element(const RDKit::RWMol&, const RDKit::Atom& atom, float* out) {
  RowWriter(out).one_hot(element_index(atom.getAtomicNum()), kElements.size());
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
  for (const float relation : detail::ring_stereo_of(atom)) row.number(relation);
  row.number(static_cast<float>(detail::isotopic_mass(atom)) / kMassUnit);
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

/// A feature set: its columns, and the functions that fill zeroed rows.
struct FeatureSet {
  std::string_view name;
  std::vector<std::string> (*atom_names)();
  void (*encode_atom)(const RDKit::RWMol&, const RDKit::Atom&, float*);
  std::vector<std::string> (*bond_names)();  // null, like the next, if there are none
  void (*encode_bond)(const RDKit::RWMol&, const RDKit::Bond&, float*);
  bool has_all_stereo;  // tells cis and trans of rings apart, and folds isotopic hydrogens into their neighbours
};

constexpr std::array<FeatureSet, 3> kFeatureSets = {{
    {"standard/2", atom_names_with_stereo, encode_atom_with_stereo, standard_bond_names, encode_bond, true},
    {"standard/1", standard_atom_names, encode_atom, standard_bond_names, encode_bond, false},
    {"elements/1", element_names, encode_element, nullptr, nullptr, false},
}};

const FeatureSet& feature_set(std::string_view name) {
  for (const FeatureSet& set : kFeatureSets)
    if (set.name == name) return set;
  throw UsageError(fmt::format("molecules: no feature set \"{}\"; there are {}", name,
                               fmt::join(molecule_feature_sets(), ", ")));
}

/// The encoding of some rows, with atoms counted from the first in the chunk.
struct Chunk {
  std::vector<graph::Node> sizes;  // atoms of each row
  std::vector<graph::Node> sources;
  std::vector<graph::Node> targets;
  std::vector<float> atoms;
  std::vector<float> bonds;
  graph::Node atom_count = 0;
};

/// Settings shared by all rows.
struct Encoder {
  const FeatureSet& set;
  bool hydrogens;
  std::size_t atom_width;
  std::size_t bond_width;

  /// Whether `prepare` adds or removes atoms.
  bool changes(const RDKit::RWMol& molecule) const {
    return hydrogens || (set.has_all_stereo && detail::has_isotopic_hydrogens(molecule));
  }

  void prepare(RDKit::RWMol& molecule) const {
    if (set.has_all_stereo) detail::find_ring_stereo(molecule);
    if (hydrogens)
      RDKit::MolOps::addHs(molecule);
    else if (set.has_all_stereo)
      detail::fold_isotopic_hydrogens(molecule);
  }

  void add(const RDKit::RWMol& molecule, Chunk& chunk) const {
    const graph::Node first = chunk.atom_count;
    float* row = &*chunk.atoms.insert(chunk.atoms.end(), molecule.getNumAtoms() * atom_width + 1, 0.0F);
    for (const RDKit::Atom* atom : molecule.atoms())
      set.encode_atom(molecule, *atom, row + atom->getIdx() * atom_width);
    chunk.atoms.pop_back();
    row = &*chunk.bonds.insert(chunk.bonds.end(), molecule.getNumBonds() * bond_width + 1, 0.0F);
    for (const RDKit::Bond* bond : molecule.bonds()) {
      chunk.sources.push_back(first + bond->getBeginAtomIdx());
      chunk.targets.push_back(first + bond->getEndAtomIdx());
      if (set.encode_bond != nullptr) set.encode_bond(molecule, *bond, row + bond->getIdx() * bond_width);
    }
    chunk.bonds.pop_back();
    chunk.atom_count += molecule.getNumAtoms();
    chunk.sizes.push_back(molecule.getNumAtoms());
  }

  /// `descriptors`: one row per molecule, or no columns.
  Chunk encode(std::span<const std::string> smiles, std::span<std::string> problems, MatrixRef descriptors) const {
    Chunk chunk;
    std::optional<MoleculeDescriber> describer;
    if (descriptors.cols() > 0) describer.emplace();
    for (std::size_t i = 0; i < smiles.size(); ++i) {
      io::ParsedMolecule parsed = io::parse_smiles(smiles[i]);
      std::unique_ptr<RDKit::RWMol> plain;
      if (parsed.molecule && describer && changes(*parsed.molecule))
        plain = std::make_unique<RDKit::RWMol>(*parsed.molecule);
      if (parsed.molecule && !io::run_rdkit([&] { prepare(*parsed.molecule); }, parsed.problem))
        parsed.molecule.reset();
      if (parsed.molecule)
        add(*parsed.molecule, chunk);
      else
        chunk.sizes.push_back(0);
      if (parsed.molecule && describer)
        describer->describe(plain ? *plain : *parsed.molecule, descriptors.row(static_cast<Eigen::Index>(i)).data());
      problems[i] = std::move(parsed.problem);
    }
    return chunk;
  }
};

/// The start of each chunk, and the end of the last.
template <class Count>
std::vector<std::size_t> starts_of(std::span<const Chunk> chunks, const Count& count) {
  std::vector<std::size_t> starts = {0};
  for (const Chunk& chunk : chunks) starts.push_back(starts.back() + count(chunk));
  return starts;
}

Molecules join(std::span<const Chunk> chunks, const FeatureSet& set) {
  const auto atom_starts = starts_of(chunks, [](const Chunk& chunk) { return chunk.atom_count; });
  const auto bond_starts = starts_of(chunks, [](const Chunk& chunk) { return chunk.sources.size(); });
  if (atom_starts.back() >= std::numeric_limits<graph::Node>::max())
    throw DataError(fmt::format("molecules: {} atoms, more than a graph can hold", atom_starts.back()));
  Molecules result;
  result.features.names = set.atom_names();
  graph::EdgeList edges;
  if (set.bond_names != nullptr) edges.feature_names = set.bond_names();
  for (const Chunk& chunk : chunks)
    for (const graph::Node size : chunk.sizes) result.offsets.push_back(result.offsets.back() + size);
  result.features.dense.resize(static_cast<Eigen::Index>(atom_starts.back()),
                               static_cast<Eigen::Index>(result.features.names.size()));
  edges.features.resize(static_cast<Eigen::Index>(bond_starts.back()),
                        static_cast<Eigen::Index>(edges.feature_names.size()));
  edges.sources.resize(bond_starts.back());
  edges.targets.resize(bond_starts.back());
  parallel_chunks(chunks.size(), [&](std::size_t i) {
    const Chunk& chunk = chunks[i];
    std::copy(chunk.atoms.begin(), chunk.atoms.end(),
              result.features.dense.data() + atom_starts[i] * result.features.names.size());
    std::copy(chunk.bonds.begin(), chunk.bonds.end(),
              edges.features.data() + bond_starts[i] * edges.feature_names.size());
    const auto first = static_cast<graph::Node>(atom_starts[i]);
    for (std::size_t bond = 0; bond < chunk.sources.size(); ++bond) {
      edges.sources[bond_starts[i] + bond] = first + chunk.sources[bond];
      edges.targets[bond_starts[i] + bond] = first + chunk.targets[bond];
    }
  });
  result.graph = graph::Graph(graph::NodeNames::numbered(atom_starts.back()), std::move(edges));
  return result;
}

}  // namespace

std::vector<std::string> molecule_feature_sets() {
  std::vector<std::string> names;
  for (const FeatureSet& set : kFeatureSets) names.emplace_back(set.name);
  return names;
}

std::vector<std::string> atom_feature_names(std::string_view features) { return feature_set(features).atom_names(); }

std::vector<std::string> bond_feature_names(std::string_view features) {
  const FeatureSet& set = feature_set(features);
  return set.bond_names == nullptr ? std::vector<std::string>() : set.bond_names();
}

bool has_all_stereo(std::string_view features) { return feature_set(features).has_all_stereo; }

Molecules featurise_molecules(std::span<const std::string> smiles, const MoleculeOptions& options) {
  const FeatureSet& set = feature_set(options.features);
  const Encoder encoder{set, options.hydrogens, set.atom_names().size(),
                        set.bond_names == nullptr ? 0 : set.bond_names().size()};
  std::vector<std::string> problems(smiles.size());
  constexpr std::size_t kRows = 64;  // per chunk: about 10 ms
  std::vector<Chunk> chunks((smiles.size() + kRows - 1) / kRows);
  Matrix descriptors;
  if (options.descriptors)
    descriptors = Matrix::Constant(static_cast<Eigen::Index>(smiles.size()),
                                   static_cast<Eigen::Index>(descriptor_names().size()),
                                   std::numeric_limits<float>::quiet_NaN());
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    const Eigen::Index first = descriptors.rows() > 0 ? static_cast<Eigen::Index>(begin) : 0;
    const Eigen::Index count = descriptors.rows() > 0 ? static_cast<Eigen::Index>(end - begin) : 0;
    chunks[begin / kRows] =
        encoder.encode(smiles.subspan(begin, end - begin), std::span(problems).subspan(begin, end - begin),
                       descriptors.middleRows(first, count));
  });
  Molecules result = join(chunks, set);
  result.problems = std::move(problems);
  result.descriptors = std::move(descriptors);
  return result;
}

}  // namespace edgewise::data
