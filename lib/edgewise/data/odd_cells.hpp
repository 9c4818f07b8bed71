#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "edgewise/io/node_table.hpp"

/// @file
/// Cells that are not numbers in a column of amounts: one such cell would make classes of all the others.
namespace edgewise::data {

/// What a cell looks like. All but the last count as amounts.
enum class CellKind {
  number,
  bound,          ///< ">5", "<= 0.1", "~3"
  infinite,       ///< "inf", "-Infinity"
  decimal_comma,  ///< "3,14"
  thousands,      ///< "1,500"
  unit,           ///< "1.2 mM", "10.5nM", "95%"
  deviation,      ///< "0.5 ± 0.1"
  range,          ///< "0.5-1.2"; of whole numbers it may be a class
  other,
};

CellKind kind_of_cell(std::string_view text);

/// What to do about a cell that should be a number, after naming it: "which is a bound ...".
std::string advice_on_cell(std::string_view text);

/// The row of the first cell of a column of text that is neither a number nor a bound, or if there is none, of the
/// first bound; the size of the column if all are numbers.
std::size_t first_odd_cell(const io::Column& column);

/// Cells of a column of text that holds amounts.
struct OddCells {
  std::size_t row = 0;      ///< Result of `first_odd_cell`.
  std::size_t numbers = 0;  ///< Cells that are numbers.
  std::size_t known = 0;    ///< Cells that are not missing.
};

/// Nothing for a column of numbers, and for one that may well be of classes: more than half of the known cells are
/// amounts, of which many are different, and not all of them few whole numbers.
std::optional<OddCells> find_odd_cells(const io::Column& column);

/// Throws DataError at the first odd cell, if there is one. `otherwise` says what to do if the column is meant so.
void refuse_odd_cells(const io::NodeTable& table, const io::Column& column, std::string_view otherwise);

}  // namespace edgewise::data
