#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/train/source/column_facts.hpp"

/// @file
/// What looks wrong in a column. The columns of edges are looked at while they are read, before their numbers are
/// scaled, those of nodes and graphs by the doctor (doctor/data_warnings.hpp).
namespace edgewise::train {

/// The name as one would type it: in quotes if a shell would split it.
std::string as_argument(const std::string& name);

/// What the user should know about how a column of `rows` rows was interpreted, in one sentence; "" if all looks right.
std::string column_type_warning(const ColumnFacts& column, std::uint64_t rows);

/// What the user should check about columns of `rows` rows, one sentence each; empty if all looks right.
std::vector<std::string> column_warnings(const std::vector<ColumnFacts>& columns, std::uint64_t rows);

}  // namespace edgewise::train
