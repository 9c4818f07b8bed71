#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/nn/block.hpp"

namespace edgewise::train {

/// Rows of features that a step takes; their memory can be used again.
struct TakenRows {
  std::span<const graph::Node> nodes;
  std::vector<float> dense;  ///< Row by row, if labels are hidden in them.
  std::unique_ptr<autograd::SparseInput> sparse;
};

/// The features of the nodes of one graph, of which a step takes some rows. Known labels in the last `label_columns`
/// columns can be hidden for some nodes. `features` must outlive this.
class RowSource {
 public:
  RowSource(const data::Features& features, std::size_t label_columns);

  /// Hides the labels of these nodes, and shows those of all others.
  void hide(std::span<const graph::Node> nodes);
  /// `nodes` must outlive the rows. Dense rows are not copied here, unless labels can be hidden: a step reads them in
  /// the table, or copies those that it needs.
  void take(std::span<const graph::Node> nodes, TakenRows& rows) const;
  /// `rows` must outlive the tape's record.
  nn::NodeRows on(autograd::Tape& tape, const TakenRows& rows) const;

 private:
  bool hides(graph::Node node) const { return !is_hidden_.empty() && is_hidden_[node]; }
  void take_dense(std::span<const graph::Node> nodes, std::vector<float>& rows) const;
  SparseMatrix sparse_rows(std::span<const graph::Node> nodes) const;

  const data::Features& features_;
  std::size_t label_columns_;
  std::vector<bool> is_hidden_;  // per node; empty without labels among the features
};

}  // namespace edgewise::train
