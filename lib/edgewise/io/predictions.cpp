#include "edgewise/io/predictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "edgewise/core/error.hpp"

namespace edgewise::io {
namespace {

void check(const graph::NodeNames& names, const Predictions& predictions) {
  const auto rows = static_cast<std::size_t>(predictions.values.rows());
  const std::size_t expected = predictions.nodes.empty() ? names.size() : predictions.nodes.size();
  if (rows != expected || static_cast<std::size_t>(predictions.values.cols()) != predictions.columns.size())
    throw UsageError(fmt::format("predictions: expected values [{}, {}], got [{}, {}]", expected,
                                 predictions.columns.size(), rows, predictions.values.cols()));
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
  std::string line = has_probabilities ? "node,predicted" : "node";
  for (const std::string& column : predictions.columns)
    line += fmt::format(",{}", csv_field(has_probabilities ? fmt::format("p_{}", column) : column));
  return line;
}

std::string csv_row(const Predictions& predictions, std::string_view node, Eigen::Index row) {
  std::string line = csv_field(node);
  if (predictions.kind != PredictionKind::numbers) {
    const std::string text = fmt::format("{}", fmt::join(predicted(predictions, row), ";"));
    line += fmt::format(",{}", text.empty() ? text : csv_field(text));
  }
  for (Eigen::Index i = 0; i < predictions.values.cols(); ++i)
    line += fmt::format(",{}", number_text(predictions.values(row, i)));
  return line;
}

std::string json_row(const Predictions& predictions, std::string_view node, Eigen::Index row) {
  std::string line = fmt::format("{{\"node\":{}", json_string(node));
  if (predictions.kind != PredictionKind::numbers) {
    std::vector<std::string> labels;
    for (const std::string_view label : predicted(predictions, row)) labels.push_back(json_string(label));
    const std::string list = fmt::format("{}", fmt::join(labels, ","));
    line += ",\"predicted\":";
    if (predictions.kind == PredictionKind::labels)
      line += fmt::format("[{}]", list);
    else
      line += labels.empty() ? "null" : list;
    line += ",\"probabilities\":{";
  } else {
    line += ",\"predicted\":{";
  }
  for (Eigen::Index i = 0; i < predictions.values.cols(); ++i) {
    if (i > 0) line += ',';
    line += fmt::format("{}:{}", json_string(predictions.columns[static_cast<std::size_t>(i)]),
                        number_text(predictions.values(row, i), "null"));
  }
  return line + "}}";
}

}  // namespace

ResultFormat predictions_format(const std::string& path) {
  std::string_view name = path;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (name.ends_with(".csv")) return ResultFormat::csv;
  if (name.ends_with(".jsonl") || name.ends_with(".ndjson")) return ResultFormat::json_lines;
  throw UsageError(fmt::format("{}: predictions are written as .csv or .jsonl (or one of them and .gz)", path));
}

void write_predictions(const std::string& path, const graph::NodeNames& names, const Predictions& predictions) {
  check(names, predictions);
  const ResultFormat format = predictions_format(path);
  write_text(path, [&](std::ostream& out) {
    if (format == ResultFormat::csv) out << csv_header(predictions) << '\n';
    for (Eigen::Index row = 0; row < predictions.values.rows(); ++row) {
      const auto i = static_cast<std::size_t>(row);
      const graph::Node node = predictions.nodes.empty() ? static_cast<graph::Node>(i) : predictions.nodes[i];
      out << (format == ResultFormat::csv ? csv_row(predictions, names[node], row)
                                          : json_row(predictions, names[node], row))
          << '\n';
    }
  });
}

}  // namespace edgewise::io
