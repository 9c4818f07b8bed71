#pragma once

#include <string>
#include <vector>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// Measurements of several kinds in one column.
namespace edgewise::train {

/// A remark for each column of the table, such as "Standard Units" or "Standard Type" in exports of ChEMBL, which says
/// that the rows of a regression have values in different units (nM, ug.mL-1) or of different quantities (IC50, Ki).
std::vector<std::string> mixed_measurement_notes(const Dataset& data);

}  // namespace edgewise::train
