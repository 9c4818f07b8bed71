#include "edgewise/io/reaction_alignment.hpp"

#include <GraphMol/RWMol.h>
#include <GraphMol/SmilesParse/SmilesWrite.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "edgewise/core/random.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_text.hpp"

namespace edgewise::io {
namespace {

constexpr int kNobody = -1;
constexpr std::size_t kRadius = 6;       // bonds, around an atom
constexpr std::size_t kBeginnings = 20;  // that are tried before one is kept

/// What is around each atom, for each radius from 0: two colours are equal if the same is around.
using Colours = std::vector<std::vector<std::uint64_t>>;

std::uint64_t colour_of(const std::vector<std::uint64_t>& what) {
  std::uint64_t colour = 0;
  for (const std::uint64_t one : what) colour = random_key(colour, Stream::generate, one);
  return colour;
}

/// As in Weisfeiler and Leman's test. `is_strict`: with hydrogens, charges and the orders of bonds.
Colours colours_of(const RDKit::ROMol& side, bool is_strict) {
  Colours all(1);
  for (const RDKit::Atom* atom : side.atoms())
    all[0].push_back(colour_of({static_cast<std::uint64_t>(atom->getAtomicNum()),
                                     is_strict ? static_cast<std::uint64_t>(atom->getTotalNumHs()) : 0,
                                     is_strict ? static_cast<std::uint64_t>(atom->getFormalCharge() + 64) : 0}));
  for (std::size_t radius = 1; radius <= kRadius; ++radius) {
    std::vector<std::uint64_t> colours;
    for (const RDKit::Atom* atom : side.atoms()) {
      std::vector<std::uint64_t> around;
      for (const RDKit::Bond* bond : side.atomBonds(atom))
        around.push_back(colour_of({all.back()[bond->getOtherAtomIdx(atom->getIdx())],
                                         is_strict ? static_cast<std::uint64_t>(bond->getBondType()) : 0}));
      std::ranges::sort(around);
      around.push_back(all.back()[atom->getIdx()]);
      colours.push_back(colour_of(around));
    }
    all.push_back(std::move(colours));
  }
  return all;
}

/// Finds the partners of the atoms of the reactants among those of the products.
class Aligner {
 public:
  Aligner(const RDKit::ROMol& reactants, const RDKit::ROMol& products)
      : reactants_(reactants), products_(products), partners_(reactants.getNumAtoms(), kNobody),
        origins_(products.getNumAtoms(), kNobody) {
    find_likeness();
  }

  /// Of each atom of the reactants, or kNobody.
  std::vector<int> partners() {
    for (;;) {
      Pairs best;
      double least = 0;
      for (const auto& [before, after] : beginnings()) {
        Pairs pairs = grow(before, after);
        const double cost = changes();
        set(pairs, false);
        if (!best.empty() && cost >= least) continue;
        best = std::move(pairs);
        least = cost;
      }
      if (best.empty()) return partners_;
      set(best, true);
    }
  }

 private:
  using Pairs = std::vector<std::pair<unsigned, unsigned>>;

  /// By how many radii two atoms are alike, in both ways; 0 for two elements.
  void find_likeness() {
    const Colours before[] = {colours_of(reactants_, false), colours_of(reactants_, true)};
    const Colours after[] = {colours_of(products_, false), colours_of(products_, true)};
    likeness_.resize(partners_.size() * origins_.size());
    for (unsigned a = 0; a < partners_.size(); ++a)
      for (unsigned b = 0; b < origins_.size(); ++b)
        for (int way = 0; way < 2; ++way)
          for (std::size_t radius = 0; radius <= kRadius && before[way][radius][a] == after[way][radius][b]; ++radius)
            ++likeness_[a * origins_.size() + b];
  }
  int likeness(unsigned before, unsigned after) const { return likeness_[before * origins_.size() + after]; }

  bool is_free(unsigned before, unsigned after) const {
    return partners_[before] == kNobody && origins_[after] == kNobody && likeness(before, after) > 0;
  }

  /// The pairs of free atoms that are most alike.
  Pairs beginnings() const {
    std::vector<std::tuple<int, unsigned, unsigned>> free;
    for (unsigned a = 0; a < partners_.size(); ++a)
      for (unsigned b = 0; b < origins_.size(); ++b)
        if (is_free(a, b)) free.emplace_back(-likeness(a, b), a, b);
    const std::size_t count = std::min(kBeginnings, free.size());
    std::ranges::partial_sort(free, free.begin() + static_cast<std::ptrdiff_t>(count));
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i) pairs.emplace_back(std::get<1>(free[i]), std::get<2>(free[i]));
    return pairs;
  }

  void set(const Pairs& pairs, bool are_same) {
    for (const auto& [before, after] : pairs) {
      partners_[before] = are_same ? static_cast<int>(after) : kNobody;
      origins_[after] = are_same ? static_cast<int>(before) : kNobody;
    }
  }

  /// Joins two atoms, and along the bonds of both all that can be joined. Returns them.
  Pairs grow(unsigned before, unsigned after) {
    Pairs joined = {{before, after}};
    set(joined, true);
    for (std::size_t next = 0; next < joined.size(); ++next)
      for (const auto& pair : beside(joined[next].first, joined[next].second)) {
        if (!is_free(pair.first, pair.second)) continue;  // one before it has taken one of the two
        set({pair}, true);
        joined.push_back(pair);
      }
    return joined;
  }

  /// The free neighbours of two atoms that are the same, in pairs, those that fit best first.
  Pairs beside(unsigned before, unsigned after) const {
    std::vector<std::tuple<int, unsigned, unsigned>> found;
    for (const RDKit::Bond* bond : reactants_.atomBonds(reactants_.getAtomWithIdx(before)))
      for (const RDKit::Bond* other : products_.atomBonds(products_.getAtomWithIdx(after))) {
        const unsigned a = bond->getOtherAtomIdx(before), b = other->getOtherAtomIdx(after);
        if (!is_free(a, b)) continue;
        const int is_same_bond = bond->getBondType() == other->getBondType() ? 1 : 0;
        found.emplace_back(-(kAgreement * agreement(a, b) + likeness(a, b) + is_same_bond), a, b);
      }
    std::ranges::sort(found);
    Pairs pairs;
    for (const auto& [_, a, b] : found) pairs.emplace_back(a, b);
    return pairs;
  }

  /// How many bonds to atoms that have partners are on both sides, less those on one alone.
  int agreement(unsigned before, unsigned after) const {
    int sum = 0;
    for (const RDKit::Atom* atom : reactants_.atomNeighbors(reactants_.getAtomWithIdx(before))) {
      const int partner = partners_[atom->getIdx()];
      if (partner == kNobody) continue;
      sum += products_.getBondBetweenAtoms(static_cast<unsigned>(partner), after) != nullptr ? 1 : -1;
    }
    for (const RDKit::Atom* atom : products_.atomNeighbors(products_.getAtomWithIdx(after))) {
      const int origin = origins_[atom->getIdx()];
      if (origin != kNobody && reactants_.getBondBetweenAtoms(static_cast<unsigned>(origin), before) == nullptr) --sum;
    }
    return sum;
  }

  /// The order of the bond between the partners of the ends of a bond, 0 if there is none.
  static double order_between(const RDKit::Bond& bond, const std::vector<int>& partners, const RDKit::ROMol& other) {
    const int source = partners[bond.getBeginAtomIdx()], target = partners[bond.getEndAtomIdx()];
    if (source == kNobody || target == kNobody) return 0;
    const RDKit::Bond* found =
        other.getBondBetweenAtoms(static_cast<unsigned>(source), static_cast<unsigned>(target));
    return found == nullptr ? 0 : found->getBondTypeAsDouble();
  }

  /// Bonds that change count by their order, hydrogens and charges a tenth.
  double changes() const {
    constexpr double kSmall = 0.1;
    double sum = 0;
    for (const RDKit::Bond* bond : reactants_.bonds())
      sum += std::abs(bond->getBondTypeAsDouble() - order_between(*bond, partners_, products_));
    for (const RDKit::Bond* bond : products_.bonds())
      if (order_between(*bond, origins_, reactants_) == 0) sum += bond->getBondTypeAsDouble();
    for (const RDKit::Atom* atom : reactants_.atoms()) {
      const int partner = partners_[atom->getIdx()];
      if (partner == kNobody) continue;
      const RDKit::Atom& after = *products_.getAtomWithIdx(static_cast<unsigned>(partner));
      const double hydrogens = static_cast<double>(atom->getTotalNumHs()) - static_cast<double>(after.getTotalNumHs());
      sum += kSmall * (std::abs(hydrogens) + std::abs(atom->getFormalCharge() - after.getFormalCharge()));
    }
    return sum;
  }

  static constexpr int kAgreement = 4;

  const RDKit::ROMol &reactants_, &products_;
  std::vector<int> partners_, origins_;
  std::vector<std::uint8_t> likeness_;  // [atoms of the reactants, atoms of the products]
};

bool share_a_number(const ParsedMolecule& reactants, const ParsedMolecule& products) {
  const std::set<int> before(reactants.maps.begin(), reactants.maps.end());
  return std::ranges::any_of(products.maps, [&](int map) { return map != 0 && before.contains(map); });
}

bool can_be_aligned(const ParsedMolecule& side) {
  return side.problem.empty() && side.molecule->getNumAtoms() <= kMostAlignedAtoms;
}

/// Numbers the atoms that have partners, in the order of the reactants.
void set_maps(const std::vector<int>& partners, RDKit::RWMol& reactants, RDKit::RWMol& products) {
  int map = 0;
  for (unsigned atom = 0; atom < partners.size(); ++atom) {
    if (partners[atom] == kNobody) continue;
    reactants.getAtomWithIdx(atom)->setAtomMapNum(++map);
    products.getAtomWithIdx(static_cast<unsigned>(partners[atom]))->setAtomMapNum(map);
  }
}

}  // namespace

std::string align_reaction(const std::string& text) {
  const ReactionText sides = split_reaction(text);
  if (!sides.problem.empty()) return text;
  const ParsedMolecule reactants = parse_mapped_smiles(sides.reactants), products = parse_mapped_smiles(sides.products);
  if (!can_be_aligned(reactants) || !can_be_aligned(products) || share_a_number(reactants, products)) return text;
  std::string aligned = text, problem;
  const auto align = [&] {
    RDKit::RWMol before(*reactants.molecule), after(*products.molecule);
    set_maps(Aligner(before, after).partners(), before, after);
    aligned = fmt::format("{}>{}>{}", RDKit::MolToSmiles(before), sides.agents, RDKit::MolToSmiles(after));
  };
  return run_rdkit(align, problem) ? aligned : text;
}

}  // namespace edgewise::io
