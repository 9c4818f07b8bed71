#pragma once

#include <functional>
#include <span>

#include "edgewise/data/node_data.hpp"
#include "edgewise/train/baselines/tree_map.hpp"

namespace edgewise::train {

struct BoostedTreesOptions {
  /// Not 0: a random forest (Breiman 2001) of this many trees in place of boosting. Each is grown on a draw of the
  /// rows, looks at `column_share` of the columns (or the square root of their number, if that is 0) for each split,
  /// and their mean is the output. Nothing is selected on validation rows.
  std::size_t forest = 0;
  double leaf_rows = 1;  ///< Of a forest: the least number of rows in a leaf.
  std::size_t max_rounds = 1000;  ///< Also limited to 20,000 trees in all.
  /// Upper bound on stored training entries times trees grown in one fit; 50 rounds are always allowed. 0: no bound.
  std::size_t max_entries = 0;
  std::size_t patience = 50;       ///< Stop after this many rounds without a smaller validation loss.
  /// Rounds for an output without known validation rows.
  std::size_t unjudged_rounds = 100;
  double learning_rate = 0.05;
  int depth = 6;
  int bins = 256;          ///< Histogram bins per column; trees split at their bounds.
  double row_share = 0.8;     ///< Share of the rows drawn for each tree.
  double column_share = 0.3;  ///< Share of the columns drawn for each tree.
  /// Columns drawn for each tree, if that is more: a tree of a single column sees no interaction.
  std::size_t min_columns = 20;
  /// Not 0: so many rows that follow each other, of training as of validation, compete. The first of them is to have
  /// the largest output: the loss is -log of its share in the softmax over them (Cao et al. 2007, ListNet, with one
  /// relevant row). For a single label; its values are not looked at, and outputs are no logits. Boosting only.
  std::size_t competing_rows = 0;
  std::function<bool()> should_stop = {};  ///< Called after each round, from any thread; true ends training there.
};

/// Gradient-boosted trees (Friedman 2001) on `features` [rows, columns], by XGBoost (Chen and Guestrin 2016) with
/// histograms:
/// - regression: squared error, each target separately over the rows where it is known;
/// - classification: -log p(class), with one tree per round for two classes, else one per class;
/// - multi-label: binary classification of each label separately, over the rows where it is known.
///
/// Of a forest with classes, the mean share p of a class in the leaves becomes a logit to first order around the share
/// among all rows, which ranks as p does.
///
/// Rows count by Labels::weights. Entries that are not stored are missing, not 0. Each fit keeps the rounds up to the
/// lowest loss over the known `validation` rows.
///
/// The outputs are values in the user's units, or logits; their softmax (sigmoids for several labels) gives the
/// probabilities. With two classes the first has logit 0. The trees are the same at any number of threads; threads work
/// on different outputs. Throws UsageError if rows and labels differ in number or a row is out of range, DataError if
/// an output has no known training label, NumericalError if the loss becomes non-finite.
TreeMap fit_boosted_trees(const SparseMatrix& features, const data::Labels& labels, std::span<const graph::Node> train,
                          std::span<const graph::Node> validation, const BoostedTreesOptions& options = {});

}  // namespace edgewise::train
