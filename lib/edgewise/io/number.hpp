#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "edgewise/core/error.hpp"

namespace edgewise::io {

enum class NumberFault { none, not_a_number, too_large };

/// Parses all of `text` as a decimal number: "3", "-0.5", "+1e-3". Spaces, hexadecimal, "inf" and "nan" are rejected.
/// Values too small for the type become 0; values beyond its range (float: 3.4e38) are `too_large`.
NumberFault parse_number(std::string_view text, float& value);
NumberFault parse_number(std::string_view text, double& value);

/// Whether the text is written as a number, even if it is out of range for a float.
bool is_number(std::string_view text);

/// The number, or a DataError at `where`: column "age": expected a number, got "tall".
float require_number(std::string_view text, const TextLocation& where, std::string_view column);
/// The same for millions of rows: the location is only built for the message.
float require_number(std::string_view text, const std::string& path, std::uint64_t line, std::string_view column);

/// Parses decimal digits that fit in 64 bits; otherwise returns nothing.
std::optional<std::uint64_t> parse_index(std::string_view text);

/// Whether a whole number would be written in another way after it was a float: "007", "16777217".
bool changes_as_float(std::string_view text);

/// "3,14": a number with a single comma as its decimal point.
bool has_decimal_comma(std::string text);

/// "1,500" or "12,345,678.9": a number with commas between thousands. "0,500" is none: its comma is a decimal one.
bool has_thousands(std::string_view text);

}  // namespace edgewise::io
