#include "edgewise/train/inputs/feature_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/sparse_columns.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/encodings.hpp"
#include "edgewise/data/graph_statistics.hpp"
#include "edgewise/data/neighbour_means.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/source/collection_data.hpp"
#include "edgewise/train/source/excluded_columns.hpp"

namespace edgewise::train {
namespace {

data::Features identity_features(const graph::NodeNames& nodes, const graph::NodeNames& known,
                                 std::vector<std::string>* notes) {
  data::Features features;
  features.is_sparse = true;
  features.sparse.resize(static_cast<Eigen::Index>(nodes.size()), static_cast<Eigen::Index>(known.size()));
  std::size_t unseen = 0;
  for (graph::Node node = 0; node < nodes.size(); ++node) {
    features.sparse.startVec(static_cast<Eigen::Index>(node));
    const auto column = known.find(nodes[node]);
    if (column)
      features.sparse.insertBack(static_cast<Eigen::Index>(node), static_cast<Eigen::Index>(*column)) = 1;
    else
      ++unseen;
  }
  features.sparse.finalize();
  features.sparse.makeCompressed();
  if (unseen > 0 && notes != nullptr)
    notes->push_back(fmt::format("{} not seen in training, and there are no other features",
                                 counted(unseen, "node was", "nodes were")));
  return features;
}

/// Repeats the values of graphs for each of their nodes.
Matrix of_nodes(const Matrix& graphs, std::span<const graph::Node> offsets) {
  Matrix nodes(static_cast<Eigen::Index>(offsets.back()), graphs.cols());
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g)
    nodes.middleRows(offsets[g], offsets[g + 1] - offsets[g]).rowwise() = graphs.row(static_cast<Eigen::Index>(g));
  return nodes;
}

constexpr std::array kRowNames = {"nodes", "neighbours", "graphs", "edges"};  // names of FeatureTrees::Rows

FeatureTrees trees_from_json(const json::Value& value) {
  const std::string name = value.at("tree_rows").as_string();
  const auto place = std::ranges::find(kRowNames, name);
  if (place == kRowNames.end()) throw ModelError(fmt::format("features: trees with unknown rows \"{}\"", name));
  return {TreeMap::from_json(value.at("trees")), static_cast<FeatureTrees::Rows>(place - kRowNames.begin())};
}

/// Says how many nodes of a collection, and how many whole graphs, have no token that the model knows.
std::string unknown_tokens(const Collection& collection, const std::vector<bool>& is_unknown) {
  const auto count = static_cast<std::size_t>(std::ranges::count(is_unknown, true));
  if (count == 0) return "";
  std::size_t graphs = 0;
  for (std::size_t g = 0; g + 1 < collection.offsets.size(); ++g) {
    const auto begin = is_unknown.begin() + collection.offsets[g], end = is_unknown.begin() + collection.offsets[g + 1];
    if (begin != end && std::find(begin, end, false) == end) ++graphs;
  }
  const std::string whole = counted(graphs, "graph has no token that it knows", "graphs have no token that it knows");
  return fmt::format("{} of {} tokens are unknown to the model{}", count, is_unknown.size(),
                     graphs > 0 ? "; " + whole : "");
}

}  // namespace

SparseMatrix tree_rows(const Dataset& data, const data::Features& features, FeatureTrees::Rows rows) {
  if (rows == FeatureTrees::Rows::nodes) return data::own_columns(features);
  const SparseMatrix nodes = data::columns_with_neighbours(features, data.graph);
  if (rows == FeatureTrees::Rows::neighbours) return nodes;
  if (rows == FeatureTrees::Rows::edges)
    return side_by_side(nodes, with_all_entries(data::columns_of_edges(data.graph)));
  if (!data.graphs) throw ModelError(fmt::format("{}: the model is made for whole graphs", data.name));
  return with_all_entries(data::node_statistics(nodes, data.graphs->offsets));
}

FeatureMap FeatureMap::fit(const Dataset& data, const SplitConfig& config, const data::Split& split,
                           bool has_words) {
  if (data.frozen || data.thawed) {
    FeatureMap map = from_json((data.frozen ? data.frozen : data.thawed)->description().at("features"));
    if (data.links && map.encoding_columns_ > 0)
      throw DataError(fmt::format("{}: its encodings were made from all ties, which would give away those to predict: "
                                  "freeze the network without them",
                                  data.name));
    return map;
  }
  FeatureMap map;
  map.encoding_columns_ = static_cast<std::size_t>(data.encodings.cols());
  if (data.edges) map.evidence_ = EdgeEvidence::fit(data, config, split);
  if (data.features.columns() > 0) {
    map.ready_columns_ = data.features.columns();
    return map;
  }
  if (data.node_table().rows() > 0 || data.kinds) {
    map.kind_ = data.kinds ? Kind::kinds : Kind::table;
    data::NodeEncoderOptions options{.excluded = excluded_columns(data, config)};
    if (data.collection) options.tokens = data.collection->tokens;
    const std::vector<graph::Node> items = data::nodes_with_role(split, data::Role::train);
    if (data.node_table().rows() > 0)
      map.encoder_ = data::NodeEncoder::fit(data.node_table(), nodes_of_items(data, items), options);
    if (data.kinds) map.kinds_ = KindMap::fit(data, map.encoder_, has_words);
    if (map.encoder_.columns() > 0 || map.evidence_ || data.kinds) return map;
    if (data.collection && map.encoding_columns_ > 0) return map;
    if (data.collection)
      throw DataError(fmt::format("{}: no column can be used as a feature of the nodes", data.node_table().file));
  }
  return identity(data);
}

FeatureMap FeatureMap::identity(const Dataset& data) {
  FeatureMap map;
  map.kind_ = Kind::identity;
  map.encoding_columns_ = static_cast<std::size_t>(data.encodings.cols());
  map.names_ = data.graph.names();
  map.has_degree_ = !data.reading.encodings.degree && !data.links;  // the degree would count the ties to predict
  return map;
}

void FeatureMap::check_frozen(const data::FrozenNetwork& network) const {
  if (!(to_json() == network.description().at("features")))
    throw ModelError(fmt::format("{}: the features were frozen for other models: freeze the network with this one ({})",
                                 network.path(), "edgewise data freeze --features-of MODEL"));
}

/// Those of a frozen network stay in its file: their columns, but no rows.
data::Features FeatureMap::frozen_features(const data::FrozenNetwork& network) const {
  check_frozen(network);
  data::Features features;
  features.is_sparse = network.has_sparse_features();
  features.dense.resize(0, features.is_sparse ? 0 : network.feature_count());
  features.sparse.resize(0, features.is_sparse ? network.feature_count() : 0);
  return features;
}

data::Features FeatureMap::apply(const Dataset& data, std::vector<std::string>* notes) const {
  return through_trees(data, own(data, notes));
}

data::Features FeatureMap::own(const Dataset& data, std::vector<std::string>* notes) const {
  if (data.frozen) return frozen_features(*data.frozen);
  if (data.thawed) {
    check_frozen(*data.thawed);
    return data.features;
  }
  if (static_cast<std::size_t>(data.encodings.cols()) != encoding_columns_)
    throw ModelError(fmt::format("{}: the nodes have {} columns of encodings, the model is made for {}", data.name,
                                 data.encodings.cols(), encoding_columns_));
  if (data.edges.has_value() != evidence_.has_value())
    throw ModelError(fmt::format("{}: {} have the labels, but the model labels {}", data.name,
                                 data.edges ? "edges" : "nodes", evidence_ ? "edges" : "nodes"));
  data::Features features = evidence_ ? of_edges(data, notes) : apply_to_table(data, notes);
  data::append_columns(data.encodings, features);
  if (encoding_columns_ > 0) features.names.clear();
  return features;
}

data::Features FeatureMap::through_trees(const Dataset& data, data::Features own) const {
  if (!trees_) return own;
  return tree_outputs(data, tree_rows(data, own, trees_->rows));
}

data::Features FeatureMap::of_tables(const data::Features& made) const {
  return kind_ == Kind::kinds ? kinds_.own_columns(made, encoder_) : made;
}

std::vector<FeatureColumns> FeatureMap::own_names(const Dataset& data) const {
  std::vector<FeatureColumns> names;
  Eigen::Index next = 0;
  const auto add = [&](std::string name, std::size_t count) {
    names.push_back({std::move(name), next, static_cast<Eigen::Index>(count)});
    next += names.back().count;
  };
  if (kind_ == Kind::table)
    for (auto& [column, width] : encoder_.column_widths()) add(std::move(column), width);
  if (evidence_)
    for (const std::string& name : evidence_->names()) add(name, 1);
  if (kind_ == Kind::kinds)
    for (auto& [column, width] : kinds_.column_widths(encoder_)) add(std::move(column), width);
  if (kind_ == Kind::ready)
    for (std::size_t c = 0; c < ready_columns_; ++c)
      add(c < data.features.names.size() ? data.features.names[c] : std::to_string(c + 1), 1);
  if (kind_ == Kind::identity) next = static_cast<Eigen::Index>(own_columns() - encoding_columns_);
  if (encoding_columns_ > 0) add("encodings", encoding_columns_);
  return names;
}

data::Features FeatureMap::tree_outputs(const Dataset& data, const SparseMatrix& rows) const {
  data::Features outputs;
  outputs.dense = trees_->trees.apply(rows);
  if (trees_->rows == FeatureTrees::Rows::graphs) outputs.dense = of_nodes(outputs.dense, data.graphs->offsets);
  return outputs;
}

/// The columns of the table that the encoder knows, if there are any, and the numbers of the labels nearby.
data::Features FeatureMap::of_edges(const Dataset& data, std::vector<std::string>* notes) const {
  data::Features features;
  if (encoder_.columns() > 0) features = apply_to_table(data, notes);
  const Matrix numbers = evidence_->apply(*data.edges);
  if (features.columns() == 0)
    features.dense = numbers;
  else
    data::append_columns(numbers, features);
  features.names.clear();
  return features;
}

data::Features FeatureMap::apply_to_table(const Dataset& data, std::vector<std::string>* notes) const {
  if (kind_ == Kind::identity) {
    data::Features features = identity_features(data.graph.names(), names_, notes);
    const std::vector<graph::Node> offsets = {0, static_cast<graph::Node>(data.graph.node_count())};
    if (has_degree_) data::append_columns(data::degree_encoding(data.graph, offsets), features);
    return features;
  }
  if (kind_ == Kind::ready) {
    if (data.features.columns() == ready_columns_) return data.features;
    const bool may_lack_file = !data.reading.tu.empty() && data.features.columns() < ready_columns_;
    throw ModelError(fmt::format("{}: the nodes have {} features, the model is made for {}{}", data.name,
                                 data.features.columns(), ready_columns_,
                                 may_lack_file ? "; is there a NAME_node_attributes.txt with all columns?" : ""));
  }
  if (data.kinds.has_value() != (kind_ == Kind::kinds))
    throw ModelError(fmt::format("{}: the model is made for {}", data.name,
                                 data.kinds ? "nodes of one kind" : "nodes of several kinds"));
  if (kind_ == Kind::kinds) return kinds_.apply(data, encoder_, notes);
  if (data.node_table().columns.empty() && !data.edges)
    throw ModelError(
        fmt::format("{}: the model needs a node table, but there is none ({})", data.name, setting("data.nodes")));
  data::EncodingReport report;
  data::Features features = encoder_.encode(data.node_table(), &report);
  if (notes == nullptr) return features;
  note_report(report, *notes);
  for (const auto& [column, range, values] : report.far)
    notes->push_back(
        fmt::format("column \"{}\": {}", column,
                    to_string(values, range,
                              fmt::format("node \"{}\"", data.graph.names()[static_cast<graph::Node>(values.row)]))));
  if (data.collection)
    if (std::string line = unknown_tokens(*data.collection, report.is_unknown); !line.empty())
      notes->push_back(std::move(line));
  return features;
}

void FeatureMap::find_unlike(const Dataset& data,
                             const std::function<void(std::size_t node, const std::string& reason)>& on_node) const {
  const bool has_encoder = kind_ == Kind::table || kind_ == Kind::kinds;
  if (evidence_) evidence_->find_unlike(*data.edges, on_node);
  if (has_encoder && !data.node_table().columns.empty()) return encoder_.find_unlike(data.node_table(), on_node);
  if (has_encoder || kind_ == Kind::ready) return;
  for (graph::Node node = 0; node < data.graph.node_count(); ++node)
    if (!names_.find(data.graph.names()[node])) on_node(node, "not in training");
}

std::size_t FeatureMap::columns() const { return trees_ ? trees_->trees.outputs() : own_columns(); }

std::size_t FeatureMap::own_columns() const {
  switch (kind_) {
    case Kind::table:
      return encoder_.columns() + (evidence_ ? evidence_->columns() : 0) + encoding_columns_;
    case Kind::kinds:
      return kinds_.columns(encoder_) + encoding_columns_;
    case Kind::identity:
      return names_.size() + (has_degree_ ? 1 : 0) + encoding_columns_;
    case Kind::ready:
      break;
  }
  return ready_columns_ + encoding_columns_;
}

std::vector<std::string> FeatureMap::notes() const {
  std::vector<std::string> notes = encoder_.notes();
  if (kind_ == Kind::kinds) std::ranges::move(kinds_.notes(), std::back_inserter(notes));
  if (kind_ == Kind::identity)
    notes.push_back(fmt::format("the nodes have no features: each node is its own feature{}",
                                has_degree_ ? ", along with its degree" : ""));
  return notes;
}

json::Value FeatureMap::to_json() const {
  json::Value value;
  switch (kind_) {
    case Kind::table:
      value.set("kind", "table");
      value.set("encoder", encoder_.to_json());
      break;
    case Kind::kinds:
      value.set("kind", "kinds");
      value.set("encoder", encoder_.to_json());
      value.set("kinds", kinds_.to_json());
      break;
    case Kind::identity: {
      value.set("kind", "identity");
      json::Array names;
      for (graph::Node node = 0; node < names_.size(); ++node) names.emplace_back(names_[node]);
      value.set("nodes", std::move(names));
      value.set("degree", has_degree_);
      break;
    }
    case Kind::ready:
      value.set("kind", "ready");
      value.set("columns", static_cast<std::int64_t>(ready_columns_));
      break;
  }
  if (evidence_) value.set("evidence", evidence_->to_json());
  if (encoding_columns_ > 0) value.set("encodings", static_cast<std::int64_t>(encoding_columns_));
  if (trees_) {
    value.set("trees", trees_->trees.to_json());
    value.set("tree_rows", kRowNames.at(static_cast<std::size_t>(trees_->rows)));
  }
  return value;
}

FeatureMap FeatureMap::from_json(const json::Value& value) {
  FeatureMap map;
  try {
    const std::string kind = value.at("kind").as_string();
    if (kind == "table") {
      map.kind_ = Kind::table;
      map.encoder_ = data::NodeEncoder::from_json(value.at("encoder"));
    } else if (kind == "kinds") {
      map.kind_ = Kind::kinds;
      map.encoder_ = data::NodeEncoder::from_json(value.at("encoder"));
      map.kinds_ = KindMap::from_json(value.at("kinds"));
    } else if (kind == "identity") {
      map.kind_ = Kind::identity;
      for (const std::string& name : value.at("nodes").as_strings()) map.names_.add(name);
      map.has_degree_ = value.get("degree", false);
    } else if (kind == "ready") {
      map.ready_columns_ = static_cast<std::size_t>(std::max<std::int64_t>(0, value.at("columns").as_integer()));
    } else {
      throw ModelError(fmt::format("features: unknown kind \"{}\"", kind));
    }
    map.encoding_columns_ =
        static_cast<std::size_t>(std::max<std::int64_t>(0, value.get("encodings", std::int64_t{0})));
    if (const json::Value* evidence = value.find("evidence")) map.evidence_ = EdgeEvidence::from_json(*evidence);
    if (value.find("trees") != nullptr) map.trees_ = trees_from_json(value);
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("features: {}", error.what()));
  }
  return map;
}

}  // namespace edgewise::train
