#include "edgewise/io/detail/graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/io/detail/column_builder.hpp"

namespace edgewise::io::detail {

GraphBuilder::GraphBuilder(std::string file, graph::Direction direction) {
  result_.nodes.file = std::move(file);
  result_.nodes.id_column = "id";
  result_.direction = direction;
}

graph::Node GraphBuilder::add_node(std::string_view name, std::uint64_t line) {
  const std::size_t before = result_.names.size();
  const graph::Node node = result_.names.add(name);
  if (node < before)
    throw DataError(TextLocation{result_.nodes.file, line, 0},
                    fmt::format("node {} stands here a second time", quote(name)));
  result_.nodes.lines.push_back(line);
  return node;
}

void GraphBuilder::add_edge(graph::Node source, graph::Node target) {
  result_.edges.sources.push_back(source);
  result_.edges.targets.push_back(target);
}

void GraphBuilder::set(std::vector<Attribute>& attributes, std::size_t index, std::string_view name, std::string value,
                       ValueType type) {
  auto found = std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
  if (found == attributes.end()) {
    attributes.push_back({std::string(name), type, {}});
    found = attributes.end() - 1;
  }
  if (type == ValueType::text) found->type = type;  // one text makes the attribute text
  if (found->values.size() <= index) found->values.resize(index + 1);
  found->values[index] = std::move(value);
}

void GraphBuilder::set_node(graph::Node node, std::string_view name, std::string value, ValueType type) {
  set(node_attributes_, node, name, std::move(value), type);
}

void GraphBuilder::set_edge(std::size_t edge, std::string_view name, std::string value, ValueType type) {
  set(edge_attributes_, edge, name, std::move(value), type);
}

void GraphBuilder::note_unused(std::string name) {
  auto& unused = result_.unused_attributes;
  if (std::find(unused.begin(), unused.end(), name) == unused.end()) unused.push_back(std::move(name));
}

Column GraphBuilder::make_column(const Attribute& attribute, std::size_t count, bool is_node) const {
  static const std::vector<std::string> missing = NodeTableOptions().missing;
  const auto build = [&](ColumnKind kind) {
    ColumnBuilder builder(attribute.name, kind, missing);
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= attribute.values.size() || !attribute.values[i])
        builder.add_missing();
      else
        builder.add(*attribute.values[i], is_node ? result_.nodes.where(i) : TextLocation{result_.nodes.file, 0, 0});
    }
    return builder;
  };
  ColumnBuilder builder = build(attribute.type == ValueType::text     ? ColumnKind::categorical
                                : attribute.type == ValueType::number ? ColumnKind::numeric
                                                                      : ColumnKind::unknown);
  if (builder.must_start_again()) builder = build(ColumnKind::categorical);
  return builder.finish();
}

void GraphBuilder::use_edge_columns(std::vector<Column> columns) {
  const auto weight = [&]() -> Column* {
    for (const char* name : {"weight", "value"})
      for (Column& column : columns)
        if (equals_ignoring_case(column.name, name) && (column.is_numeric || name[0] == 'w')) return &column;
    return nullptr;
  }();
  if (weight != nullptr) {
    if (!weight->is_numeric)
      throw DataError(fmt::format("{}: edge attribute {}: expected numbers, got {}", result_.nodes.file,
                                  quote(weight->name), quote(weight->categories.back())));
    result_.edges.weights = weight->numbers;
    for (std::size_t e = 0; e < edge_count(); ++e)
      if (weight->is_missing(e)) result_.edges.weights[e] = 1.0f;
  }
  std::vector<const Column*> features;
  for (const Column& column : columns) {
    if (&column == weight) continue;
    if (column.is_numeric && column.missing == 0)
      features.push_back(&column);
    else
      note_unused(column.name);
  }
  if (features.empty() || edge_count() == 0) return;
  const auto width = static_cast<Eigen::Index>(features.size());
  result_.edges.features.resize(static_cast<Eigen::Index>(edge_count()), width);
  for (Eigen::Index j = 0; j < width; ++j) {
    const Column& column = *features[static_cast<std::size_t>(j)];
    result_.edges.feature_names.push_back(column.name);
    for (std::size_t e = 0; e < edge_count(); ++e)
      result_.edges.features(static_cast<Eigen::Index>(e), j) = column.numbers[e];
  }
}

GraphFile GraphBuilder::finish() {
  for (const Attribute& attribute : node_attributes_)
    result_.nodes.columns.push_back(make_column(attribute, result_.names.size(), true));
  std::vector<Column> edge_columns;
  for (const Attribute& attribute : edge_attributes_)
    edge_columns.push_back(make_column(attribute, edge_count(), false));
  use_edge_columns(std::move(edge_columns));
  result_.nodes.names = result_.names;
  return std::move(result_);
}

}  // namespace edgewise::io::detail
