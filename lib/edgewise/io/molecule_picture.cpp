#include "edgewise/io/molecule_picture.hpp"

#include <GraphMol/MolDraw2D/MolDraw2DSVG.h>
#include <GraphMol/MolDraw2D/MolDraw2DUtils.h>
#include <GraphMol/RWMol.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/io/molecule_parser.hpp"
#include "edgewise/io/reaction_parser.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr int kWidth = 450, kHeight = 350;  // pixels, of a molecule
constexpr int kMostInLine = 3;
constexpr int kCaption = 22, kCaptionSize = 13;
constexpr std::string_view kEndOfHeader = "<!-- END OF HEADER -->";

/// Indices to colour, and their colours.
struct Highlights {
  std::vector<int> indices;
  std::map<int, RDKit::DrawColour> colours;

  void add(int index, float weight) {
    if (!(weight >= -1 && weight <= 1))
      throw DataError(fmt::format("molecule picture: expected weights from -1 to 1, got {}", weight));
    if (weight == 0) return;  // would be white on white
    const PictureColour colour = picture_colour(weight);
    indices.push_back(index);
    colours[index] = RDKit::DrawColour(colour.red, colour.green, colour.blue);
  }
};

/// What is drawn in one place of a picture.
struct Panel {
  const RDKit::RWMol* molecule;
  Highlights atoms, bonds;
  std::string caption;
};

/// For each atom that weights count, its place in one panel.
using Places = std::vector<std::optional<unsigned>>;

/// Parsed, with its notes.
ParsedMolecule read_molecule(const DrawnMolecule& drawn) {
  ParsedMolecule parsed = parse_smiles(drawn.smiles);
  if (!parsed.molecule)
    throw DataError(fmt::format("molecule picture: {} cannot be read: {}", quote(drawn.smiles), parsed.problem));
  const std::size_t count = parsed.molecule->getNumAtoms();
  if (!drawn.atoms.empty() && drawn.atoms.size() != count)
    throw DataError(fmt::format("molecule picture: {} weights for {} atoms", drawn.atoms.size(), count));
  for (std::size_t i = 0; i < std::min(count, drawn.notes.size()); ++i)
    if (!drawn.notes[i].empty())
      parsed.molecule->getAtomWithIdx(static_cast<unsigned>(i))
          ->setProp(RDKit::common_properties::atomNote, drawn.notes[i]);
  return parsed;
}

/// Colours a bond between two atoms of `panel`, if they have one. Returns whether they have. `places`: where the atoms
/// are that BondWeight counts, if they are there.
bool colour_bond(const Places& places, const BondWeight& weight, Panel& panel) {
  if (std::max(weight.source, weight.target) >= places.size()) return false;
  const std::optional<unsigned> source = places[weight.source], target = places[weight.target];
  if (!source || !target) return false;
  const RDKit::Bond* bond = panel.molecule->getBondBetweenAtoms(*source, *target);
  if (bond == nullptr) return false;
  panel.bonds.add(static_cast<int>(bond->getIdx()), weight.weight);
  return true;
}

[[noreturn]] void refuse_bond(const BondWeight& bond) {
  throw DataError(
      fmt::format("molecule picture: there is no bond between the atoms {} and {}", bond.source, bond.target));
}

Panel panel_of(const DrawnMolecule& drawn, const RDKit::RWMol& molecule) {
  Panel panel{.molecule = &molecule, .atoms = {}, .bonds = {}, .caption = drawn.caption};
  for (std::size_t i = 0; i < drawn.atoms.size(); ++i) panel.atoms.add(static_cast<int>(i), drawn.atoms[i]);
  Places places;
  for (unsigned i = 0; i < molecule.getNumAtoms(); ++i) places.emplace_back(i);
  for (const BondWeight& bond : drawn.bonds)
    if (!colour_bond(places, bond, panel)) refuse_bond(bond);
  return panel;
}

/// Of the atoms of the reactants, then of those that only the products have: on each side.
std::pair<Places, Places> places_of(const ParsedReaction& reaction) {
  Places before, after;
  std::vector<bool> is_joined(reaction.products.molecule->getNumAtoms(), false);
  for (unsigned atom = 0; atom < reaction.partners.size(); ++atom) {
    before.emplace_back(atom);
    const int partner = reaction.partners[atom];
    after.push_back(partner == ParsedReaction::kNone ? std::nullopt : std::optional(static_cast<unsigned>(partner)));
    if (after.back()) is_joined[*after.back()] = true;
  }
  for (unsigned atom = 0; atom < is_joined.size(); ++atom)
    if (!is_joined[atom]) {
      before.push_back(std::nullopt);
      after.emplace_back(atom);
    }
  return {std::move(before), std::move(after)};
}

/// Notes the map numbers of its atoms.
Panel panel_of_side(const ParsedMolecule& side, const Places& places, std::span<const float> atoms,
                    const char* caption) {
  for (RDKit::Atom* atom : side.molecule->atoms())
    if (const int map = side.maps[atom->getIdx()]; map != 0)
      atom->setProp(RDKit::common_properties::atomNote, std::to_string(map));
  Panel panel{.molecule = side.molecule.get(), .atoms = {}, .bonds = {}, .caption = caption};
  for (std::size_t i = 0; i < atoms.size(); ++i)
    if (places[i]) panel.atoms.add(static_cast<int>(*places[i]), atoms[i]);
  return panel;
}

/// Between the first two panels.
std::string arrow(int top) {
  const int y = top + kHeight / 2, end = kWidth + 16;
  return fmt::format("<path d='M {} {} H {} M {} {} L {} {} L {} {}' fill='none' stroke='#000000' "
                     "stroke-width='1.5'/>\n",
                     kWidth - 16, y, end, end - 7, y - 5, end, y, end - 7, y + 5);
}

/// The panels in lines, with the texts above, below and between them.
std::string draw_panels(const std::vector<Panel>& panels, const PictureText& text, bool is_signed,
                        const std::string& between) {
  const int count = static_cast<int>(panels.size()), in_line = std::min(count, kMostInLine);
  const bool has_captions = std::ranges::any_of(panels, [](const Panel& one) { return !one.caption.empty(); });
  const int above = text.height_above(), width = in_line * kWidth, height = kHeight + (has_captions ? kCaption : 0);
  const int bottom = above + (count + in_line - 1) / in_line * height;
  RDKit::MolDraw2DSVG drawer(width, bottom + text.height_below(), kWidth, kHeight);
  RDKit::assignBWPalette(drawer.drawOptions().atomColourPalette);  // the colours are those of the weights
  std::string captions;
  for (int i = 0; i < count; ++i) {
    const Panel& panel = panels[static_cast<std::size_t>(i)];
    const int left = i % in_line * kWidth, top = above + i / in_line * height;
    drawer.setOffset(left, top);
    RDKit::MolDraw2DUtils::prepareAndDrawMolecule(drawer, *panel.molecule, "", &panel.atoms.indices,
                                                  &panel.bonds.indices, &panel.atoms.colours, &panel.bonds.colours);
    if (!panel.caption.empty())
      captions += text_at(left + kWidth / 2.0, top + kHeight + kCaption - 6, "middle", kCaptionSize, panel.caption);
  }
  drawer.finishDrawing();
  std::string picture = drawer.getDrawingText();
  picture.insert(picture.rfind("</svg>"), title_of(text, width) + captions + between +
                                              scale_of(text, is_signed, width, bottom));
  if (const std::size_t header = picture.find(kEndOfHeader); header != picture.npos)  // RDKit clears the panels alone
    picture.insert(header + kEndOfHeader.size(),
                   fmt::format("\n<rect width='{}' height='{}' fill='#FFFFFF'/>", width, bottom));
  return picture;
}

std::string draw_checked(const std::vector<Panel>& panels, const PictureText& text, bool is_signed,
                         const std::string& what, const std::string& between = "") {
  std::string picture, problem;
  if (!run_rdkit([&] { picture = draw_panels(panels, text, is_signed, between); }, problem))
    throw DataError(fmt::format("molecule picture: {} cannot be drawn: {}", quote(what), problem));
  return picture;
}

}  // namespace

std::string draw_molecules(std::span<const DrawnMolecule> molecules, const PictureText& text, bool is_signed) {
  if (molecules.empty()) throw DataError("molecule picture: there is no molecule");
  std::vector<ParsedMolecule> parsed;
  std::vector<Panel> panels;
  for (const DrawnMolecule& drawn : molecules) parsed.push_back(read_molecule(drawn));
  for (std::size_t i = 0; i < molecules.size(); ++i) panels.push_back(panel_of(molecules[i], *parsed[i].molecule));
  return draw_checked(panels, text, is_signed, molecules.front().smiles);
}

std::string draw_reaction(const std::string& reaction, std::span<const float> atoms, std::span<const BondWeight> bonds,
                          const PictureText& text, bool is_signed) {
  const ParsedReaction parsed = parse_reaction(reaction);
  if (!parsed.problem.empty())
    throw DataError(fmt::format("molecule picture: {} cannot be read: {}", quote(reaction), parsed.problem));
  const auto [before, after] = places_of(parsed);
  if (!atoms.empty() && atoms.size() != before.size())
    throw DataError(fmt::format("molecule picture: {} weights for {} atoms", atoms.size(), before.size()));
  std::vector<Panel> sides;
  sides.push_back(panel_of_side(parsed.reactants, before, atoms, "reactants"));
  sides.push_back(panel_of_side(parsed.products, after, atoms, "products"));
  for (const BondWeight& bond : bonds) {
    const bool was_there = colour_bond(before, bond, sides[0]), is_there = colour_bond(after, bond, sides[1]);
    if (!was_there && !is_there) refuse_bond(bond);
  }
  return draw_checked(sides, text, is_signed, reaction, arrow(text.height_above()));
}

}  // namespace edgewise::io
