#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/column_scaler.hpp"
#include "edgewise/train/baselines/kernel_map.hpp"
#include "edgewise/train/baselines/tree_map.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Numbers that stand beside a graph at its readout: RDKit's descriptors of a molecule, and columns of the user's
/// table.
namespace edgewise::train {

/// What DataConfig::descriptors calls RDKit's descriptors; every other name is a column of the table.
inline constexpr const char* kRdkitDescriptors = "rdkit";

/// Columns of the fingerprints that baselines and their models compare molecules by: hardly any two substructures share
/// one.
inline constexpr std::size_t kFingerprintColumns = std::size_t{1} << 20;

/// Columns of the fingerprints that trees ask for: few, so that each is asked for often enough to learn from.
inline constexpr std::size_t kTreeFingerprintColumns = 2048;

/// Whether RDKit's descriptors are among those that the configuration names.
bool wants_rdkit(const DataConfig& config);

/// Numbers of `count` molecules from `first` on: what DataConfig::descriptors names and there is; `rdkit` are those of
/// RDKit, where they are wanted. Throws DataError, with the line, for a column that holds something other than numbers.
GraphDescriptors describe_molecules(const JobData& rows, std::size_t first, std::size_t count, const Matrix& rdkit);

/// RDKit's descriptors of molecules, NaN where it gives none. Computed once.
const GraphDescriptors& rdkit_descriptors(const GraphItems& molecules);

/// What trees ask for: scaled descriptors [rows, descriptors], and behind them counted fingerprints of `smiles`.
SparseMatrix tree_features(const Matrix& scaled, std::span<const std::string> smiles);

/// How the descriptors of graphs become what a model takes. Fitted to the training items, kept in the model file.
/// With a kernel these are the likenesses of molecules to some of the training, of their descriptors or of their
/// fingerprints; with trees, what these say of both.
class DescriptorMap {
 public:
  /// Throws DataError for a column that is not there, UsageError for one that is to be learnt, or is named twice.
  static DescriptorMap fit(const JobData& data, std::span<const graph::Node> train_items);
  static DescriptorMap fit(const GraphDescriptors& descriptors, std::span<const graph::Node> train_items);

  void set_kernel(KernelMap kernel) { kernel_ = std::move(kernel); }
  void set_trees(TreeMap trees) { trees_ = std::move(trees); }

  /// [graphs, columns], of no columns where there are no descriptors; those that this does not know are passed over.
  /// Throws ModelError that names what is missing.
  Matrix apply(const JobData& data) const;
  /// [graphs, descriptors]: all finite, before a kernel or trees.
  Matrix scale(const GraphDescriptors& descriptors) const { return scaler_.apply(descriptors.values); }
  std::size_t columns() const { return kernel_ ? kernel_->columns() : trees_ ? trees_->outputs() : names_.size(); }
  /// Of the descriptors, before a kernel or trees.
  const std::vector<std::string>& names() const { return names_; }
  /// What is not known, and was taken as the mean.
  const std::vector<std::string>& notes() const { return notes_; }

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static DescriptorMap from_json(const json::Value& value);

 private:
  GraphDescriptors find(const JobData& data) const;

  std::vector<std::string> names_;
  data::ColumnScaler scaler_;
  std::optional<KernelMap> kernel_;
  std::optional<TreeMap> trees_;
  std::vector<std::string> notes_;
};

}  // namespace edgewise::train
