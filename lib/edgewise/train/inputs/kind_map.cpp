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

/// The names of the nodes of a kind that at least two edges lead to; of all, if some of the edges may not be seen.
graph::NodeNames names_with_edges(const Dataset& data, const NodeKind& kind) {
  const std::uint32_t fewest = data.links ? 0 : 2;
  std::vector<std::uint32_t> degrees(kind.count, 0);
  for (const graph::Node target : data.graph.edges().targets)
    if (target >= kind.first && target - kind.first < kind.count) ++degrees[target - kind.first];
  graph::NodeNames names;
  for (graph::Node node = 0; node < kind.count; ++node)
    if (degrees[node] >= fewest) names.add(data.graph.names()[kind.first + node].substr(kind.name.size() + 1));
  return names;
}

/// A row of features before it is written: columns and values.
using Entries = std::vector<std::pair<Eigen::Index, float>>;

/// Appends, from `column` on, the values of a row of features.
void add_row(const data::Features& from, Eigen::Index row, Eigen::Index column, Entries& to) {
  if (from.is_sparse) {
    for (SparseMatrix::InnerIterator at(from.sparse, row); at; ++at) to.emplace_back(column + at.col(), at.value());
    return;
  }
  for (Eigen::Index c = 0; c < from.dense.cols(); ++c)
    if (const float value = from.dense(row, c); value != 0) to.emplace_back(column + c, value);
}

/// Writes a row in the order of its columns, each once.
void write_row(Eigen::Index row, Entries& entries, SparseMatrix& to) {
  std::ranges::sort(entries, {}, &Entries::value_type::first);
  const auto repeated = std::ranges::unique(entries, {}, &Entries::value_type::first);
  entries.erase(repeated.begin(), repeated.end());
  to.startVec(row);
  for (const auto& [column, value] : entries) to.insertBack(row, column) = value;
}

/// For each node the name columns of its neighbours.
std::vector<std::vector<Eigen::Index>> neighbour_words(const Dataset& data, const std::vector<Eigen::Index>& named) {
  const graph::EdgeList& edges = data.graph.edges();
  std::vector<std::vector<Eigen::Index>> words(named.size());
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (const Eigen::Index word = named[edges.sources[e]]; word >= 0) words[edges.targets[e]].push_back(word);
  return words;
}

}  // namespace

void note_report(const data::EncodingReport& report, std::vector<std::string>& notes) {
  const auto note = [&](const std::string& column, std::size_t rows, const char* what) {
    notes.push_back(fmt::format("column \"{}\": {} {}", column, counted(rows, "node has", "nodes have"), what));
  };
  for (const auto& [column, rows] : report.unseen) note(column, rows, "a value not seen in training");
  for (const auto& [column, rows] : report.missing) note(column, rows, "no value, unlike all in training");
}

KindMap KindMap::fit(const Dataset& data, const data::NodeEncoder& items, bool has_words) {
  KindMap map;
  map.has_words_ = has_words;
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

std::vector<KindMap::Known>::const_iterator KindMap::known_of(const Dataset& data, const NodeKind& kind) const {
  const auto known = std::ranges::find(kinds_, kind.name, &Known::kind);
  if (known == kinds_.end()) throw ModelError(fmt::format("{}: the model knows no kind {}", data.name, kind.name));
  return known;
}

Eigen::Index KindMap::first_column(std::vector<Known>::const_iterator kind, const data::NodeEncoder& items) const {
  Eigen::Index begin = 0;
  for (auto before = kinds_.begin(); before != kind; ++before)
    begin += static_cast<Eigen::Index>(before->columns() + (before == kinds_.begin() ? items.columns() : 0));
  return begin;
}

std::vector<Eigen::Index> KindMap::name_columns(const Dataset& data, const data::NodeEncoder& items) const {
  std::vector<Eigen::Index> columns(data.graph.node_count(), -1);
  for (const NodeKind& kind : data.kinds->kinds) {
    const auto known = known_of(data, kind);
    if (known->names.size() == 0) continue;
    const std::size_t own = known == kinds_.begin() ? items.columns() : known->encoder.columns();
    const Eigen::Index begin = first_column(known, items) + static_cast<Eigen::Index>(own);
    for (graph::Node node = 0; node < kind.count; ++node)
      if (const auto name = known->names.find(data.graph.names()[kind.first + node].substr(kind.name.size() + 1)))
        columns[kind.first + node] = begin + static_cast<Eigen::Index>(*name);
  }
  return columns;
}

data::Features KindMap::apply(const Dataset& data, const data::NodeEncoder& items,
                              std::vector<std::string>* notes) const {
  data::Features features;
  features.is_sparse = true;
  SparseMatrix& made = features.sparse;
  made.resize(static_cast<Eigen::Index>(data.graph.node_count()), static_cast<Eigen::Index>(columns(items)));
  const std::vector<Eigen::Index> named = name_columns(data, items);
  std::vector<std::vector<Eigen::Index>> words(named.size());
  if (has_words_) words = neighbour_words(data, named);
  for (const NodeKind& kind : data.kinds->kinds) {
    const auto known = known_of(data, kind);
    const bool is_first = known == kinds_.begin();
    const data::NodeEncoder& encoder = is_first ? items : known->encoder;
    const io::NodeTable& table = is_first ? data.node_table() : kind.table;
    if (encoder.columns() > 0 && table.columns.empty())
      throw ModelError(fmt::format("{}: the model needs a table of {} ({} {}=FILE)", data.name, kind.name,
                                   setting("data.nodes"), kind.name));
    data::EncodingReport report;
    data::Features own;
    if (encoder.columns() > 0) own = encoder.encode(table, &report);
    if (notes != nullptr) note_report(report, *notes);
    const Eigen::Index begin = first_column(known, items);
    const auto last = begin + static_cast<Eigen::Index>(encoder.columns() + known->names.size());
    for (graph::Node node = 0; node < kind.count; ++node) {
      Entries entries;
      if (encoder.columns() > 0) add_row(own, static_cast<Eigen::Index>(node), begin, entries);
      if (named[kind.first + node] >= 0) entries.emplace_back(named[kind.first + node], 1.0F);
      for (const Eigen::Index word : words[kind.first + node]) entries.emplace_back(word, 1.0F);
      entries.emplace_back(last, 1.0F);
      write_row(static_cast<Eigen::Index>(kind.first + node), entries, made);
    }
  }
  made.finalize();
  made.makeCompressed();
  if (columns(items) > kDenseColumns) return features;
  return {.dense = Matrix(made), .sparse = {}, .names = {}};
}

data::Features KindMap::own_columns(const data::Features& made, const data::NodeEncoder& items) const {
  std::vector<Eigen::Index> places;
  Eigen::Index begin = 0;
  for (const Known& known : kinds_) {
    const bool is_first = &known == &kinds_.front();
    const std::size_t own = is_first ? items.columns() : known.encoder.columns();
    for (std::size_t c = 0; c < own; ++c) places.push_back(begin + static_cast<Eigen::Index>(c));
    begin += static_cast<Eigen::Index>(known.columns() + (is_first ? items.columns() : 0));
  }
  if (!made.is_sparse) return {.dense = made.dense(Eigen::all, places), .sparse = {}, .names = {}};
  std::vector<Eigen::Index> place_of(static_cast<std::size_t>(begin), -1);
  for (std::size_t place = 0; place < places.size(); ++place)
    place_of[static_cast<std::size_t>(places[place])] = static_cast<Eigen::Index>(place);
  data::Features features;
  features.is_sparse = true;
  features.sparse.resize(made.sparse.rows(), static_cast<Eigen::Index>(places.size()));
  for (Eigen::Index row = 0; row < made.sparse.rows(); ++row) {
    features.sparse.startVec(row);
    for (SparseMatrix::InnerIterator at(made.sparse, row); at; ++at)
      if (const Eigen::Index place = place_of[static_cast<std::size_t>(at.col())]; place >= 0)
        features.sparse.insertBack(row, place) = at.value();
  }
  features.sparse.finalize();
  features.sparse.makeCompressed();
  return features;
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
    json::Value kind =
        json::Object{{"kind", known.kind}, {"encoder", known.encoder.to_json()}, {"names", std::move(names)}};
    if (has_words_) kind.set("words", true);
    kinds.push_back(std::move(kind));
  }
  return kinds;
}

KindMap KindMap::from_json(const json::Value& value) {
  KindMap map;
  for (const json::Value& one : value.as_array()) {
    Known known{.kind = one.at("kind").as_string(), .encoder = data::NodeEncoder::from_json(one.at("encoder"))};
    for (const std::string& name : one.at("names").as_strings()) known.names.add(name);
    map.has_words_ = one.get("words", false);
    map.kinds_.push_back(std::move(known));
  }
  return map;
}

}  // namespace edgewise::train
