#pragma once

#include <functional>
#include <span>

#include "edgewise/data/node_data.hpp"
#include "edgewise/train/baselines/tree_map.hpp"

namespace edgewise::train {

struct BoostedTreesOptions {
  std::size_t most_rounds = 1000;  ///< And no more than give 20,000 trees in all.
  /// Upper bound on the stored training entries times the trees grown in one fit; 50 rounds are always allowed. 0: no
  /// bound.
  std::size_t most_entries = 0;
  std::size_t patience = 50;       ///< Rounds without a smaller validation loss, after which no more are made.
  /// Where no validation row of an output is known.
  std::size_t unjudged_rounds = 100;
  double learning_rate = 0.05;
  int depth = 6;
  int bins = 256;          ///< Of the histogram of a column; trees split at their bounds.
  double row_share = 0.8;     ///< Of the rows, drawn for each tree.
  double column_share = 0.3;  ///< Of the columns, likewise.
  std::function<bool()> should_stop = {};  ///< Asked after each round, by any thread; true ends the fits there.
};

/// Gradient-boosted trees (Friedman 2001) on `features` [rows, columns], by XGBoost (Chen and Guestrin 2016) with
/// histograms:
/// - regression: squares, for each target by itself over the rows where it is known;
/// - classification: -log p(class), one tree a round for two classes, else one for each;
/// - multi-label: the same with two classes for each label by itself, over the rows where it is known.
/// Entries that are not stored are missing, not 0. Of each fit those rounds are kept up to which the loss over the
/// known `validation` rows was least.
///
/// Outputs of the result are values in the user's units, or logits whose softmax (of several labels: sigmoids) are
/// probabilities; of two classes the first has the logit 0. The same trees at any number of threads, which share the
/// outputs out among them. Throws UsageError when rows and labels differ in number or a row is out of range, DataError
/// when an output has no known training label, NumericalError when the loss leaves the finite numbers.
TreeMap fit_boosted_trees(const SparseMatrix& features, const data::Labels& labels, std::span<const graph::Node> train,
                          std::span<const graph::Node> validation, const BoostedTreesOptions& options = {});

}  // namespace edgewise::train
