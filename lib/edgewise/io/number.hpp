#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "edgewise/core/error.hpp"

namespace edgewise::io {

enum class NumberFault { none, not_a_number, too_large };

/// Reads the whole of `text` as a decimal number: "3", "-0.5", "+1e-3". Neither blanks, nor hexadecimal, nor "inf" and
/// "nan" are numbers. What is too small for a float becomes 0; what is beyond its range (3.4e38) is `too_large`.
NumberFault parse_number(std::string_view text, float& value);

/// Whether it is meant as a number, within the range of a float or not.
bool is_number(std::string_view text);

/// The number, or a DataError at `where`: column "age": expected a number, got "tall".
float require_number(std::string_view text, const TextLocation& where, std::string_view column);
/// The same for millions of rows: a place is made only for the message.
float require_number(std::string_view text, const std::string& path, std::uint64_t line, std::string_view column);

/// Decimal digits only, of at most 64 bits; nothing otherwise.
std::optional<std::uint64_t> parse_index(std::string_view text);

}  // namespace edgewise::io
