#include "edgewise/train/explain/atom_picture.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/molecule_parts.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

/// Of `count` atoms from `first`.
std::vector<float> atoms_between(Node first, std::size_t count, const AtomColours& colours) {
  std::vector<float> found(count, 0.0F);
  for (const auto& [atom, colour] : colours.atoms)
    if (atom >= first && atom - first < count) found[atom - first] = colour;
  return found;
}

/// Of the bonds between these atoms, numbered from 0.
std::vector<io::BondWeight> bonds_between(Node first, std::size_t count, const AtomColours& colours) {
  std::vector<io::BondWeight> found;
  for (const auto& [ends, colour] : colours.bonds)
    if (std::min(ends.first, ends.second) >= first && std::max(ends.first, ends.second) - first < count)
      found.push_back({ends.first - first, ends.second - first, colour});
  return found;
}

std::vector<io::DrawnMolecule> molecules_in_row(const GraphItems& items, Node item, const AtomColours& colours,
                                                const std::vector<std::string>& captions) {
  const MixtureItems& mixtures = *items.mixtures;
  const std::size_t row = item * mixtures.size();
  std::vector<io::DrawnMolecule> drawn;
  std::size_t place = row;
  for (const io::MixturePart& part : io::split_mixture(items.smiles[item], mixtures.names).parts) {
    const Node first = mixtures.offsets[place++] - mixtures.offsets[row];
    if (part.share == 0) continue;
    std::string caption = io::name_of_part(part.place, mixtures.names);
    if (drawn.size() < captions.size()) caption += fmt::format(": {}", captions[drawn.size()]);
    drawn.push_back(coloured(part.smiles, first, colours));
    drawn.back().caption = std::move(caption);
  }
  return drawn;
}

}  // namespace

io::DrawnMolecule coloured(const std::string& smiles, Node first, const AtomColours& colours) {
  const std::size_t drawn = io::atom_symbols(smiles).size();
  return {.smiles = smiles,
          .atoms = atoms_between(first, drawn, colours),
          .bonds = bonds_between(first, drawn, colours)};
}

std::string draw_atoms(const GraphItems& items, Node item, const AtomColours& colours, const io::PictureText& text,
                       bool is_signed, const std::vector<std::string>& captions) {
  const std::string& smiles = items.smiles[item];
  if (items.mixtures) return io::draw_molecules(molecules_in_row(items, item, colours, captions), text, is_signed);
  const io::DrawnMolecule one[] = {coloured(smiles, 0, colours)};
  return items.are_reactions ? io::draw_reaction(smiles, one[0].atoms, one[0].bonds, text, is_signed)
                             : io::draw_molecules(one, text, is_signed);
}

}  // namespace edgewise::train
