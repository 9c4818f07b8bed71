#pragma once

#include <optional>
#include <span>
#include <string>

/// @file
/// Categories that are numbers in another writing than ours.
namespace edgewise::train {

/// Numbers with a unit or another sign, such as "45%", "$1,200.00", "1.234,56 €" or "12 kg".
struct WrittenNumbers {
  std::string with;     ///< "\"$\" and commas between thousands"
  std::string example;  ///< "$1,200.00"
  std::string plain;    ///< "1200.00"
};

/// Nothing unless more than half of the categories are numbers with the same sign.
std::optional<WrittenNumbers> written_numbers(std::span<const std::string> categories);

/// Lists of numbers in a cell each, such as "0.1, 0.2" or "[3 1 4]".
struct NumberLists {
  std::size_t length;   ///< Of the first.
  std::string example;
};

/// Nothing unless more than half of the categories are such lists.
std::optional<NumberLists> number_lists(std::span<const std::string> categories);

}  // namespace edgewise::train
