#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/node_table.hpp"

/// @file
/// Several labels in one cell, such as "sports;politics".
namespace edgewise::data {

/// What stands between separators in a text, without the blanks around it; also what is empty. Of a list as programs
/// write it, such as "['a', 'b c']", without brackets and quotes.
std::vector<std::string_view> list_entries(std::string_view text, std::string_view separator);

/// Replaces a column of lists by one column of 0 and 1 for each label, called as the label: those in `known`, or, if it
/// is empty, all that occur, bytewise ascending. Blanks around labels, and empty entries, do not count: a cell that
/// holds nothing but separators has no label, and one that is missing is unknown. Returns the labels. Throws DataError
/// with the line for a label that is not among those known, and for one that has the name of another column; the table
/// then stays as it is.
std::vector<std::string> split_label_lists(std::string_view column, std::string_view separator,
                                           std::span<const std::string> known, io::NodeTable& table);

}  // namespace edgewise::data
