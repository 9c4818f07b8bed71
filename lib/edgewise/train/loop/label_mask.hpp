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
/// Semi-Supervised Classification", section 3.3): a model sees labels of other nodes, never the one it is asked for.
namespace edgewise::train {

/// The last columns of the features hold labels of training nodes: see jobs/label_input.hpp. In each epoch a share of
/// these nodes, drawn anew, shows its labels; the others are hidden, and the loss is theirs.
struct MaskedLabels {
  std::size_t columns = 0;  ///< 0: there are none.
  double share = 0.5;       ///< Of the training labels that are shown in an epoch, in (0, 1).
  std::vector<graph::Node> known = {};  ///< The nodes that have some; those that are hidden are among them.
};

/// The nodes of `items` whose labels are hidden in an epoch, in ascending order; at least one. The same for the same
/// (seed, epoch), whatever was drawn before.
std::vector<graph::Node> draw_hidden(const MaskedLabels& labels, std::vector<graph::Node> items, std::uint64_t seed,
                                     std::uint64_t epoch);

/// Zeroes the last `columns` columns of some rows of `features`.
void hide_labels(std::span<const graph::Node> rows, std::size_t columns, data::Features& features);

/// Features whose labels are hidden in some rows at a time, at the cost of those rows.
class LabelMask {
 public:
  /// `features` and `sparse`, which is made of them where they are sparse, must outlive this.
  LabelMask(const data::Features& features, const autograd::SparseInput* sparse, std::size_t columns);

  /// Shows the labels of the rows hidden before.
  void hide(std::vector<graph::Node> rows);
  /// The features as they are now. They must not change before the record on the tape is done with.
  nn::NodeRows rows(autograd::Tape& tape) const;

 private:
  void set_sparse(graph::Node row, bool is_shown);

  const data::Features& features_;
  const autograd::SparseInput* sparse_;
  Eigen::Index columns_;
  std::vector<graph::Node> hidden_;
  Matrix dense_;
  std::vector<float> row_values_, column_values_;  // sparse: of the entries of `by_row` and `by_column`
  std::vector<std::uint32_t> places_;              // of each entry of `by_row` in `by_column`
};

}  // namespace edgewise::train
