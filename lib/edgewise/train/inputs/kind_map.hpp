#pragma once

#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Adds a line for each column with unseen values, or with missing ones that training did not have.
void note_report(const data::EncodingReport& report, std::vector<std::string>& notes);

/// The features of a network of several kinds: block diagonal, [nodes of all kinds, columns of all kinds]. The nodes of
/// each kind have values in the columns of their own, which are scaled by its own rows, and zeros elsewhere; the last
/// column of each kind is 1 for its nodes. A kind without columns has one for each of its nodes that have two edges or
/// more (of ties: for each node), found again by its name. Sparse if there are many columns.
class KindMap {
 public:
  /// `items` was fitted to the training items of the first kind; the others are fitted to all of their rows. With
  /// `has_words` a node also has 1 in the columns of its neighbours in kinds without columns.
  static KindMap fit(const Dataset& data, const data::NodeEncoder& items, bool has_words = false);

  /// Throws ModelError for a kind whose table is missing now. `notes`, if set, receives remarks for the user.
  data::Features apply(const Dataset& data, const data::NodeEncoder& items, std::vector<std::string>* notes) const;

  /// Of features that were made by `apply` the columns of tables alone: neither names nor what says of which kind a
  /// node is.
  data::Features own_columns(const data::Features& made, const data::NodeEncoder& items) const;

  /// The names and widths of what stands side by side.
  std::vector<std::pair<std::string, std::size_t>> column_widths(const data::NodeEncoder& items) const;
  std::size_t columns(const data::NodeEncoder& items) const;
  std::vector<std::string> notes() const;

  bool has_words() const { return has_words_; }

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

  std::vector<Known>::const_iterator known_of(const Dataset& data, const NodeKind& kind) const;
  Eigen::Index first_column(std::vector<Known>::const_iterator kind, const data::NodeEncoder& items) const;
  /// For each node the column of its name, or -1.
  std::vector<Eigen::Index> name_columns(const Dataset& data, const data::NodeEncoder& items) const;

  std::vector<Known> kinds_;
  bool has_words_ = false;
};

}  // namespace edgewise::train
