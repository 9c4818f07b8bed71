#pragma once

#include <optional>
#include <string_view>

#include "edgewise/io/node_table.hpp"

/// @file
/// Measurements of which only a bound is known, such as a solubility below the detection limit.
namespace edgewise::data {

/// What a sign such as <, <=, << or ≤ says about a value: 1 if the number beside it is a lower bound, -1 if it is an
/// upper one, 0 for =, ~ and the like. Quotes around it do not count: ChEMBL writes '>'. Nothing for any other text.
std::optional<int> parse_relation(std::string_view text);

/// A text that begins with such a sign: what it says, and what follows, without blanks. Nothing for any other text.
struct Related {
  int relation = 0;  ///< As `parse_relation`.
  std::string_view rest;
};
std::optional<Related> parse_related(std::string_view text);

/// Whether all texts of a column are relations (`parse_relation`), and some of them bounds.
bool marks_bounds(const io::Column& column);

/// Makes a column of text with cells such as ">5" and "<= 0.1" one of numbers with Column::bounds. False, and the
/// column stays as it is, if a cell is neither a number nor a bound, or if none is a bound.
bool take_bounds(io::Column& column);

/// Gives a column of numbers the bounds that a column of relations marks.
void take_bounds(const io::Column& relations, io::Column& column);

}  // namespace edgewise::data
