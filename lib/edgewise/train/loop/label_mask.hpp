#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/tape.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// Masked label prediction (Shi et al. 2021, "Masked Label Prediction: Unified Message Passing Model for
/// Semi-Supervised Classification", section 3.3): a model sees labels of other nodes, never the one it must predict.
namespace edgewise::train {

/// The last feature columns hold labels of training nodes: see inputs/label_input.hpp. In each epoch a newly drawn
/// share of these nodes shows its labels; the labels of the others are hidden, and the loss is computed on them.
struct MaskedLabels {
  std::size_t columns = 0;  ///< 0: none.
  double share = 0.5;       ///< Share of the training labels shown in an epoch, in (0, 1).
  std::vector<graph::Node> known = {};  ///< The nodes with label columns; hidden nodes are drawn from them.
};

/// The nodes of `items` whose labels are hidden in an epoch, in ascending order; at least one if there are any. Depends
/// only on (seed, epoch), not on earlier draws.
std::vector<graph::Node> draw_hidden(const MaskedLabels& labels, std::vector<graph::Node> items, std::uint64_t seed,
                                     std::uint64_t epoch);

/// Zeroes the last `columns` columns of some rows of `features`.
void hide_labels(std::span<const graph::Node> rows, std::size_t columns, data::Features& features);

/// Features with labels hidden in some rows at a time; the cost is proportional to those rows.
class LabelMask {
 public:
  /// `features` and `sparse`, which is built from them if they are sparse, must outlive this.
  LabelMask(const data::Features& features, const autograd::SparseInput* sparse, std::size_t columns);

  /// Hides the labels of `rows` and shows those hidden before.
  void hide(std::vector<graph::Node> rows);
  /// The current features. They must not change while the tape refers to them.
  nn::NodeRows rows(autograd::Tape& tape) const;

 private:
  void set_sparse(graph::Node row, bool is_shown);

  const data::Features& features_;
  const autograd::SparseInput* sparse_;
  Eigen::Index columns_;
  std::vector<graph::Node> hidden_;
  Matrix dense_;
  std::vector<float> row_values_, column_values_;  // sparse: values of `by_row` and `by_column`
  std::vector<std::uint32_t> places_;              // for each entry of `by_row`, its position in `by_column`
};

}  // namespace edgewise::train
