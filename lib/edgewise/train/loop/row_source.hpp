#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// Rows of features that a step takes; their memory can be used again.
struct TakenRows {
  std::span<const graph::Node> nodes;
  std::vector<float> dense;  ///< Row by row, if labels are hidden in them, or they come from a file.
  std::unique_ptr<autograd::SparseInput> sparse;
};

/// The features of the nodes of one network, of which a step takes some rows.
class RowSource {
 public:
  virtual ~RowSource() = default;
  /// Hides the labels of these nodes, and shows those of all others, if there are any.
  virtual void hide(std::span<const graph::Node>) {}
  /// `nodes` must outlive the rows.
  virtual void take(std::span<const graph::Node> nodes, TakenRows& rows) const = 0;
  /// `rows` must outlive the tape's record.
  virtual nn::NodeRows on(autograd::Tape& tape, const TakenRows& rows) const = 0;
};

/// Features in memory. Known labels in the last `label_columns` columns can be hidden for some nodes. `features` must
/// outlive this.
class TableRows : public RowSource {
 public:
  TableRows(const data::Features& features, std::size_t label_columns);

  void hide(std::span<const graph::Node> nodes) override;
  /// Dense rows are not copied here, unless labels can be hidden: a step reads them in the table, or copies those that
  /// it needs.
  void take(std::span<const graph::Node> nodes, TakenRows& rows) const override;
  nn::NodeRows on(autograd::Tape& tape, const TakenRows& rows) const override;

 private:
  bool hides(graph::Node node) const { return !is_hidden_.empty() && is_hidden_[node]; }
  void take_dense(std::span<const graph::Node> nodes, std::vector<float>& rows) const;
  SparseMatrix sparse_rows(std::span<const graph::Node> nodes) const;

  const data::Features& features_;
  std::size_t label_columns_;
  std::vector<bool> is_hidden_;  // per node; empty without labels among the features
};

/// Features in a frozen network, which must outlive this.
class FrozenRows : public RowSource {
 public:
  explicit FrozenRows(const data::FrozenNetwork& network);

  /// Those of some nodes, without the names of the columns.
  data::Features features_of(std::span<const graph::Node> nodes) const;
  void take(std::span<const graph::Node> nodes, TakenRows& rows) const override;
  nn::NodeRows on(autograd::Tape& tape, const TakenRows& rows) const override;

 private:
  void copy_dense(std::span<const graph::Node> nodes, float* rows) const;
  SparseMatrix sparse_rows(std::span<const graph::Node> nodes) const;

  const data::FrozenNetwork& network_;
  std::vector<data::FrozenFeatures> parts_;
};

}  // namespace edgewise::train
