#include "edgewise/train/inputs/kind_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kDenseColumns = 32;

/// The names of the nodes of a kind that at least two edges lead to.
graph::NodeNames names_with_edges(const Dataset& data, const NodeKind& kind) {
  std::vector<std::uint32_t> degrees(kind.count, 0);
  for (const graph::Node target : data.graph.edges().targets)
    if (target >= kind.first && target - kind.first < kind.count) ++degrees[target - kind.first];
  graph::NodeNames names;
  for (graph::Node node = 0; node < kind.count; ++node)
    if (degrees[node] >= 2) names.add(data.graph.names()[kind.first + node].substr(kind.name.size() + 1));
  return names;
}

/// Appends to the row `row` of `to`, from `column` on, the values of a row of features.
void insert_row(const data::Features& from, Eigen::Index from_row, Eigen::Index row, Eigen::Index column,
                SparseMatrix& to) {
  if (from.is_sparse) {
    for (SparseMatrix::InnerIterator at(from.sparse, from_row); at; ++at)
      to.insertBack(row, column + at.col()) = at.value();
    return;
  }
  for (Eigen::Index c = 0; c < from.dense.cols(); ++c)
    if (const float value = from.dense(from_row, c); value != 0) to.insertBack(row, column + c) = value;
}

void note_report(const data::EncodingReport& report, std::vector<std::string>& notes) {
  const auto note = [&](const std::string& column, std::size_t rows, const char* what) {
    notes.push_back(fmt::format("column \"{}\": {} {}", column, counted(rows, "node has", "nodes have"), what));
  };
  for (const auto& [column, rows] : report.unseen) note(column, rows, "a value not seen in training");
  for (const auto& [column, rows] : report.missing) note(column, rows, "no value, unlike all in training");
}

}  // namespace

KindMap KindMap::fit(const Dataset& data, const data::NodeEncoder& items) {
  KindMap map;
  for (const NodeKind& kind : data.kinds->kinds) {
    Known known{.kind = kind.name};
    const bool is_first = map.kinds_.empty();
    if (!is_first && kind.table.rows() > 0 && !kind.table.columns.empty()) {
      std::vector<graph::Node> rows(kind.count);
      std::iota(rows.begin(), rows.end(), graph::Node{0});
      known.encoder = data::NodeEncoder::fit(kind.table, rows);
    }
    const std::size_t columns = is_first ? items.columns() : known.encoder.columns();
    if (columns == 0) known.names = names_with_edges(data, kind);
    map.kinds_.push_back(std::move(known));
  }
  return map;
}

data::Features KindMap::apply(const Dataset& data, const data::NodeEncoder& items,
                              std::vector<std::string>* notes) const {
  data::Features features;
  features.is_sparse = true;
  SparseMatrix& made = features.sparse;
  made.resize(static_cast<Eigen::Index>(data.graph.node_count()), static_cast<Eigen::Index>(columns(items)));
  for (const NodeKind& kind : data.kinds->kinds) {
    const auto known = std::ranges::find(kinds_, kind.name, &Known::kind);
    if (known == kinds_.end()) throw ModelError(fmt::format("{}: the model knows no kind {}", data.name, kind.name));
    const bool is_first = known == kinds_.begin();
    const data::NodeEncoder& encoder = is_first ? items : known->encoder;
    const io::NodeTable& table = is_first ? data.table : kind.table;
    if (encoder.columns() > 0 && table.columns.empty())
      throw ModelError(fmt::format("{}: the model needs a table of {} ({} {}=FILE)", data.name, kind.name,
                                   setting("data.nodes"), kind.name));
    data::EncodingReport report;
    data::Features own;
    if (encoder.columns() > 0) own = encoder.encode(table, &report);
    if (notes != nullptr) note_report(report, *notes);
    Eigen::Index begin = 0;
    for (auto before = kinds_.begin(); before != known; ++before)
      begin += static_cast<Eigen::Index>(before->columns() + (before == kinds_.begin() ? items.columns() : 0));
    const auto names = begin + static_cast<Eigen::Index>(encoder.columns());
    for (graph::Node node = 0; node < kind.count; ++node) {
      const auto row = static_cast<Eigen::Index>(kind.first + node);
      made.startVec(row);
      if (encoder.columns() > 0) insert_row(own, static_cast<Eigen::Index>(node), row, begin, made);
      const auto name = known->names.size() == 0
                            ? std::nullopt
                            : known->names.find(data.graph.names()[kind.first + node].substr(kind.name.size() + 1));
      if (name) made.insertBack(row, names + static_cast<Eigen::Index>(*name)) = 1;
      made.insertBack(row, names + static_cast<Eigen::Index>(known->names.size())) = 1;
    }
  }
  made.finalize();
  made.makeCompressed();
  if (columns(items) > kDenseColumns) return features;
  return {.dense = Matrix(made), .sparse = {}, .names = {}};
}

std::vector<std::pair<std::string, std::size_t>> KindMap::column_widths(const data::NodeEncoder& items) const {
  std::vector<std::pair<std::string, std::size_t>> widths;
  for (const Known& known : kinds_) {
    const bool is_first = &known == &kinds_.front();
    std::ranges::move((is_first ? items : known.encoder).column_widths(), std::back_inserter(widths));
    if (known.names.size() > 0) widths.emplace_back(fmt::format("{} by name", known.kind), known.names.size());
    widths.emplace_back(fmt::format("kind {}", known.kind), 1);
  }
  return widths;
}

std::size_t KindMap::columns(const data::NodeEncoder& items) const {
  return std::accumulate(kinds_.begin(), kinds_.end(), items.columns(),
                         [](std::size_t sum, const Known& known) { return sum + known.columns(); });
}

std::vector<std::string> KindMap::notes() const {
  std::vector<std::string> notes;
  for (const Known& known : kinds_) {
    std::ranges::copy(known.encoder.notes(), std::back_inserter(notes));
    if (known.names.size() > 0)
      notes.push_back(fmt::format("{}: no columns, so the names of those with several edges are features ({})",
                                  known.kind, known.names.size()));
  }
  return notes;
}

json::Value KindMap::to_json() const {
  json::Array kinds;
  for (const Known& known : kinds_) {
    json::Array names;
    for (graph::Node node = 0; node < known.names.size(); ++node) names.emplace_back(known.names[node]);
    kinds.emplace_back(json::Object{
        {"kind", known.kind}, {"encoder", known.encoder.to_json()}, {"names", std::move(names)}});
  }
  return kinds;
}

KindMap KindMap::from_json(const json::Value& value) {
  KindMap map;
  for (const json::Value& one : value.as_array()) {
    Known known{.kind = one.at("kind").as_string(), .encoder = data::NodeEncoder::from_json(one.at("encoder"))};
    for (const std::string& name : one.at("names").as_strings()) known.names.add(name);
    map.kinds_.push_back(std::move(known));
  }
  return map;
}

}  // namespace edgewise::train
