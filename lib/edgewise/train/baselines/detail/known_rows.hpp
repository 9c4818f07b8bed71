#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"

/// @file
/// What one fit of a baseline learns from: all classes together, or one label or target by itself.
namespace edgewise::train::detail {

/// The rows of a split where an output is known; where the class is, in a classification.
struct KnownRows {
  Eigen::Index output = 0;
  std::vector<graph::Node> train = {}, validation = {};
};

/// One for each fit. Throws UsageError, which begins with `who`, when `rows` are not those of the labels or a row is
/// out of range; DataError when no training row of an output is known.
std::vector<KnownRows> known_rows(std::string_view who, std::size_t rows, const data::Labels& labels,
                                  std::span<const graph::Node> train, std::span<const graph::Node> validation);

/// Of the rows: the class, or whether they have the label.
std::vector<std::int32_t> classes_of(const data::Labels& labels, Eigen::Index output,
                                     std::span<const graph::Node> rows);

/// Whether one logit is enough.
bool is_binary(const data::Labels& labels);

}  // namespace edgewise::train::detail
