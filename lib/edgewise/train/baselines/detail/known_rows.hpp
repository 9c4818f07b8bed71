#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"

/// @file
/// The training data of one fit of a baseline: all classes together, or one label or target by itself.
namespace edgewise::train::detail {

/// The rows of a split in which an output is known; in classification, in which the class is known.
struct KnownRows {
  Eigen::Index output = 0;
  std::vector<graph::Node> train = {}, validation = {};
};

/// One per fit. Throws UsageError, starting with `model`, if `rows` does not match the labels or a row is out of range;
/// DataError if an output has no known training row.
std::vector<KnownRows> known_rows(std::string_view model, std::size_t rows, const data::Labels& labels,
                                  std::span<const graph::Node> train, std::span<const graph::Node> validation);

/// For each row: the class, or whether it has the label.
std::vector<std::int32_t> classes_of(const data::Labels& labels, Eigen::Index output,
                                     std::span<const graph::Node> rows);

/// Whether a single logit is enough.
bool is_binary(const data::Labels& labels);

}  // namespace edgewise::train::detail
