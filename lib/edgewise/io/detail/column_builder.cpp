#include "edgewise/io/detail/column_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

#include "edgewise/io/category.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

/// New position of each category.
std::vector<std::int32_t> sorted_positions(const graph::NodeNames& categories) {
  std::vector<float> values(categories.size(), 0.0f);
  bool is_all_numbers = true;
  for (graph::Node i = 0; i < categories.size(); ++i)
    is_all_numbers = is_all_numbers && parse_number(categories[i], values[i]) == NumberFault::none;
  std::vector<graph::Node> order(categories.size());
  std::iota(order.begin(), order.end(), graph::Node{0});
  std::sort(order.begin(), order.end(), [&](graph::Node a, graph::Node b) {
    if (is_all_numbers && values[a] != values[b]) return values[a] < values[b];
    return categories[a] < categories[b];
  });
  std::vector<std::int32_t> positions(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = static_cast<std::int32_t>(i);
  return positions;
}

/// Gives truth values that are spelt in several ways the spelling that comes first.
void merge_truths(graph::NodeNames& categories, std::vector<std::int32_t>& codes) {
  constexpr std::size_t kMostSpellings = 32;
  if (categories.size() < 2 || categories.size() > kMostSpellings) return;
  std::vector<std::string> texts;
  for (graph::Node i = 0; i < categories.size(); ++i) texts.emplace_back(categories[i]);
  if (!are_truths(texts)) return;
  graph::NodeNames merged;
  std::vector<std::int32_t> places;
  std::optional<std::string> spelling[2];
  for (const std::string& text : texts) {
    std::optional<std::string>& first = spelling[*parse_truth(text) ? 1 : 0];
    if (!first) first = text;
    places.push_back(static_cast<std::int32_t>(merged.add(*first)));
  }
  for (std::int32_t& code : codes)
    if (code >= 0) code = places[static_cast<std::size_t>(code)];
  categories = std::move(merged);
}

}  // namespace

ColumnBuilder::ColumnBuilder(std::string name, ColumnKind kind, std::span<const std::string> missing)
    : kind_(kind == ColumnKind::verbatim ? ColumnKind::categorical : kind),
      is_numeric_demanded_(kind == ColumnKind::numeric),
      is_verbatim_(kind == ColumnKind::verbatim),
      missing_(missing) {
  column_.name = std::move(name);
  if (kind_ == ColumnKind::categorical) column_.is_numeric = false;
}

void ColumnBuilder::add(std::string_view text, const TextLocation& where) {
  if (must_start_again_) return;
  if (std::find(missing_.begin(), missing_.end(), text) != missing_.end()) return add_marker(text);
  if (kind_ == ColumnKind::categorical) return add_code(text);
  float value = 0.0f;
  const NumberFault fault = parse_number(text, value);
  if (fault == NumberFault::not_a_number && kind_ == ColumnKind::unknown) {
    become_categorical();
    return add_code(text);
  }
  if (fault == NumberFault::not_a_number && !is_numeric_demanded_) {
    must_start_again_ = true;
    return;
  }
  if (fault != NumberFault::none) value = require_number(text, where, column_.name);  // throws
  kind_ = ColumnKind::numeric;
  column_.numbers.push_back(value);
  keep_changed(text, value);
}

void ColumnBuilder::add_number(float value) {
  if (std::isnan(value)) return add_missing();
  kind_ = ColumnKind::numeric;
  column_.numbers.push_back(value);
}

void ColumnBuilder::keep_changed(std::string_view text, float value) {
  constexpr std::size_t kDigitsOfFloat = 7;  // whole numbers of up to seven digits are exact
  if (text.size() < 2 || (text[0] != '0' && text.size() <= kDigitsOfFloat)) return;
  const std::optional<std::uint64_t> number = parse_index(text);
  if (!number) return;
  if (text[0] == '0' && column_.zero_led.empty()) column_.zero_led = text;
  if (column_.rounded.empty() && static_cast<double>(*number) != static_cast<double>(value)) column_.rounded = text;
}

void ColumnBuilder::add_marker(std::string_view text) {
  if (!text.empty() && column_.marked++ == 0) column_.marker = text;
  add_missing();
}

void ColumnBuilder::add_missing() {
  if (must_start_again_) return;
  ++column_.missing;
  if (kind_ == ColumnKind::categorical)
    column_.codes.push_back(-1);
  else
    column_.numbers.push_back(std::numeric_limits<float>::quiet_NaN());
}

void ColumnBuilder::add_code(std::string_view text) {
  if (categories_ == nullptr) categories_ = std::make_unique<graph::NodeNames>();
  column_.codes.push_back(static_cast<std::int32_t>(categories_->add(text)));
}

/// Called only while all rows so far are missing.
void ColumnBuilder::become_categorical() {
  kind_ = ColumnKind::categorical;
  column_.is_numeric = false;
  column_.codes.assign(column_.numbers.size(), -1);
  column_.numbers.clear();
}

Column ColumnBuilder::finish() {
  if (categories_ == nullptr) return std::move(column_);
  if (!is_verbatim_) merge_truths(*categories_, column_.codes);
  const std::vector<std::int32_t> positions = sorted_positions(*categories_);
  column_.categories.resize(positions.size());
  for (graph::Node i = 0; i < positions.size(); ++i)
    column_.categories[static_cast<std::size_t>(positions[i])] = (*categories_)[i];
  for (std::int32_t& code : column_.codes)
    if (code >= 0) code = positions[static_cast<std::size_t>(code)];
  return std::move(column_);
}

}  // namespace edgewise::io::detail
