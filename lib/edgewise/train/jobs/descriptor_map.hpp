#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/data/column_scaler.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Numbers that stand beside a graph at its readout: RDKit's descriptors of a molecule, and columns of the user's
/// table.
namespace edgewise::train {

/// What DataConfig::descriptors calls RDKit's descriptors; every other name is a column of the table.
inline constexpr const char* kRdkitDescriptors = "rdkit";

/// Numbers of `count` molecules from `first` on: what DataConfig::descriptors names and there is. RDKit's are NaN where
/// it gives none. Throws DataError, with the line, for a column that holds something other than numbers.
GraphDescriptors describe_molecules(const JobData& rows, std::size_t first, std::size_t count);

/// How the descriptors of graphs become what a model takes. Fitted to the training items, kept in the model file.
class DescriptorMap {
 public:
  /// Throws DataError for a column that is not there, UsageError for one that is to be learnt, or is named twice.
  static DescriptorMap fit(const JobData& data, std::span<const graph::Node> train_items);

  /// [graphs, columns], of no columns where there are no descriptors. Throws ModelError that names what is missing.
  Matrix apply(const JobData& data) const;
  std::size_t columns() const { return names_.size(); }
  /// What is not known, and was taken as the mean.
  const std::vector<std::string>& notes() const { return notes_; }

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static DescriptorMap from_json(const json::Value& value);

 private:
  std::vector<std::string> names_;
  data::ColumnScaler scaler_;
  std::vector<std::string> notes_;
};

}  // namespace edgewise::train
