#include "edgewise/io/detail/edge_list_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/io/node_table.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/similar_node.hpp"

namespace edgewise::io::detail {

EdgeListRows::EdgeListRows(std::string path, EdgeColumns columns, const EdgeListOptions& options,
                           EdgeListResult& result)
    : path_(std::move(path)),
      columns_(std::move(columns)),
      is_header_in_doubt_(!result.report.has_header),
      are_nodes_given_(options.known_nodes != nullptr),
      result_(result),
      known_nodes_(result.names.size()),
      drops_(options.known_nodes != nullptr && options.unknown_nodes == UnknownNodes::drop),
      adds_(options.known_nodes != nullptr && options.unknown_nodes == UnknownNodes::add),
      take_(options.take),
      missing_(options.missing),
      nodes_header_(options.nodes_header),
      lookup_(result.names, options.known_nodes == nullptr || adds_) {
  batch_.reserve(kBatch);
  for (std::size_t i = 0; i < columns_.features.size(); ++i) {
    const std::string& name = columns_.names[columns_.features[i]];
    const bool is_categorical = std::ranges::count(options.categorical, options.feature_columns[i]) > 0;
    features_.push_back(edge_feature(name, is_categorical, options.categories, options.missing));
  }
}

void EdgeListRows::begin_file(const std::string& path) {
  add_batch();
  path_ = path;
  ++file_;
  next_line_ = 0;
}

void EdgeListRows::add(std::span<const std::string_view> fields, std::uint64_t line) {
  const std::string_view source_name = fields[columns_.source], target_name = fields[columns_.target];
  if (drops_ && is_dropped(source_name, target_name, line)) return;
  if (line != next_line_) result_.lines.push_back({rows_, line, file_});
  next_line_ = line + 1;
  ++rows_;
  require_name(source_name, columns_.source, line);
  require_name(target_name, columns_.target, line);
  batch_.push_back({lookup_.push(source_name), lookup_.push(target_name), line});
  if (rows_ == 1 || batch_.size() == kBatch) add_batch();  // the first by itself, since it may be a header
  if (columns_.weight)
    result_.edges.weights.push_back(
        require_number(fields[*columns_.weight], path_, line, columns_.names[*columns_.weight]));
  if (columns_.type) types_.add(fields[*columns_.type]);
  for (std::size_t i = 0; i < features_.size(); ++i) features_[i].add(fields[columns_.features[i]], path_, line);
  if (take_ && rows_ % kPiece == 0) hand_over();
}

bool EdgeListRows::are_ends_known(std::span<const std::string_view> fields) const {
  return are_nodes_given_ && result_.names.find(fields[columns_.source]) &&
         result_.names.find(fields[columns_.target]);
}

void EdgeListRows::finish() {
  add_batch();
  if (take_) hand_over();
  result_.report.rows = rows_;
  result_.report.features = write_features(features_, path_, result_.edges);
  result_.report.unknown.nodes = drops_ ? dropped_.size() : result_.names.size() - known_nodes_;
  if (adds_) report_added();
  take_types();
}

void EdgeListRows::hand_over() {
  add_batch();
  graph::EdgeList& edges = result_.edges;
  if (edges.size() > 0) take_(edges);
  edges.sources.clear();
  edges.targets.clear();
  edges.weights.clear();
}

void EdgeListRows::add_batch() {
  for (const auto prefetch : {&NodeLookup::prefetch_start, &NodeLookup::prefetch_characters}) {
    for (const Ends& row : batch_) {
      (lookup_.*prefetch)(row.source);
      (lookup_.*prefetch)(row.target);
    }
  }
  for (const Ends& row : batch_) {
    result_.edges.sources.push_back(node(row.source, columns_.source, row.line));
    result_.edges.targets.push_back(node(row.target, columns_.target, row.line));
  }
  batch_.clear();
  lookup_.end_batch();
}

void EdgeListRows::require_name(std::string_view name, std::size_t column, std::uint64_t line) const {
  if (name.empty())
    throw DataError(TextLocation{path_, line, 0},
                    fmt::format("column {}: expected a node, found nothing", quote(columns_.names[column])));
  if (missing_.contains(name) && !(are_nodes_given_ && result_.names.find(name)))
    throw DataError(TextLocation{path_, line, 0},
                    fmt::format("column {}: expected a node, found {}, which means that it is missing: leave the row "
                                "out; if it is the name of a node: {} empty",
                                quote(columns_.names[column]), quote(name), setting("data.missing")));
}

void EdgeListRows::take_types() {
  if (!columns_.type || !types_.are_directed()) return;
  EdgeListReport& report = result_.report;
  report.is_directed = true;
  report.two_way = types_.two_way();
  std::erase(report.unused_columns, columns_.names[*columns_.type]);
  if (!take_) types_.add_reverses(result_);
}

bool EdgeListRows::is_dropped(std::string_view source, std::string_view target, std::uint64_t line) {
  require_name(source, columns_.source, line);
  require_name(target, columns_.target, line);
  UnknownNodeReport& report = result_.report.unknown;
  const std::uint64_t before = dropped_.size();
  bool is_dropped = false;
  for (const std::string_view name : {source, target}) {
    if (result_.names.find(name)) continue;
    is_dropped = true;
    dropped_.add(name);
    report.is_header = report.is_header || name == nodes_header_;
  }
  report.edges += is_dropped ? 1 : 0;
  if (before == 0 && is_dropped) {
    report.first = dropped_[0];
    report.place = fmt::format("line {}{}", line, result_.files.size() > 1 ? fmt::format(" of {}", path_) : "");
  }
  return is_dropped;
}

void EdgeListRows::report_added() const {
  UnknownNodeReport& report = result_.report.unknown;
  const graph::EdgeList& edges = result_.edges;
  for (graph::EdgeIndex e = 0; report.nodes > 0 && e < edges.size(); ++e) {
    if (std::max(edges.sources[e], edges.targets[e]) < known_nodes_) continue;
    if (report.edges++ == 0) report.place = result_.place_of(e);
  }
  if (report.nodes > 0) report.first = result_.names[static_cast<graph::Node>(known_nodes_)];
  const std::optional<graph::Node> header = result_.names.find(nodes_header_);
  report.is_header = header && *header >= known_nodes_;
}

graph::Node EdgeListRows::node(const NodeLookup::Key& key, std::size_t column, std::uint64_t line) {
  if (const auto known = lookup_.find(key)) return *known;
  fail_unknown(lookup_.name(key), column, line);
}

std::string EdgeListRows::hint_for(std::string_view name) const {
  if (is_header_in_doubt_ && rows_ == 1)
    return fmt::format("; if this line names the columns, say between which the edges run ({}, {})",
                       setting("data.source"), setting("data.target"));
  if (name == nodes_header_ && !usual_id_column({nodes_header_}))
    return fmt::format("; in their table, {}", kHeaderIsRow);
  return fmt::format("; {} drop leaves such edges out, add adds the nodes without attributes",
                     setting("data.unknown_nodes")) +
         similar_node_hint(result_.names, name);
}

void EdgeListRows::fail_unknown(std::string_view name, std::size_t column, std::uint64_t line) {
  throw DataError(TextLocation{path_, line, 0},
                  fmt::format("column {}: unknown node {}: it is not among the {} nodes that are given{}",
                              quote(columns_.names[column]), quote(name), result_.names.size(), hint_for(name)));
}

}  // namespace edgewise::io::detail
