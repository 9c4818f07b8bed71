#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/edge_statistics.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/graph/node_names.hpp"
#include "edgewise/train/config/split_config.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// What the labels of the training edges say about another edge between their nodes: how its source labels others and
/// is labelled by them, likewise its target, what the opposite edge has, what leads there in two steps, and the sum of
/// the biases of both ends. Fitted to the training edges and stored with their labels in the model file, so that a
/// model needs no other file.
///
/// An edge never sees its own label, nor that of another edge between the same nodes (in an undirected network in
/// either direction). The training edges are in folds: those of one see the labels of the others alone, or, in a split
/// by time, of the earlier ones alone. So they learn from what looks like that of the edges to predict, which see all
/// labels of training and no others.
class EdgeEvidence {
 public:
  EdgeEvidence() = default;
  /// Of the training edges of `split`, made as `config` says.
  static EdgeEvidence fit(const Dataset& data, const SplitConfig& config, const data::Split& split);

  /// What each column is: "rating: mean given by source".
  const std::vector<std::string>& names() const { return scale_.names(); }
  std::size_t columns() const { return names().size(); }
  /// [edges, columns]: numbers scaled as by LinkMap.
  Matrix apply(const EdgeItems& edges) const { return scale_.apply(numbers(edges)); }

  /// Calls on_item for each edge between nodes of which at least one has no label of training, with the reason.
  void find_unlike(const EdgeItems& edges,
                   const std::function<void(std::size_t item, const std::string& reason)>& on_item) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static EdgeEvidence from_json(const json::Value& value);

 private:
  Matrix numbers(const EdgeItems& edges) const;
  /// What a model was fitted to: scale_ has their names.
  data::EdgeStatistics::Factors factors() const;
  bool sees(std::uint32_t fold, std::uint32_t other) const { return is_by_time_ ? other < fold : other != fold; }

  graph::NodeNames nodes_;
  bool is_directed_ = true;
  bool is_by_time_ = false;
  std::vector<graph::Node> sources_, targets_;
  std::vector<std::uint32_t> folds_;
  std::vector<std::string> labels_;  // of the columns of values_
  Matrix values_;                    // [training edges, labels], 0 where unknown, less their means
  LinkMap scale_;
};

}  // namespace edgewise::train
