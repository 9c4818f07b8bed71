#include "edgewise/train/explain/effect_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/io/neighbourhood_picture.hpp"
#include "edgewise/train/explain/atom_picture.hpp"
#include "edgewise/train/source/atom_items.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr double kFullProbability = 0.25, kFullDeviations = 0.5;

io::PictureText text_around(const ModelData& loaded, const Effects& effects, const char* parts,
                            const std::vector<std::string>& title) {
  const double full = full_colour(loaded.trained, effects.answer);
  return {.title = title,
          .low = fmt::format("lowers it by {:.3g}", full),
          .high = fmt::format("raises it by {:.3g}", full),
          .scale = fmt::format("effect of {} on {}", parts, loaded.trained.label_names[effects.answer])};
}

AtomColours colours_of(const ModelData& loaded, const Effects& effects) {
  const double full = full_colour(loaded.trained, effects.answer);
  AtomColours colours;
  for (const PartEffect& part : effects.parts) {
    const auto colour = static_cast<float>(std::clamp(part.effect / full, -1.0, 1.0));
    if (part.kind == "atom") colours.atoms[part.nodes[0]] = colour;
    if (part.kind == "bond") colours.bonds[{part.nodes[0], part.nodes[1]}] = colour;
  }
  return colours;
}

std::string draw_graph(const ModelData& loaded, const Effects& effects, const std::vector<std::string>& title) {
  std::vector<std::string> captions;  // of several molecules
  for (const PartEffect& part : effects.parts)
    if (part.kind == "molecule") captions.push_back(fmt::format("{:+.3g}", part.effect));
  return draw_atoms(*loaded.data.graphs, effects.item, colours_of(loaded, effects),
                    text_around(loaded, effects, "atoms and bonds", title), true, captions);
}

/// The molecule of an atom or a bond, with the numbers of the atom, or those at the bond's ends, beside them.
std::string draw_around_atom(const ModelData& loaded, const Effects& effects, const std::vector<std::string>& title) {
  const AtomItems& items = *loaded.data.atoms;
  const std::size_t molecule = molecule_of(items, effects.item);
  io::DrawnMolecule one[] = {coloured(items.molecules.smiles[molecule], 0, colours_of(loaded, effects))};
  one[0].notes.resize(one[0].atoms.size());
  for (const Node atom : atoms_of(items, effects.item, loaded.data.graph))
    if (atom < one[0].notes.size()) one[0].notes[atom] = std::to_string(atom);
  return io::draw_molecules(one, text_around(loaded, effects, "other atoms and bonds", title), true);
}

std::string draw_neighbours(const ModelData& loaded, const Effects& effects, const std::vector<std::string>& title) {
  const double full = full_colour(loaded.trained, effects.answer);
  std::vector<io::WeighedName> neighbours, features;
  for (const PartEffect& part : effects.parts) {
    io::WeighedName one{part.name, std::clamp(part.effect / full, -1.0, 1.0)};
    (part.kind == "feature" ? features : neighbours).push_back(std::move(one));
  }
  const graph::NodeNames& names = loaded.data.graph.names();
  std::string centre(names[effects.item]);
  if (effects.target) centre += fmt::format(" - {}", names[*effects.target]);
  return io::draw_neighbourhood(centre, neighbours, features,
                                text_around(loaded, effects, "neighbours and features", title));
}

}  // namespace

double full_colour(const TrainedModel& trained, std::size_t answer) {
  const bool is_number = trained.task.has_numbers();
  return is_number ? kFullDeviations * trained.scaler.deviation().at(answer) : kFullProbability;
}

bool can_be_drawn(const ModelData& loaded) { return !loaded.data.graphs || loaded.data.graphs->are_molecules; }

std::string draw(const ModelData& loaded, const Effects& effects, const std::vector<std::string>& title) {
  if (!can_be_drawn(loaded))
    throw UsageError(fmt::format("{}: of graphs only molecules can be drawn; use .csv or .jsonl", setting("out")));
  if (loaded.data.atoms) return draw_around_atom(loaded, effects, title);
  return loaded.data.graphs ? draw_graph(loaded, effects, title) : draw_neighbours(loaded, effects, title);
}

}  // namespace edgewise::train
