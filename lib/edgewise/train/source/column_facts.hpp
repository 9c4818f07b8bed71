#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "edgewise/io/column.hpp"
#include "edgewise/train/source/value_lists.hpp"
#include "edgewise/train/source/written_numbers.hpp"

namespace edgewise::train {

/// What was read of a column of nodes, graphs or edges.
struct ColumnFacts {
  std::string name;
  bool is_numeric = true;
  std::uint64_t missing = 0;
  bool is_empty = false;     ///< No value is known.
  bool is_constant = false;  ///< All known values are equal, or none is known.
  std::uint64_t categories = 0;
  std::uint64_t numeric_categories = 0;  ///< Number of categories that are numbers.
  std::uint64_t decimal_commas = 0;      ///< Number of categories that are numbers with a decimal comma.
  std::uint64_t thousands = 0;           ///< Number of categories that are numbers with commas between thousands.
  std::optional<WrittenNumbers> written;    ///< If most categories are numbers with units and the like.
  std::optional<NumberLists> number_lists;  ///< If most categories are lists of numbers.
  std::uint64_t dates = 0;               ///< Number of categories that look like 2024-03-31, 31.3.2024 or 3/31/2024.
  std::string first_text;                ///< The first value that is not a number.
  std::uint64_t first_text_line = 0;     ///< Its line; 0 if unknown.
  bool counts_rows = false;              ///< See io::counts_rows.
  bool is_unnamed_index = false;         ///< See io::is_unnamed_index.
  bool is_label = false;                 ///< It is to be learnt, so it cannot be left out.
  bool is_placing = false;               ///< It positions a node, see Collection::placing: it is no feature.
  std::string zero_led;                  ///< See io::Column::zero_led.
  std::string rounded;                   ///< See io::Column::rounded.
  std::uint64_t marked = 0;              ///< See io::Column::marked.
  std::string marker;                    ///< See io::Column::marker.
  std::optional<ValueLists> lists;       ///< If its categories look like lists.
  bool is_of_edges = false;              ///< It belongs to the edges, not to the nodes.
  std::string numbered_by;               ///< The column of row numbers that names the nodes; this one could as well.
  double smallest = 0;  ///< For a numeric column with a known value.
  double largest = 0;
  double mean = 0;
};

/// `lines`: those of the rows, if known.
ColumnFacts column_facts(const io::Column& column, std::span<const std::uint64_t> lines = {});

}  // namespace edgewise::train
