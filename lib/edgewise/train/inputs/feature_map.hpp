#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_encoder.hpp"
#include "edgewise/train/baselines/tree_map.hpp"
#include "edgewise/train/inputs/edge_evidence.hpp"
#include "edgewise/train/inputs/kind_map.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Trees and the kind of rows they predict from.
struct FeatureTrees {
  enum class Rows {
    nodes,       ///< data::own_columns
    neighbours,  ///< data::columns_with_neighbours
    graphs,      ///< data::node_statistics of these, if whole graphs have the labels.
    edges,       ///< data::columns_with_neighbours and data::columns_of_edges
  };

  TreeMap trees;
  Rows rows;
};

/// The input of the trees: [nodes, ...], or [graphs, ...].
SparseMatrix tree_rows(const Dataset& data, const data::Features& features, FeatureTrees::Rows rows);

/// Neighbouring columns of a feature matrix that encode one thing, such as the categories of one column of a table.
struct FeatureColumns {
  std::string name;
  Eigen::Index first = 0;
  Eigen::Index count = 1;
};

/// Maps the data of a job to a model's feature matrix. Fitted to the training nodes, stored in the model file. Edges
/// with labels have the numbers of EdgeEvidence after the columns of their table. With
/// trees, the features are the trees' predictions for each node, or for its graph.
class FeatureMap {
 public:
  enum class Kind {
    ready,     ///< The features as read.
    table,     ///< Columns of the node table through a NodeEncoder.
    kinds,     ///< Columns of the tables of several kinds, or their names, through a KindMap.
    identity,  ///< Nodes have no features: each is its own feature, found by its name, plus its degree.
  };

  /// Uses ready features if there are any; else the table's columns except labels, splits and ignored ones; else the
  /// nodes' identities. Encodings, if any, come last. They are fitted to the training items of `split`, which was made
  /// as `config` says. A frozen network has its map. `has_words`: of several kinds of nodes, see KindMap. Throws
  /// UsageError if an ignored column does not exist.
  static FeatureMap fit(const Dataset& data, const SplitConfig& config, const data::Split& split,
                        bool has_words = false);

  /// The nodes' identities, whatever features there are. Encodings come last.
  static FeatureMap identity(const Dataset& data);

  void set_trees(FeatureTrees trees) { trees_ = std::move(trees); }

  /// The trees' predictions for `rows` (see tree_rows): one row per node.
  data::Features tree_outputs(const Dataset& data, const SparseMatrix& rows) const;

  /// The feature matrix of `data`, rows in its node order. Throws ModelError naming what does not fit: a missing
  /// column, a different number of features. `notes`, if set, receives remarks for the user.
  data::Features apply(const Dataset& data, std::vector<std::string>* notes = nullptr) const;

  /// The same before trees, which `through_trees` applies to rows of it: `data` has the graph and the offsets.
  data::Features own(const Dataset& data, std::vector<std::string>* notes = nullptr) const;
  data::Features through_trees(const Dataset& data, data::Features own) const;
  bool has_trees() const { return trees_.has_value(); }
  bool sees_edge_features() const { return trees_ && trees_->rows == FeatureTrees::Rows::edges; }
  /// Of features that were made by `own`, of several kinds of nodes the columns of their tables alone; else all.
  data::Features of_tables(const data::Features& made) const;
  /// What the columns of `own` are: columns of the table, single ready columns (called "1", "2", ... without names),
  /// and "encodings". The identities of nodes are not among them.
  std::vector<FeatureColumns> own_names(const Dataset& data) const;

  /// Calls on_node(node, reason) for each node unlike those of training by its features; see NodeEncoder::find_unlike.
  void find_unlike(const Dataset& data,
                   const std::function<void(std::size_t node, const std::string& reason)>& on_node) const;

  Kind kind() const { return kind_; }
  bool has_words() const { return kinds_.has_words(); }
  std::size_t columns() const;
  /// Number of ready features when this was fitted; 0 if there were none.
  std::size_t ready_columns() const { return ready_columns_; }
  /// The node table columns in use.
  std::vector<std::string> table_columns() const { return encoder_.table_columns(); }
  /// Those of them that are not numeric.
  std::vector<std::string> text_columns() const { return encoder_.text_columns(); }
  /// Columns dropped in fitting, with reasons.
  std::vector<std::string> notes() const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static FeatureMap from_json(const json::Value& value);

 private:
  std::size_t own_columns() const;  // before trees
  /// Throws ModelError unless its features were made by this.
  void check_frozen(const data::FrozenNetwork& network) const;
  data::Features frozen_features(const data::FrozenNetwork& network) const;
  data::Features apply_to_table(const Dataset& data, std::vector<std::string>* notes) const;
  data::Features of_edges(const Dataset& data, std::vector<std::string>* notes) const;

  Kind kind_ = Kind::ready;
  std::size_t ready_columns_ = 0;
  std::size_t encoding_columns_ = 0;
  data::NodeEncoder encoder_;  // of several kinds that of the items
  KindMap kinds_;
  graph::NodeNames names_;  // identity
  bool has_degree_ = false;  // identity, unless the degree is among the encodings
  std::optional<EdgeEvidence> evidence_;  // if edges have the labels
  std::optional<FeatureTrees> trees_;
};

}  // namespace edgewise::train
