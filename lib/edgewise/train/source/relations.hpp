#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"


/// @file
/// Columns that say whether a measurement is exact or a bound, such as ChEMBL's "Standard Relation".
namespace edgewise::train {

/// A note if a column of the items' table holds nothing but =, <, >, <=, >=, ~ and the like (also in quotes), and marks
/// values to be learnt as bounds. Only in regression.
std::vector<std::string> relation_notes(const JobData& data);

}  // namespace edgewise::train
