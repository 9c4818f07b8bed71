#include "edgewise/data/molecules.hpp"

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/MolOps.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/descriptors.hpp"
#include "edgewise/data/detail/atom_features.hpp"
#include "edgewise/data/detail/condensed_graph.hpp"
#include "edgewise/data/detail/stereo.hpp"
#include "edgewise/io/mixture_parser.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_parser.hpp"

namespace edgewise::data {
namespace {

using detail::FeatureSet;

bool shows_products_first(ReactionMode mode) {
  return mode == ReactionMode::prod_diff || mode == ReactionMode::prod_diff_balance;
}

bool shows_products_last(ReactionMode mode) {
  return mode == ReactionMode::reac_prod || mode == ReactionMode::reac_prod_balance;
}

bool is_balanced(ReactionMode mode) { return mode >= ReactionMode::reac_diff_balance; }

/// The encoding of some rows, with atoms counted from the first in the chunk.
struct Chunk {
  std::vector<graph::Node> sizes;  // atoms of each row, or of each of its molecules
  std::vector<graph::Node> sources;
  std::vector<graph::Node> targets;
  std::vector<float> atoms;
  std::vector<float> bonds;
  graph::Node atom_count = 0;

  /// Adds rows of zeros, and returns the first.
  static float* add_rows(std::size_t rows, std::size_t width, std::vector<float>& values) {
    values.reserve(values.size() + rows * width + 1);  // a place, even if there are none
    const std::size_t first = values.size();
    values.resize(first + rows * width, 0.0F);
    return values.data() + first;
  }

  void end_row(graph::Node atoms) {
    atom_count += atoms;
    sizes.push_back(atoms);
  }
};

/// The columns of one molecule, and what a reaction makes of those of its two sides.
struct Columns {
  std::size_t width = 0;                  // of one side
  std::size_t shared = 0;                 // the first columns, which are the same on both sides
  std::optional<ReactionMode> mode = {};  // of reactions
  std::vector<std::string> places = {};   // which of several molecules it is in

  std::size_t total() const { return mode ? 2 * width - shared : width + places.size(); }

  /// Both sides as one row, [total].
  void write(const std::vector<float>& before, const std::vector<float>& after, float* out) const {
    const std::vector<float>& first = shows_products_first(*mode) ? after : before;
    std::copy(first.begin(), first.end(), out);
    for (std::size_t i = shared; i < width; ++i)
      out[width + i - shared] = shows_products_last(*mode) ? after[i] : after[i] - before[i];
  }

  std::vector<std::string> names(std::vector<std::string> names) const {
    for (const std::string& place : places) names.push_back(fmt::format("in {}", place));
    if (!mode) return names;
    std::vector<std::string> result = names;
    if (shows_products_first(*mode))
      for (std::string& name : result) name = fmt::format("{} (products)", name);
    for (std::size_t i = shared; i < width; ++i)
      result.push_back(shows_products_last(*mode) ? fmt::format("{} (products)", names[i])
                                                  : fmt::format("change of {}", names[i]));
    return result;
  }
};

/// The molecule that an atom or a bond is in; all of ours are RWMol.
template <class Part>
const RDKit::RWMol& molecule_of(const Part& part) {
  return static_cast<const RDKit::RWMol&>(part.getOwningMol());
}

/// Settings shared by all rows.
struct Encoder {
  const FeatureSet& set;
  bool hydrogens;
  Columns atoms, bonds;
  std::optional<MixtureOptions> mixtures = {};

  bool has_bond_features() const { return set.encode_bond != nullptr; }

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

  /// `place`: which of several molecules it is.
  void add(const RDKit::RWMol& molecule, Chunk& chunk, std::size_t place = 0) const {
    const graph::Node first = chunk.atom_count;
    float* row = chunk.add_rows(molecule.getNumAtoms(), atoms.total(), chunk.atoms);
    for (const RDKit::Atom* atom : molecule.atoms()) {
      float* columns = row + atom->getIdx() * atoms.total();
      set.encode_atom(molecule, *atom, columns);
      if (!atoms.places.empty()) columns[atoms.width + place] = 1;
    }
    row = chunk.add_rows(molecule.getNumBonds(), bonds.width, chunk.bonds);
    for (const RDKit::Bond* bond : molecule.bonds()) {
      chunk.sources.push_back(first + bond->getBeginAtomIdx());
      chunk.targets.push_back(first + bond->getEndAtomIdx());
      if (has_bond_features()) set.encode_bond(molecule, *bond, row + bond->getIdx() * bonds.width);
    }
    chunk.end_row(molecule.getNumAtoms());
  }

  /// An atom that is not on a side is its element alone there, without neighbours, charge and so on.
  std::vector<float> side_of(const RDKit::Atom* atom, const RDKit::Atom& other) const {
    std::vector<float> row(atoms.width, 0.0F);
    if (atom != nullptr)
      set.encode_atom(molecule_of(*atom), *atom, row.data());
    else
      detail::encode_element(molecule_of(other), other, row.data());
    return row;
  }

  std::vector<float> side_of(const RDKit::Bond* bond) const {
    std::vector<float> row(bonds.width, 0.0F);
    if (bond != nullptr) set.encode_bond(molecule_of(*bond), *bond, row.data());
    return row;
  }

  void add(const detail::CondensedGraph& reaction, Chunk& chunk) const {
    const graph::Node first = chunk.atom_count;
    float* row = chunk.add_rows(reaction.atoms.size(), atoms.total(), chunk.atoms);
    for (const auto& [before, after] : reaction.atoms) {
      atoms.write(side_of(before, after != nullptr ? *after : *before),
                  side_of(after, before != nullptr ? *before : *after), row);
      row += atoms.total();
    }
    row = chunk.add_rows(reaction.bonds.size(), bonds.total(), chunk.bonds);
    for (const detail::CondensedBond& bond : reaction.bonds) {
      chunk.sources.push_back(first + bond.source);
      chunk.targets.push_back(first + bond.target);
      if (has_bond_features()) bonds.write(side_of(bond.before), side_of(bond.after), row);
      row += bonds.total();
    }
    chunk.end_row(static_cast<graph::Node>(reaction.atoms.size()));
  }

  /// Adds a row. `descriptors` is null, or where to write those of the row. Returns the problem.
  std::string add_molecule(const std::string& smiles, const MoleculeDescriber* describer, float* descriptors,
                           Chunk& chunk) const {
    io::ParsedMolecule parsed = io::parse_smiles(smiles);
    std::unique_ptr<RDKit::RWMol> plain;
    if (parsed.molecule && describer != nullptr && changes(*parsed.molecule))
      plain = std::make_unique<RDKit::RWMol>(*parsed.molecule);
    if (parsed.molecule && !io::run_rdkit([&] { prepare(*parsed.molecule); }, parsed.problem)) parsed.molecule.reset();
    if (parsed.molecule)
      add(*parsed.molecule, chunk);
    else
      chunk.end_row(0);
    if (parsed.molecule && describer != nullptr)
      describer->describe(plain ? *plain : *parsed.molecule, descriptors);
    return std::move(parsed.problem);
  }

  std::string add_reaction(const std::string& text, const MoleculeDescriber* describer, float* descriptors,
                           Chunk& chunk) const {
    io::ParsedReaction parsed = io::parse_reaction(text);
    if (set.has_all_stereo && parsed.problem.empty())
      for (io::ParsedMolecule* side : {&parsed.reactants, &parsed.products})
        io::run_rdkit([&] { detail::find_ring_stereo(*side->molecule); }, parsed.problem);
    if (!parsed.problem.empty()) {
      chunk.end_row(0);
      return std::move(parsed.problem);
    }
    add(detail::condense(parsed, is_balanced(*atoms.mode)), chunk);
    if (describer != nullptr) describer->describe_reaction(parsed, descriptors);
    return "";
  }

  /// `shares`: where to write those of the row.
  std::string add_mixture(const std::string& text, const MoleculeDescriber* describer, float* descriptors,
                          float* shares, Chunk& chunk) const {
    const std::size_t count = mixtures->names.size();
    io::ParsedMixture parsed = io::parse_mixture(text, mixtures->names);
    if (parsed.problem.empty() && parsed.is_sum != mixtures->is_sum)
      parsed.problem = mixtures->is_sum ? "expected molecules without an order, as {CCO + O}"
                                        : "expected molecules in their order, as {CCO & O}";
    if (parsed.problem.empty() && parsed.has_amounts != mixtures->has_amounts)
      parsed.problem = mixtures->has_amounts ? "expected an amount of each molecule, as {1 CCO & 3 O}"
                                             : "expected molecules without amounts, as {CCO & O}";
    std::vector<std::unique_ptr<RDKit::RWMol>> plain(count);
    for (std::size_t i = 0; i < count && parsed.problem.empty(); ++i) {
      RDKit::RWMol* molecule = parsed.parts[i].parsed.molecule.get();
      if (molecule == nullptr) continue;
      if (describer != nullptr && changes(*molecule)) plain[i] = std::make_unique<RDKit::RWMol>(*molecule);
      io::run_rdkit([&] { prepare(*molecule); }, parsed.problem);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!parsed.problem.empty() || !parsed.parts[i].parsed.molecule) {
        chunk.end_row(0);
        continue;
      }
      add(*parsed.parts[i].parsed.molecule, chunk, i);
      shares[i] = parsed.parts[i].share;
      if (plain[i]) parsed.parts[i].parsed.molecule = std::move(plain[i]);
    }
    if (parsed.problem.empty() && describer != nullptr) describer->describe_mixture(parsed, descriptors);
    return std::move(parsed.problem);
  }

  /// `descriptors`: one row per text, or no columns. `shares`: one row per molecule of several in a row.
  Chunk encode(std::span<const std::string> texts, std::span<std::string> problems, MatrixRef descriptors,
               float* shares) const {
    Chunk chunk;
    std::optional<MoleculeDescriber> describer;
    if (descriptors.cols() > 0) describer.emplace();
    for (std::size_t i = 0; i < texts.size(); ++i) {
      float* described = describer ? descriptors.row(static_cast<Eigen::Index>(i)).data() : nullptr;
      const MoleculeDescriber* used = describer ? &*describer : nullptr;
      problems[i] = atoms.mode ? add_reaction(texts[i], used, described, chunk)
                    : mixtures ? add_mixture(texts[i], used, described, shares + i * mixtures->names.size(), chunk)
                               : add_molecule(texts[i], used, described, chunk);
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

Molecules join(std::span<const Chunk> chunks, const Encoder& encoder) {
  const FeatureSet& set = encoder.set;
  const auto atom_starts = starts_of(chunks, [](const Chunk& chunk) { return chunk.atom_count; });
  const auto bond_starts = starts_of(chunks, [](const Chunk& chunk) { return chunk.sources.size(); });
  if (atom_starts.back() >= std::numeric_limits<graph::Node>::max())
    throw DataError(fmt::format("molecules: {} atoms, more than a graph can hold", atom_starts.back()));
  Molecules result;
  result.features.names = encoder.atoms.names(set.atom_names());
  graph::EdgeList edges;
  if (set.bond_names != nullptr)
    edges.feature_names = encoder.bonds.names(set.bond_names());
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

std::vector<std::string> names_of_descriptors(const MoleculeOptions& options) {
  if (options.reactions) return reaction_descriptor_names();
  if (options.mixtures) return mixture_descriptor_names(options.mixtures->names.size(), options.mixtures->is_sum);
  return descriptor_names();
}

}  // namespace

std::vector<std::string> atom_feature_names(std::string_view features) {
  return detail::feature_set(features).atom_names();
}

std::vector<std::string> bond_feature_names(std::string_view features) {
  const FeatureSet& set = detail::feature_set(features);
  return set.bond_names == nullptr ? std::vector<std::string>() : set.bond_names();
}

bool merges_isotopes(std::string_view features) { return detail::feature_set(features).has_all_stereo; }

bool has_all_stereo(std::string_view features) { return detail::feature_set(features).has_all_stereo; }

Molecules featurise_molecules(std::span<const std::string> smiles, const MoleculeOptions& options) {
  const FeatureSet& set = detail::feature_set(options.features);
  const Encoder encoder{.set = set,
                        .hydrogens = options.hydrogens,
                        .atoms = {set.atom_names().size(), detail::element_columns(), options.reactions,
                                  options.mixtures && !options.mixtures->is_sum ? options.mixtures->names
                                                                                : std::vector<std::string>()},
                        .bonds = {set.bond_names == nullptr ? 0 : set.bond_names().size(), 0, options.reactions},
                        .mixtures = options.mixtures};
  const std::size_t parts = options.mixtures ? options.mixtures->names.size() : 0;
  std::vector<std::string> problems(smiles.size());
  constexpr std::size_t kRows = 64;  // per chunk: about 10 ms
  std::vector<Chunk> chunks((smiles.size() + kRows - 1) / kRows);
  Matrix descriptors, shares = Matrix::Zero(static_cast<Eigen::Index>(smiles.size() * parts), 1);
  if (options.descriptors)
    descriptors = Matrix::Constant(static_cast<Eigen::Index>(smiles.size()),
                                   static_cast<Eigen::Index>(names_of_descriptors(options).size()),
                                   std::numeric_limits<float>::quiet_NaN());
  parallel_for(smiles.size(), kRows, [&](std::size_t begin, std::size_t end) {
    const Eigen::Index first = descriptors.rows() > 0 ? static_cast<Eigen::Index>(begin) : 0;
    const Eigen::Index count = descriptors.rows() > 0 ? static_cast<Eigen::Index>(end - begin) : 0;
    chunks[begin / kRows] =
        encoder.encode(smiles.subspan(begin, end - begin), std::span(problems).subspan(begin, end - begin),
                       descriptors.middleRows(first, count), shares.data() + begin * parts);
  });
  Molecules result = join(chunks, encoder);
  if (parts > 0) {
    result.part_offsets = std::exchange(result.offsets, {});
    for (std::size_t row = 0; row <= smiles.size(); ++row) result.offsets.push_back(result.part_offsets[row * parts]);
    result.shares = std::move(shares);
  }
  result.problems = std::move(problems);
  result.descriptors = std::move(descriptors);
  return result;
}

}  // namespace edgewise::data
