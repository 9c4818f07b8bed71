#include "edgewise/data/detail/condensed_graph.hpp"

#include <GraphMol/Atom.h>
#include <GraphMol/Bond.h>
#include <GraphMol/RWMol.h>

#include <utility>

namespace edgewise::data::detail {
namespace {

constexpr int kNone = io::ParsedReaction::kNone;

/// Joins the sides of one reaction.
class Condenser {
 public:
  Condenser(const io::ParsedReaction& reaction, bool is_balanced)
      : reaction_(reaction), reactants_(*reaction.reactants.molecule), products_(*reaction.products.molecule),
        is_balanced_(is_balanced) {}

  CondensedGraph graph() {
    add_atoms();
    for (const RDKit::Bond* bond : reactants_.bonds()) add_bond_of_reactants(*bond);
    for (const RDKit::Bond* bond : products_.bonds()) add_bond_of_products(*bond);
    return std::move(graph_);
  }

 private:
  int partner(unsigned atom) const { return reaction_.partners[atom]; }
  bool stays(unsigned atom) const { return partner(atom) == kNone && is_balanced_; }
  bool is_new(graph::Node atom) const { return atom >= reactants_.getNumAtoms(); }

  void add_atoms() {
    places_.assign(products_.getNumAtoms(), 0);
    std::vector<bool> is_joined(places_.size());
    for (const RDKit::Atom* atom : reactants_.atoms()) {
      const int other = partner(atom->getIdx());
      const RDKit::Atom* after = other != kNone          ? products_.getAtomWithIdx(static_cast<unsigned>(other))
                                 : stays(atom->getIdx()) ? atom
                                                         : nullptr;
      graph_.atoms.push_back({atom, after});
      if (other == kNone) continue;
      places_[static_cast<std::size_t>(other)] = atom->getIdx();
      is_joined[static_cast<std::size_t>(other)] = true;
    }
    for (const RDKit::Atom* atom : products_.atoms()) {
      if (is_joined[atom->getIdx()]) continue;
      places_[atom->getIdx()] = static_cast<graph::Node>(graph_.atoms.size());
      graph_.atoms.push_back({is_balanced_ ? atom : nullptr, atom});
    }
  }

  void add_bond_of_reactants(const RDKit::Bond& bond) {
    const unsigned source = bond.getBeginAtomIdx(), target = bond.getEndAtomIdx();
    const RDKit::Bond* after = nullptr;
    if (partner(source) != kNone && partner(target) != kNone)
      after = products_.getBondBetweenAtoms(static_cast<unsigned>(partner(source)),
                                            static_cast<unsigned>(partner(target)));
    else if (stays(source) && stays(target))
      after = &bond;
    graph_.bonds.push_back({{&bond, after}, source, target});
  }

  void add_bond_of_products(const RDKit::Bond& bond) {
    const graph::Node source = places_[bond.getBeginAtomIdx()], target = places_[bond.getEndAtomIdx()];
    if (!is_new(source) && !is_new(target) && reactants_.getBondBetweenAtoms(source, target) != nullptr) return;
    const bool stays = is_balanced_ && is_new(source) && is_new(target);
    graph_.bonds.push_back({{stays ? &bond : nullptr, &bond}, source, target});
  }

  const io::ParsedReaction& reaction_;
  const RDKit::RWMol &reactants_, &products_;
  bool is_balanced_;
  std::vector<graph::Node> places_;  // of the atoms of the products
  CondensedGraph graph_;
};

}  // namespace

CondensedGraph condense(const io::ParsedReaction& reaction, bool is_balanced) {
  return Condenser(reaction, is_balanced).graph();
}

}  // namespace edgewise::data::detail
