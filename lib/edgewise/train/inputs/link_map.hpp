#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/train/baselines/tree_map.hpp"

namespace edgewise::train {

/// Pairs without a tie for each tie, at which probabilities of ties are calibrated.
inline constexpr int kOthersPerTie = 1;

/// What a model is told about a link beside the rows of its ends: numbers of it, scaled, or what trees make of them.
/// Fitted to links of the training, stored in the model file.
class LinkMap {
 public:
  LinkMap() = default;
  /// Of the numbers with these names; `rows` are those of training, [links, names]. A number that is never negative is
  /// taken as log(1 + x / mean), since few pairs have large ones.
  static LinkMap fit(std::vector<std::string> names, ConstMatrixRef rows);
  /// Trees in place of the numbers they were grown on.
  void set_trees(TreeMap trees) { trees_ = std::move(trees); }
  bool has_trees() const { return trees_.has_value(); }

  /// How many pairs without a tie a model has learnt from for each tie.
  void set_negatives(std::size_t negatives) { negatives_ = static_cast<double>(negatives); }
  /// What is added to its outputs, so that probabilities are among kOthersPerTie pairs without a tie for each tie.
  float shift() const { return static_cast<float>(std::log(negatives_ / kOthersPerTie)); }

  /// The numbers it needs, see LinkGraph::numbers.
  const std::vector<std::string>& names() const { return names_; }
  /// Columns that the model gets.
  Eigen::Index columns() const;
  /// [links, columns()]: each number, or its logarithm, less its mean, over its deviation; or the outputs of the trees.
  Matrix apply(ConstMatrixRef rows) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static LinkMap from_json(const json::Value& value);

 private:
  std::vector<std::string> names_;
  Matrix with_logarithms(ConstMatrixRef rows) const;

  std::vector<double> units_;  ///< Of numbers that are taken as logarithms; 0: as they are.
  std::vector<double> means_, deviations_;
  double negatives_ = 1;
  std::optional<TreeMap> trees_;
};

}  // namespace edgewise::train
