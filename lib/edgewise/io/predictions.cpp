#include "edgewise/io/predictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

void check(const graph::NodeNames& names, const Predictions& predictions) {
  const auto rows = static_cast<std::size_t>(predictions.values.rows());
  const bool is_all = predictions.nodes.empty() && rows > 0;
  const std::size_t expected = is_all ? names.size() : predictions.nodes.size();
  if (rows != expected || static_cast<std::size_t>(predictions.values.cols()) != predictions.columns.size())
    throw UsageError(fmt::format("predictions: expected values [{}, {}], got [{}, {}]", expected,
                                 predictions.columns.size(), rows, predictions.values.cols()));
  if (predictions.has_deviations() && (predictions.deviations.rows() != predictions.values.rows() ||
                                       predictions.deviations.cols() != predictions.values.cols()))
    throw UsageError("predictions: expected a deviation for each value");
  for (const std::vector<TextColumn>* columns : {&predictions.before, &predictions.after})
    for (const TextColumn& column : *columns)
      if (column.values.size() != rows)
        throw UsageError(fmt::format("predictions: column \"{}\": expected {} texts, got {}", column.name, rows,
                                     column.values.size()));
  for (const graph::Node node : predictions.nodes)
    if (node >= names.size())
      throw UsageError(fmt::format("predictions: node {}, but there are {} nodes", node, names.size()));
}

/// The predicted classes or labels of a row.
std::vector<std::string_view> predicted(const Predictions& predictions, Eigen::Index row) {
  std::vector<std::string_view> result;
  const auto values = predictions.values.row(row);
  if (predictions.kind == PredictionKind::classes) {
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < values.size(); ++i)
      if (best < 0 ? values[i] == values[i] : values[i] > values[best]) best = i;
    if (best >= 0) result.push_back(predictions.columns[static_cast<std::size_t>(best)]);
  } else {
    for (Eigen::Index i = 0; i < values.size(); ++i)
      if (values[i] >= predictions.threshold) result.push_back(predictions.columns[static_cast<std::size_t>(i)]);
  }
  return result;
}

std::string csv_header(const Predictions& predictions) {
  const bool has_probabilities = predictions.kind != PredictionKind::numbers;
  std::string line = predictions.key;
  for (const TextColumn& column : predictions.before) line += fmt::format(",{}", csv_field(column.name));
  if (has_probabilities) line += ",predicted";
  for (const std::string& column : predictions.columns)
    line += fmt::format(",{}", csv_field(has_probabilities ? fmt::format("p_{}", column) : column));
  if (predictions.has_deviations())
    for (const std::string& column : predictions.columns)
      line += fmt::format(",{}", csv_field(fmt::format("std_{}", column)));
  for (const TextColumn& column : predictions.after) line += fmt::format(",{}", csv_field(column.name));
  return line;
}

std::string csv_texts(const std::vector<TextColumn>& columns, Eigen::Index row) {
  std::string text;
  for (const TextColumn& column : columns) {
    const std::string& value = column.values[static_cast<std::size_t>(row)];
    text += fmt::format(",{}", value.empty() ? value : csv_field(value));
  }
  return text;
}

std::string csv_row(const Predictions& predictions, std::string_view node, Eigen::Index row) {
  std::string line = csv_field(node) + csv_texts(predictions.before, row);
  if (predictions.kind != PredictionKind::numbers) {
    const std::string text = predicted_text(predictions, static_cast<std::size_t>(row));
    line += fmt::format(",{}", text.empty() ? text : csv_field(text));
  }
  for (Eigen::Index i = 0; i < predictions.values.cols(); ++i)
    line += fmt::format(",{}", number_text(predictions.values(row, i)));
  if (predictions.has_deviations())
    for (Eigen::Index i = 0; i < predictions.values.cols(); ++i)
      line += fmt::format(",{}", number_text(predictions.deviations(row, i)));
  return line + csv_texts(predictions.after, row);
}

std::string json_value(const TextColumn& column, const std::string& text) {
  if (column.is_json) return text;
  double number = 0;
  const bool is_number = column.is_numeric && parse_number(text, number) == NumberFault::none;
  return is_number ? fmt::format("{}", number) : json_string(text);
}

std::string json_texts(const std::vector<TextColumn>& columns, Eigen::Index row) {
  std::string text;
  for (const TextColumn& column : columns) {
    const std::string& value = column.values[static_cast<std::size_t>(row)];
    if (!value.empty()) text += fmt::format(",{}:{}", json_string(column.name), json_value(column, value));
  }
  return text;
}

/// {"yes":0.9,...} for a row of numbers.
std::string json_numbers(const Predictions& predictions, const Matrix& numbers, Eigen::Index row) {
  std::string text = "{";
  for (Eigen::Index i = 0; i < numbers.cols(); ++i) {
    if (i > 0) text += ',';
    text += fmt::format("{}:{}", json_string(predictions.columns[static_cast<std::size_t>(i)]),
                        number_text(numbers(row, i), "null"));
  }
  return text + "}";
}

std::string json_row(const Predictions& predictions, std::string_view node, Eigen::Index row) {
  const bool is_number = predictions.key == kRowKey && parse_index(node);
  std::string line =
      fmt::format("{{{}:{}", json_string(predictions.key), is_number ? std::string(node) : json_string(node));
  line += json_texts(predictions.before, row);
  if (predictions.kind != PredictionKind::numbers) {
    std::vector<std::string> labels;
    for (const std::string_view label : predicted(predictions, row)) labels.push_back(json_string(label));
    const std::string list = fmt::format("{}", fmt::join(labels, ","));
    line += ",\"predicted\":";
    if (predictions.kind == PredictionKind::labels)
      line += fmt::format("[{}]", list);
    else
      line += labels.empty() ? "null" : list;
    line += ",\"probabilities\":";
  } else if (!predictions.columns.empty()) {
    line += ",\"predicted\":";
  }
  if (!predictions.columns.empty()) line += json_numbers(predictions, predictions.values, row);
  if (predictions.has_deviations())
    line += fmt::format(",\"std\":{}", json_numbers(predictions, predictions.deviations, row));
  return line + json_texts(predictions.after, row) + "}";
}

}  // namespace

TextColumn number_column(std::string name, const Matrix& values, Eigen::Index column) {
  TextColumn texts{.name = std::move(name), .values = {}, .is_numeric = true};
  for (const float value : values.col(column)) texts.values.push_back(number_text(value));
  return texts;
}

std::string predicted_text(const Predictions& predictions, std::size_t row) {
  return fmt::format("{}", fmt::join(predicted(predictions, static_cast<Eigen::Index>(row)), ";"));
}

ResultFormat predictions_format(const std::string& path) {
  const std::string_view name = without_gz(path);
  if (name.ends_with(".csv")) return ResultFormat::csv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ResultFormat::json_lines;
  throw UsageError(fmt::format("{}: predictions are written as .csv or .jsonl (or one of them and .gz)", path));
}

void write_predictions(std::ostream& out, ResultFormat format, const graph::NodeNames& names,
                       const Predictions& predictions) {
  check(names, predictions);
  if (format == ResultFormat::csv) out << csv_header(predictions) << '\n';
  for (Eigen::Index row = 0; row < predictions.values.rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const graph::Node node = predictions.nodes.empty() ? static_cast<graph::Node>(i) : predictions.nodes[i];
    out << (format == ResultFormat::csv ? csv_row(predictions, names[node], row)
                                        : json_row(predictions, names[node], row))
        << '\n';
  }
}

void write_predictions(const std::string& path, const graph::NodeNames& names, const Predictions& predictions) {
  check(names, predictions);
  const ResultFormat format = predictions_format(path);
  write_text(path, [&](std::ostream& out) { write_predictions(out, format, names, predictions); });
}

}  // namespace edgewise::io
