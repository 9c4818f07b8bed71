#pragma once

#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/data/labels.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/item_places.hpp"
#include "edgewise/report/scored.hpp"

/// @file
/// A map of items: what is predicted of each, how sure the model is, and where it is wrong.
namespace edgewise::report {

/// What a map is drawn from.
struct ItemMap {
  const train::Dataset& data;  ///< With the names of the items, and what is known of them.
  const ItemPlaces& places;
  data::LabelShape shape;
  const std::vector<std::string>& names;  ///< Classes, labels or targets.
  Matrix values;           ///< Probabilities or numbers of ItemPlaces::items: [items, names].
  Matrix deviations = {};  ///< The same, or empty.
  /// Those of which the map says whether the prediction is right; all have a known label.
  std::vector<graph::Node> judged = {};
  std::string judged_name = {};  ///< "335 test nodes"
};

/// The map of predictions [items, names] for all items, judged by those of `scored`.
ItemMap item_map(const Scored& scored, const ItemPlaces& places, const Matrix& deviations);

/// One `<svg>`. Of classes each has its colour and shape, the six that are predicted most; of several labels, the first
/// is shown; of several numbers likewise, in five ranges with as many items each. A mark is the fainter the less sure
/// the model is, and has a ring if the prediction is wrong (of numbers, if the error is one of the ten largest).
std::string draw(const ItemMap& map);

/// With the sentences below it.
Figure map_figure(const ItemMap& map);

/// The heading and the figure, "" without places.
std::string map_section(const Scored& scored, const std::optional<ItemPlaces>& places, const Matrix& deviations);

}  // namespace edgewise::report
