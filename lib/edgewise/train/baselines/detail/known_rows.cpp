#include "edgewise/train/baselines/detail/known_rows.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/metrics.hpp"

namespace edgewise::train::detail {
namespace {

using graph::Node;

std::vector<Node> known_among(std::span<const Node> candidates, const data::Labels& labels, Eigen::Index output) {
  std::vector<Node> rows;
  for (const Node row : candidates)
    if (labels.has_value(row, output)) rows.push_back(row);
  return rows;
}

void check(std::string_view model, std::size_t rows, const data::Labels& labels, std::span<const Node> used) {
  if (labels.has_classes() && labels.names.size() < 2)
    throw DataError(fmt::format("{}: expected two classes or more, got {}", model, labels.names.size()));
  if (labels.item_count() > rows)
    throw UsageError(fmt::format("{}: {} rows of features, but {} of labels", model, rows, labels.item_count()));
  check_items(model, used, labels.item_count());
}

}  // namespace

std::vector<KnownRows> known_rows(std::string_view model, std::size_t rows, const data::Labels& labels,
                                  std::span<const Node> train, std::span<const Node> validation) {
  check(model, rows, labels, train);
  check(model, rows, labels, validation);
  std::vector<KnownRows> known;
  for (Eigen::Index output = 0; output < labels.target_count(); ++output) {
    known.push_back({output, known_among(train, labels, output), known_among(validation, labels, output)});
    if (known.back().train.empty())
      throw DataError(fmt::format("{}: no training row has a value of \"{}\"", model,
                                  labels.has_classes() ? "the class" : labels.names[static_cast<std::size_t>(output)]));
  }
  return known;
}

std::vector<std::int32_t> classes_of(const data::Labels& labels, Eigen::Index output, std::span<const Node> rows) {
  std::vector<std::int32_t> classes;
  for (const Node row : rows)
    classes.push_back(labels.has_classes() ? labels.classes[row] : labels.targets(row, output) > 0.5F);
  return classes;
}

bool is_binary(const data::Labels& labels) {
  return labels.has_flags() || (labels.has_classes() && labels.names.size() == 2);
}

}  // namespace edgewise::train::detail
