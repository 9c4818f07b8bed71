#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/train/baselines/tree_map.hpp"
#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::train {

/// `added` behind the columns of `features`, dense or sparse.
void append_columns(const Matrix& added, data::Features& features);
void append_columns(const Matrix& added, Matrix& to);

/// Columns of the node table that are no features: labels, splits, ignored ones, and those that say where a node is.
/// Throws as FeatureMap::fit.
std::vector<std::string> excluded_columns(const JobData& data, const DataConfig& config,
                                          const std::string& split_column);

/// Trees, and what they are asked about.
struct FeatureTrees {
  enum class Rows {
    nodes,       ///< data::own_columns
    neighbours,  ///< data::columns_with_neighbours
    graphs,      ///< data::node_statistics of these, where whole graphs are asked about.
  };

  TreeMap trees;
  Rows rows;
};

/// What is asked about: [nodes, ...], or [graphs, ...].
SparseMatrix tree_rows(const JobData& data, const data::Features& features, FeatureTrees::Rows rows);

/// How the data of a job becomes the feature matrix of a model. Fitted to the training nodes, kept in the model file.
/// With trees it is what these say of each node, or of its graph.
class FeatureMap {
 public:
  enum class Kind {
    ready,     ///< The features as they were read.
    table,     ///< Columns of the node table through a NodeEncoder.
    identity,  ///< Nothing is known of the nodes: each is its own feature, found by its name, beside its degree.
  };

  /// Encodings, where there are some, stand behind all else. Ready features where there are some, else the table's
  /// columns that are no label, no split and not ignored; when nothing is left, the nodes' identities. Throws
  /// UsageError for an ignored column that is not there.
  static FeatureMap fit(const JobData& data, const DataConfig& config, const std::string& split_column,
                        std::span<const graph::Node> train_items);

  void set_trees(FeatureTrees trees) { trees_ = std::move(trees); }

  /// Predictions of the trees for `rows`, those of tree_rows: one row per node.
  data::Features ask_trees(const JobData& data, const SparseMatrix& rows) const;

  /// The matrix of `data`, rows in its node order. Throws ModelError naming what does not fit: a missing column,
  /// another number of features. `notes`, when set, gets what a person should know.
  data::Features apply(const JobData& data, std::vector<std::string>* notes = nullptr) const;

  Kind kind() const { return kind_; }
  std::size_t columns() const;
  /// Of the features that were ready when this was fitted; 0 where none were.
  std::size_t ready_columns() const { return ready_columns_; }
  /// The columns of the node table that are looked at.
  std::vector<std::string> table_columns() const { return encoder_.table_columns(); }
  /// Columns that were left out when fitting, and why.
  std::vector<std::string> notes() const;

  json::Value to_json() const;
  /// Throws ModelError when `value` was not made by `to_json`.
  static FeatureMap from_json(const json::Value& value);

 private:
  std::size_t own_columns() const;  // before trees
  data::Features apply_to_table(const JobData& data, std::vector<std::string>* notes) const;

  Kind kind_ = Kind::ready;
  std::size_t ready_columns_ = 0;
  std::size_t encoding_columns_ = 0;
  data::NodeEncoder encoder_;
  graph::NodeNames names_;  // identity
  bool has_degree_ = false;  // identity, unless the degree is among the encodings
  std::optional<FeatureTrees> trees_;
};

}  // namespace edgewise::train
