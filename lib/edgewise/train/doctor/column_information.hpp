#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// Which columns say nothing about the label.
namespace edgewise::train {

/// The columns of the node table, apart from labels, that say no more about the classes or the numbers to be learnt
/// than chance would: a chi-squared test of the table of their values and the classes, where numbers are taken in
/// tenths of the nodes. A column may still be of use together with others. Empty if fewer than 100 nodes have a label,
/// or if a node may have several.
std::vector<std::string> columns_without_information(const Dataset& data);

/// A sentence about them; "" if there are none.
std::string information_warning(const std::vector<std::string>& columns);

}  // namespace edgewise::train
