#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/io/molecule_picture.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Pictures of rows that are molecules, with what is said of their atoms and bonds as colours.
namespace edgewise::train {

/// From -1 to 1, by the nodes of an item, from 0.
struct AtomColours {
  std::map<graph::Node, float> atoms;
  std::map<std::pair<graph::Node, graph::Node>, float> bonds;
};

/// A molecule whose atoms are numbered from `first`. Hydrogens that are atoms follow the others and are not drawn, nor
/// is a virtual node.
io::DrawnMolecule coloured(const std::string& smiles, graph::Node first, const AtomColours& colours);

/// The molecule, the reaction, or the molecules in a row with their names, each followed by one of `captions` if there
/// are any.
std::string draw_atoms(const GraphItems& items, graph::Node item, const AtomColours& colours,
                       const io::PictureText& text, bool is_signed, const std::vector<std::string>& captions = {});

}  // namespace edgewise::train
