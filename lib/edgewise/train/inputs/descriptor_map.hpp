#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/column_scaler.hpp"
#include "edgewise/train/baselines/kernel_map.hpp"
#include "edgewise/train/baselines/tree_map.hpp"
#include "edgewise/train/source/dataset.hpp"

/// @file
/// Graph-level numbers added at the readout: RDKit's descriptors of a molecule, and columns of the user's table.
namespace edgewise::train {

/// Fingerprint columns for baselines that compare molecules, and for their models: so many that collisions are rare.
inline constexpr std::size_t kFingerprintColumns = std::size_t{1} << 20;

/// Fingerprint columns for trees: few, so that each occurs often enough to learn from.
inline constexpr std::size_t kTreeFingerprintColumns = 2048;

/// Counted fingerprints of the molecules, [rows, columns]; with their stereochemistry if the atom features have all of
/// it. Throws ModelError if there are no molecules.
SparseMatrix fingerprints_of(const Dataset& data, std::size_t columns);

/// The input of trees: scaled descriptors [rows, descriptors], followed by fingerprints.
SparseMatrix tree_features(const Matrix& scaled, const Dataset& data);

/// Maps the descriptors of graphs to a model's input. Fitted to the training items, stored in the model file. With a
/// kernel, the input is the similarity of molecules to some training molecules, by descriptors or fingerprints; with
/// trees, it is the trees' prediction from both.
class DescriptorMap {
 public:
  /// Throws DataError for a missing column, UsageError for one that is a target or is named twice.
  static DescriptorMap fit(const Dataset& data, std::span<const graph::Node> train_items);
  static DescriptorMap fit(const GraphDescriptors& descriptors, std::span<const graph::Node> train_items);

  /// The further columns of the kernel are the last descriptors; all, if it compares fingerprints.
  void set_kernel(KernelMap kernel) { kernel_ = std::move(kernel); }
  bool has_kernel() const { return kernel_.has_value(); }
  void set_trees(TreeMap trees) { trees_ = std::move(trees); }

  /// [graphs, columns], without columns if there are no descriptors; unknown descriptors are ignored. Throws ModelError
  /// naming what is missing.
  Matrix apply(const Dataset& data) const;
  /// [graphs, descriptors]: all finite, before a kernel or trees is applied.
  Matrix scale(const GraphDescriptors& descriptors) const { return scaler_.apply(descriptors.values); }
  std::size_t columns() const { return kernel_ ? kernel_->columns() : trees_ ? trees_->outputs() : names_.size(); }
  /// Names of the descriptors, before a kernel or trees.
  const std::vector<std::string>& names() const { return names_; }
  /// One line for each descriptor that is a column of `table` and has values far outside of those in training.
  std::vector<std::string> far_notes(const io::NodeTable& table) const;
  /// Calls on_row(row, reason) for each such value.
  void find_unlike(const io::NodeTable& table,
                   const std::function<void(std::size_t row, const std::string& reason)>& on_row) const;
  /// Missing values that were replaced by the mean.
  const std::vector<std::string>& notes() const { return notes_; }

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static DescriptorMap from_json(const json::Value& value);

 private:
  GraphDescriptors find(const Dataset& data) const;

  std::vector<std::string> names_;
  data::ColumnScaler scaler_;
  std::optional<KernelMap> kernel_;
  std::optional<TreeMap> trees_;
  std::vector<std::string> notes_;
};

}  // namespace edgewise::train
