#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// Columns that give the label away.
namespace edgewise::train {

/// The table columns that a model sees: not those of labels, splits (`split_columns`, and any called "split"), ignored
/// ones, those that position a node, tokens, and row numbers. None if the nodes have other features. For molecules,
/// their descriptors.
std::vector<const io::Column*> feature_columns(const Dataset& data, const std::vector<std::string>& split_columns = {});

/// One line for each of these that alone tells the label of nearly all rows, for the first few. Such a column is often
/// made from the label, or known only after it. Compared are:
/// - a class with the most frequent one among the other rows with the same value, or with near values of a number;
/// - a target with the mean of the other rows with the same category, or by rank and linear correlation with a number;
/// - both with whether the column has a value at all.
///
/// Columns whose values identify the rows tell nothing. Of the columns of graphs' nodes, those count that have one
/// value per graph. O(columns * rows log rows), with at most 20,000 rows.
std::vector<std::string> leak_warnings(const Dataset& data, const std::vector<std::string>& split_columns = {});

}  // namespace edgewise::train
