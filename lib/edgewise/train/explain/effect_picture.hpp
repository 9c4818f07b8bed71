#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "edgewise/train/explain/effects.hpp"

/// @file
/// Effects as pictures in SVG: an effect is a colour, from blue (lowers the answer) to orange (raises it).
namespace edgewise::train {

/// The effect that has the full colour in pictures, the same for all items: a quarter for probabilities, else half
/// a standard deviation of the target in training.
double full_colour(const TrainedModel& trained, std::size_t answer);

/// Whether an item is a node or is made of molecules, rather than another graph.
bool can_be_drawn(const ModelData& loaded);

/// The molecules or the reaction with their atoms and bonds, or the node with its neighbours and features, below the
/// lines of `title`. Throws UsageError for graphs that are no molecules.
std::string draw(const ModelData& loaded, const Effects& effects, const std::vector<std::string>& title);

}  // namespace edgewise::train
