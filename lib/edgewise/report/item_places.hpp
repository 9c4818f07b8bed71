#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Where items are on a map.
namespace edgewise::report {

/// The most points of a map.
inline constexpr std::size_t kMostPlaces = 2000;

/// Of a network with at most `kMostPlaces` nodes, all of them, as graph::force_layout draws it. Of other data, the two
/// principal components of the embeddings of items, of which at most as many are drawn by lot.
struct ItemPlaces {
  std::vector<graph::Node> items;  ///< Those on the map that have a prediction.
  Matrix places;                   ///< [points, 2], in [0, 1]: of a network its nodes, else `items`.
  bool is_network = false;
  std::size_t predicted = 0;  ///< How many items have a prediction, whether on the map or not.

  /// The point of items[i]; of several kinds of nodes the first are the items.
  Eigen::Index point_of(std::size_t i) const { return static_cast<Eigen::Index>(is_network ? items[i] : i); }
};

/// The embeddings of ascending items: [items, width].
using Embed = std::function<Matrix(std::span<const graph::Node> items)>;

/// `predicted`: the items with predictions, ascending if there is `embed`. Nothing if there are none, or if embeddings
/// are needed and `embed` is empty. The same data and embeddings give the same bits.
std::optional<ItemPlaces> item_places(const train::Dataset& data, const std::vector<graph::Node>& predicted,
                                      const Embed& embed);

/// The same for the items whose predictions are finite; nothing unless these are [items, Labels::names] of `data`.
std::optional<ItemPlaces> item_places(const train::Dataset& data, const Matrix& predictions, const Embed& embed);

}  // namespace edgewise::report
