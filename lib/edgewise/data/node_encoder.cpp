#include "edgewise/data/node_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "edgewise/core/error.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::data {
namespace {

using Part = NodeEncoder::Part;

/// Fits a numeric column; a note when something of it is left out.
Part fit_numbers(const io::Column& column, std::span<const graph::Node> rows, std::string& note) {
  Part part;
  part.column = column.name;
  double sum = 0, count = 0;
  for (const graph::Node row : rows) {
    if (std::isnan(column.numbers[row])) continue;
    sum += column.numbers[row];
    ++count;
  }
  part.has_missing = count > 0 && count < static_cast<double>(rows.size());
  part.mean = count > 0 ? sum / count : 0;
  double squares = 0;
  for (const graph::Node row : rows) {
    const double from_mean = column.numbers[row] - part.mean;
    if (!std::isnan(from_mean)) squares += from_mean * from_mean;
  }
  part.deviation = count > 0 ? std::sqrt(squares / count) : 0;
  // Below this the differences are rounding of the mean.
  part.has_value = part.deviation > 1e-7 * std::abs(part.mean) && part.deviation > 0;
  if (part.has_value) return part;
  part.deviation = 1;
  note = count == 0 ? fmt::format("column \"{}\" has no value in the training rows: left out", column.name)
                    : fmt::format("column \"{}\" is always {} in the training rows: left out", column.name, part.mean);
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

void encode_numbers(const Part& part, const io::NodeTable& table, const io::Column& column, Eigen::Index begin,
                    Matrix& out) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    float value = 0;
    const bool is_missing = column.is_missing(row);
    if (!is_missing)
      value = column.is_numeric ? column.numbers[row]
                                : io::require_number(column.text(row), table.where(row), part.column);
    const auto to = static_cast<Eigen::Index>(row);
    if (part.has_value && !is_missing) out(to, begin) = static_cast<float>((value - part.mean) / part.deviation);
    if (part.has_missing && is_missing) out(to, begin + (part.has_value ? 1 : 0)) = 1;
  }
}

/// Returns the number of rows that stay zero.
std::size_t encode_categories(const Part& part, const io::Column& column, Eigen::Index begin, Matrix& out) {
  const auto categories = static_cast<Eigen::Index>(part.categories.size());
  std::unordered_map<std::string, Eigen::Index> place;
  for (Eigen::Index c = 0; c < categories; ++c) place.emplace(part.categories[static_cast<std::size_t>(c)], c);
  std::size_t unseen = 0;
  for (std::size_t row = 0; row < column.size(); ++row) {
    const auto to = static_cast<Eigen::Index>(row);
    const auto found = column.is_missing(row) ? place.end() : place.find(column.text(row));
    if (found != place.end())
      out(to, begin + found->second) = 1;
    else if (column.is_missing(row) && part.has_missing)
      out(to, begin + categories) = 1;
    else
      ++unseen;
  }
  return unseen;
}

Part part_from_json(const json::Value& value) {
  Part part;
  part.column = value.at("column").as_string();
  part.is_numeric = value.at("numeric").as_bool();
  part.has_missing = value.at("missing").as_bool();
  if (part.is_numeric) {
    part.has_value = value.at("value").as_bool();
    part.mean = value.at("mean").as_number();
    part.deviation = value.at("deviation").as_number();
    if (!(part.deviation > 0)) throw UsageError(fmt::format("expected a positive deviation, got {}", part.deviation));
  } else {
    part.categories = value.at("categories").as_strings();
  }
  return part;
}

}  // namespace

void NodeEncoder::add(Part part) {
  if (part.width() == 0) return;
  if (part.is_numeric && part.has_value) names_.push_back(part.column);
  for (const std::string& category : part.categories) names_.push_back(fmt::format("{} = {}", part.column, category));
  if (part.has_missing) names_.push_back(fmt::format("{} is missing", part.column));
  parts_.push_back(std::move(part));
}

NodeEncoder NodeEncoder::fit(const io::NodeTable& table, std::span<const graph::Node> rows,
                             const NodeEncoderOptions& options) {
  if (rows.empty()) throw DataError(fmt::format("{}: no training row to learn the features' scale from", table.file));
  for (const std::string& name : options.excluded)
    if (table.find(name) == nullptr)
      throw UsageError(fmt::format("{}: column \"{}\", which is to be left out, is not there", table.file, name));
  NodeEncoder encoder;
  for (const io::Column& column : table.columns) {
    if (std::find(options.excluded.begin(), options.excluded.end(), column.name) != options.excluded.end()) continue;
    std::string note;
    encoder.add(column.is_numeric ? fit_numbers(column, rows, note)
                                  : fit_categories(column, rows, options.maximal_categories, note));
    if (!note.empty()) encoder.notes_.push_back(std::move(note));
  }
  return encoder;
}

Features NodeEncoder::encode(const io::NodeTable& table, EncodingReport* report) const {
  Features features;
  features.names = names_;
  features.dense = Matrix::Zero(static_cast<Eigen::Index>(table.rows()), static_cast<Eigen::Index>(columns()));
  Eigen::Index begin = 0;
  for (const Part& part : parts_) {
    const io::Column* column = table.find(part.column);
    if (column == nullptr)
      throw ModelError(
          fmt::format("{}: column \"{}\" is missing; the model was trained with it", table.file, part.column));
    if (part.is_numeric) {
      encode_numbers(part, table, *column, begin, features.dense);
    } else if (const std::size_t unseen = encode_categories(part, *column, begin, features.dense);
               unseen > 0 && report != nullptr) {
      report->unseen.emplace_back(part.column, unseen);
    }
    begin += static_cast<Eigen::Index>(part.width());
  }
  return features;
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
    } else {
      value.set("categories", part.categories);
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
