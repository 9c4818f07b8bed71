#include "edgewise/data/node_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/moments.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/io/category.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::data {
namespace {

using Part = NodeEncoder::Part;

/// Of two values the logarithm says no more than the values.
bool are_two_values(std::span<const double> sorted) {
  return std::ranges::all_of(sorted, [&](double value) { return value == sorted.front() || value == sorted.back(); });
}

/// The distance between the quartiles; if most values are the median, the median distance of the others to it.
double spread_of(std::span<const double> sorted) {
  const std::size_t count = sorted.size();
  if (const double spread = sorted[3 * count / 4] - sorted[count / 4]; spread > 0) return spread;
  const double median = sorted[count / 2];
  std::vector<double> distances;
  for (const double value : sorted)
    if (value != median) distances.push_back(std::abs(value - median));
  std::ranges::sort(distances);
  return distances[distances.size() / 2];
}

/// Nothing unless the tails are heavy.
std::optional<NodeEncoder::Logarithm> fit_logarithm(std::vector<double> values, const Moments& moments) {
  if (kurtosis(values, moments) <= kHeavyTails) return {};
  std::ranges::sort(values);
  if (are_two_values(values)) return {};
  NodeEncoder::Logarithm logarithm{.median = values[values.size() / 2], .spread = spread_of(values)};
  for (double& value : values) value = logarithm.of(value);
  const Moments of_logarithms = moments_of(values);
  logarithm.mean = of_logarithms.mean;
  logarithm.deviation = of_logarithms.deviation;
  return logarithm;
}

/// Fits a numeric column, with a note if part of it is dropped or added.
Part fit_numbers(const io::Column& column, std::span<const graph::Node> rows, std::string& note) {
  std::vector<double> values;
  for (const graph::Node row : rows)
    if (!std::isnan(column.numbers[row])) values.push_back(column.numbers[row]);
  const Moments moments = moments_of(values);
  Part part{.column = column.name, .mean = moments.mean};
  part.has_missing = !values.empty() && values.size() < rows.size();
  // Smaller deviations are just rounding errors of the mean.
  part.has_value = moments.deviation > 1e-7 * std::abs(part.mean) && moments.deviation > 0;
  if (part.has_value) {
    part.deviation = moments.deviation;
    part.range = ValueRange::fit(values);
    part.logarithm = fit_logarithm(values, moments);
    if (part.logarithm)
      note = fmt::format("column \"{}\" has a few values far from all others: its logarithm is a feature, too",
                         column.name);
    return part;
  }
  note = values.empty() ? fmt::format("column \"{}\" has no value in the training rows: left out", column.name)
                    : fmt::format("column \"{}\" is always {} in the training rows: left out", column.name,
                                  static_cast<float>(part.mean));
  return part;
}

Part fit_categories(const io::Column& column, std::span<const graph::Node> rows, std::size_t maximal_categories,
                    std::string& note) {
  Part part;
  part.column = column.name;
  part.is_numeric = false;
  std::vector<bool> occurs(column.categories.size(), false);
  for (const graph::Node row : rows) {
    if (column.codes[row] < 0)
      part.has_missing = true;
    else
      occurs[static_cast<std::size_t>(column.codes[row])] = true;
  }
  for (std::size_t c = 0; c < occurs.size(); ++c)
    if (occurs[c]) part.categories.push_back(column.categories[c]);
  if (part.categories.size() > maximal_categories) {
    note = fmt::format("column \"{}\" has {} categories, more than {}: left out", column.name, part.categories.size(),
                       maximal_categories);
    part.categories.clear();
    part.has_missing = false;
  } else if (part.width() == 1) {
    note = fmt::format("column \"{}\" is always \"{}\" in the training rows: left out", column.name,
                       part.categories.empty() ? "" : part.categories[0]);
    part.categories.clear();
    part.has_missing = false;
  }
  return part;
}

constexpr std::size_t kMinOccurrences = 2;  // for a token to get its own column

Part fit_tokens(const io::Column& column, std::span<const graph::Node> rows) {
  Part part;
  part.column = column.name;
  part.is_numeric = false;
  part.is_tokens = true;
  std::vector<std::size_t> counts(column.categories.size(), 0);
  for (const graph::Node row : rows)
    if (column.codes[row] >= 0) ++counts[static_cast<std::size_t>(column.codes[row])];
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] >= kMinOccurrences) part.categories.push_back(column.categories[c]);
  return part;
}

/// The column of `part` for each row; 0 for unknown tokens.
std::vector<std::int32_t> token_columns(const Part& part, const io::NodeTable& table, const io::Column& column) {
  std::unordered_map<std::string, std::int32_t> place;
  for (std::size_t c = 0; c < part.categories.size(); ++c)
    place.emplace(part.categories[c], static_cast<std::int32_t>(c + 1));
  const auto find = [&](const std::string& text) {
    const auto found = place.find(text);
    return found == place.end() ? 0 : found->second;
  };
  std::vector<std::int32_t> of_category;
  for (const std::string& category : column.categories) of_category.push_back(find(category));
  std::vector<std::int32_t> columns(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (column.is_missing(row)) continue;
    columns[row] =
        column.is_numeric ? find(column.text(row)) : of_category[static_cast<std::size_t>(column.codes[row])];
  }
  return columns;
}

/// Whether no token of a row is known. `tokens` has the result of `token_columns` for each part, nothing for others.
std::vector<bool> rows_without_tokens(std::span<const std::vector<std::int32_t>> tokens, std::size_t rows) {
  std::vector<bool> is_unknown(rows, true);
  for (const std::vector<std::int32_t>& of_part : tokens)
    for (std::size_t row = 0; row < of_part.size(); ++row)
      if (of_part[row] > 0) is_unknown[row] = false;
  return is_unknown;
}

/// The columns of all parts.
std::vector<const io::Column*> columns_of(std::span<const Part> parts, const io::NodeTable& table) {
  const io::ColumnIndex index(table.columns);
  std::vector<const io::Column*> columns;
  for (const Part& part : parts) {
    columns.push_back(index.find(part.column));
    if (columns.back() == nullptr)
      throw ModelError(
          fmt::format("{}: column \"{}\" is missing; the model was trained with it", table.file, part.column));
  }
  return columns;
}

/// The numbers of rows that stay zero, and values far outside of those in fitting.
struct Unknown {
  std::size_t missing = 0;
  std::size_t unseen = 0;
  FarValues far = {};
};

/// Whether texts in the column stand for 0 and 1, as the part knows the column: in this file they are truth values.
bool are_flags(const Part& part, const io::Column& column) {
  return !column.is_numeric && part.range && part.range->smallest == 0 && part.range->largest == 1 &&
         io::are_truths(column.categories);
}

Unknown encode_numbers(const Part& part, const io::NodeTable& table, const io::Column& column, Eigen::Index begin,
                       Matrix& out) {
  const Eigen::Index last = begin + static_cast<Eigen::Index>(part.width()) - 1;
  Unknown unknown;
  const bool has_flags = are_flags(part, column);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const bool is_flag = has_flags && !column.is_missing(row);
    const float value = is_flag ? (*io::parse_truth(column.text(row)) ? 1.0F : 0.0F) : table.number(column, row);
    const auto to = static_cast<Eigen::Index>(row);
    if (std::isnan(value)) {
      if (part.has_missing)
        out(to, last) = 1;
      else
        ++unknown.missing;
      continue;
    }
    if (part.range) unknown.far.add(value, row, *part.range);
    if (part.has_value) out(to, begin) = static_cast<float>((value - part.mean) / part.deviation);
    if (part.logarithm)
      out(to, begin + 1) =
          static_cast<float>((part.logarithm->of(value) - part.logarithm->mean) / part.logarithm->deviation);
  }
  return unknown;
}

/// Throws DataError as `io::UnseenValues::check`.
Unknown encode_categories(const Part& part, const std::string& file, const io::Column& column, Eigen::Index begin,
                          Matrix& out) {
  const auto categories = static_cast<Eigen::Index>(part.categories.size());
  const io::CategoryMatch match(part.categories);
  std::vector<std::optional<std::size_t>> of_category;
  for (const std::string& category : column.categories) of_category.push_back(match.find(category));
  io::UnseenValues unseen;
  std::size_t known = 0, missing = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    const auto to = static_cast<Eigen::Index>(row);
    if (column.is_missing(row)) {
      if (part.has_missing)
        out(to, begin + categories) = 1;
      else
        ++missing;
      continue;
    }
    const auto found =
        column.is_numeric ? match.find(column.text(row)) : of_category[static_cast<std::size_t>(column.codes[row])];
    if (found) {
      out(to, begin + static_cast<Eigen::Index>(*found)) = 1;
      ++known;
    } else {
      unseen.add(column.text(row));
    }
  }
  if (categories > 0) unseen.check(known, part.categories, part.column, {file, 0, 0});
  return {.missing = missing, .unseen = unseen.count()};
}

/// Calls on_row(row, reason) for the cells with a category that was not seen.
template <class OnRow>
void find_new_categories(const Part& part, const io::Column& column, const OnRow& on_row) {
  const io::CategoryMatch match(part.categories);
  std::vector<bool> is_new;
  for (const std::string& category : column.categories) is_new.push_back(!match.find(category));
  for (std::size_t row = 0; row < column.size(); ++row) {
    if (column.is_missing(row)) continue;
    const bool is_unseen = column.is_numeric ? !match.find(column.text(row))
                                             : is_new[static_cast<std::size_t>(column.codes[row])];
    if (is_unseen) on_row(row, fmt::format("{} {} is new", part.column, io::quote(column.text(row))));
  }
}

/// Calls on_row(row, reason) for the numbers far outside of the range.
template <class OnRow>
void find_far_numbers(const Part& part, const io::NodeTable& table, const io::Column& column, const OnRow& on_row) {
  if (!part.range || are_flags(part, column)) return;
  for (std::size_t row = 0; row < column.size(); ++row) {
    const float value = table.number(column, row);
    if (part.range->is_far(value))
      on_row(row, fmt::format("{} {:.6g}, in training {:.6g} to {:.6g}", part.column, value, part.range->smallest,
                              part.range->largest));
  }
}

double positive(const json::Value& value, const char* member) {
  const double number = value.at(member).as_number();
  if (!(number > 0)) throw UsageError(fmt::format("expected a positive {}, got {}", member, number));
  return number;
}

Part part_from_json(const json::Value& value) {
  Part part;
  part.column = value.at("column").as_string();
  part.is_numeric = value.at("numeric").as_bool();
  part.has_missing = value.at("missing").as_bool();
  if (part.is_numeric) {
    part.has_value = value.at("value").as_bool();
    part.mean = value.at("mean").as_number();
    part.deviation = positive(value, "deviation");
    if (const json::Value* of = value.find("logarithm"))
      part.logarithm = {.median = of->at("median").as_number(),
                        .spread = positive(*of, "spread"),
                        .mean = of->at("mean").as_number(),
                        .deviation = positive(*of, "deviation")};
    if (const json::Value* range = value.find("range")) part.range = ValueRange::from_json(*range);
    if (part.logarithm && !part.has_value) throw UsageError("expected no logarithm without values");
  } else {
    part.categories = value.at("categories").as_strings();
    part.is_tokens = value.get("tokens", false);
    if (part.is_tokens && part.has_missing) throw UsageError("expected no column for missing tokens: they are unknown");
  }
  return part;
}

}  // namespace

double NodeEncoder::Logarithm::of(double value) const { return signed_log((value - median) / spread); }

void NodeEncoder::add(Part part) {
  if (part.width() == 0) return;
  if (part.is_numeric && part.has_value) names_.push_back(part.column);
  if (part.logarithm) names_.push_back(fmt::format("log of {}", part.column));
  if (part.is_tokens) names_.push_back(fmt::format("{} is unknown", part.column));
  for (const std::string& category : part.categories) names_.push_back(fmt::format("{} = {}", part.column, category));
  if (part.has_missing) names_.push_back(fmt::format("{} is missing", part.column));
  parts_.push_back(std::move(part));
}

NodeEncoder NodeEncoder::fit(const io::NodeTable& table, std::span<const graph::Node> rows,
                             const NodeEncoderOptions& options) {
  if (rows.empty()) throw DataError(fmt::format("{}: no training row to learn the features' scale from", table.file));
  check_indices("node encoder", "rows", rows, table.rows());
  for (const std::string& name : options.excluded)
    if (table.find(name) == nullptr)
      throw UsageError(fmt::format("{}: there is no column \"{}\" to leave out", table.file, name));
  NodeEncoder encoder;
  for (const io::Column& column : table.columns) {
    if (std::find(options.excluded.begin(), options.excluded.end(), column.name) != options.excluded.end()) continue;
    std::string note;
    if (!column.is_numeric && std::ranges::count(options.tokens, column.name) > 0) {
      encoder.add(fit_tokens(column, rows));
      continue;
    }
    if (io::is_unnamed_index(column)) {
      encoder.notes_.push_back(fmt::format("\"{}\" has no name and numbers the rows: left out", column.name));
      continue;
    }
    encoder.add(column.is_numeric ? fit_numbers(column, rows, note)
                                  : fit_categories(column, rows, options.maximal_categories, note));
    if (!note.empty()) encoder.notes_.push_back(std::move(note));
  }
  return encoder;
}

std::vector<std::string> NodeEncoder::table_columns() const {
  std::vector<std::string> columns;
  for (const Part& part : parts_) columns.push_back(part.column);
  return columns;
}

std::vector<std::pair<std::string, std::size_t>> NodeEncoder::column_widths() const {
  std::vector<std::pair<std::string, std::size_t>> widths;
  for (const Part& part : parts_) widths.emplace_back(part.column, part.width());
  return widths;
}

std::vector<std::string> NodeEncoder::text_columns() const {
  std::vector<std::string> columns;
  for (const Part& part : parts_)
    if (!part.is_numeric) columns.push_back(part.column);
  return columns;
}

bool NodeEncoder::is_sparse() const {
  return std::ranges::any_of(parts_, [](const Part& part) { return part.is_tokens; });
}

/// Encodes all parts except tokens.
Matrix NodeEncoder::encode_dense(const io::NodeTable& table, std::span<const io::Column* const> columns,
                                 EncodingReport* report) const {
  std::size_t width = 0;
  for (const Part& part : parts_) width += part.is_tokens ? 0 : part.width();
  Matrix dense = Matrix::Zero(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(width));
  Eigen::Index begin = 0;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.is_tokens) continue;
    const io::Column& column = *columns[p];
    const Unknown unknown = part.is_numeric ? encode_numbers(part, table, column, begin, dense)
                                            : encode_categories(part, table.file.text(), column, begin, dense);
    if (report != nullptr && unknown.unseen > 0) report->unseen.emplace_back(part.column, unknown.unseen);
    if (report != nullptr && unknown.missing > 0) report->missing.emplace_back(part.column, unknown.missing);
    if (report != nullptr && unknown.far.are_odd()) report->far.push_back({part.column, *part.range, unknown.far});
    begin += static_cast<Eigen::Index>(part.width());
  }
  return dense;
}

Features NodeEncoder::encode(const io::NodeTable& table, EncodingReport* report) const {
  Features features;
  features.names = names_;
  const std::vector<const io::Column*> of_parts = columns_of(parts_, table);
  Matrix dense = encode_dense(table, of_parts, report);
  if (!is_sparse()) {
    features.dense = std::move(dense);
    return features;
  }
  features.is_sparse = true;
  std::vector<std::vector<std::int32_t>> tokens;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    tokens.push_back(parts_[p].is_tokens ? token_columns(parts_[p], table, *of_parts[p]) : std::vector<std::int32_t>());
  if (report != nullptr) report->is_unknown = rows_without_tokens(tokens, table.rows());
  features.sparse.resize(dense.rows(), static_cast<Eigen::Index>(columns()));
  features.sparse.reserve(dense.rows() * (dense.cols() + static_cast<Eigen::Index>(parts_.size())));
  for (Eigen::Index row = 0; row < dense.rows(); ++row) {
    features.sparse.startVec(row);
    Eigen::Index begin = 0, from = 0;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const auto width = static_cast<Eigen::Index>(parts_[p].width());
      if (parts_[p].is_tokens) {
        features.sparse.insertBack(row, begin + tokens[p][static_cast<std::size_t>(row)]) = 1;
      } else {
        for (Eigen::Index c = 0; c < width; ++c)
          if (dense(row, from + c) != 0) features.sparse.insertBack(row, begin + c) = dense(row, from + c);
        from += width;
      }
      begin += width;
    }
  }
  features.sparse.finalize();
  features.sparse.makeCompressed();
  return features;
}

void NodeEncoder::find_unlike(const io::NodeTable& table,
                              const std::function<void(std::size_t row, const std::string& reason)>& on_row) const {
  const std::vector<const io::Column*> of_parts = columns_of(parts_, table);
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const Part& part = parts_[p];
    if (part.is_tokens) continue;
    part.is_numeric ? find_far_numbers(part, table, *of_parts[p], on_row)
                    : find_new_categories(part, *of_parts[p], on_row);
    for (std::size_t row = 0; row < table.rows() && !part.has_missing; ++row)
      if (of_parts[p]->is_missing(row)) on_row(row, fmt::format("no {}", part.column));
  }
}

json::Value NodeEncoder::to_json() const {
  json::Array parts;
  for (const Part& part : parts_) {
    json::Value value;
    value.set("column", part.column);
    value.set("numeric", part.is_numeric);
    value.set("missing", part.has_missing);
    if (part.is_numeric) {
      value.set("value", part.has_value);
      value.set("mean", part.mean);
      value.set("deviation", part.deviation);
      if (part.range) value.set("range", part.range->to_json());
      if (part.logarithm)
        value.set("logarithm", json::Object{{"median", part.logarithm->median},
                                            {"spread", part.logarithm->spread},
                                            {"mean", part.logarithm->mean},
                                            {"deviation", part.logarithm->deviation}});
    } else {
      value.set("categories", part.categories);
      if (part.is_tokens) value.set("tokens", true);
    }
    parts.push_back(std::move(value));
  }
  json::Value value;
  value.set("columns", std::move(parts));
  return value;
}

NodeEncoder NodeEncoder::from_json(const json::Value& value) {
  try {
    NodeEncoder encoder;
    for (const json::Value& part : value.at("columns").as_array()) encoder.add(part_from_json(part));
    return encoder;
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("feature encoder: {}", error.what()));
  }
}

void normalise_rows(Features& features) {
  if (features.is_sparse) {
    for (Eigen::Index row = 0; row < features.sparse.outerSize(); ++row) {
      float sum = 0;
      for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry) sum += std::abs(entry.value());
      if (sum == 0) continue;
      for (SparseMatrix::InnerIterator entry(features.sparse, row); entry; ++entry) entry.valueRef() /= sum;
    }
    return;
  }
  for (Eigen::Index row = 0; row < features.dense.rows(); ++row) {
    const float sum = features.dense.row(row).cwiseAbs().sum();
    if (sum > 0) features.dense.row(row) /= sum;
  }
}

}  // namespace edgewise::data
