#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// The features of a network of several kinds: block diagonal, [nodes of all kinds, columns of all kinds]. The nodes of
/// each kind have values in the columns of their own, which are scaled by its own rows, and zeros elsewhere; the last
/// column of each kind is 1 for its nodes. A kind without columns has one for each of its nodes that have two edges or
/// more, found again by its name. Sparse if there are many columns.
class KindMap {
 public:
  /// `items` was fitted to the training items of the first kind; the others are fitted to all of their rows.
  static KindMap fit(const Dataset& data, const data::NodeEncoder& items);

  /// Throws ModelError for a kind whose table is missing now. `notes`, if set, receives remarks for the user.
  data::Features apply(const Dataset& data, const data::NodeEncoder& items, std::vector<std::string>* notes) const;

  /// The names and widths of what stands side by side.
  std::vector<std::pair<std::string, std::size_t>> column_widths(const data::NodeEncoder& items) const;
  std::size_t columns(const data::NodeEncoder& items) const;
  std::vector<std::string> notes() const;

  json::Value to_json() const;
  /// Throws UsageError if `value` was not made by `to_json`.
  static KindMap from_json(const json::Value& value);

 private:
  /// What is known of the nodes of a kind; the first has the encoder of the items instead.
  struct Known {
    std::string kind;
    data::NodeEncoder encoder = {};
    graph::NodeNames names = {};

    std::size_t columns() const { return encoder.columns() + names.size() + 1; }
  };

  std::vector<Known> kinds_;
};

}  // namespace edgewise::train
