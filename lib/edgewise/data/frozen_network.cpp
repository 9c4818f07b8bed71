#include "edgewise/data/frozen_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/graph/forward_mask.hpp"

namespace edgewise::data {
namespace {

using graph::EdgeIndex;
using graph::Node;

constexpr Eigen::Index kMostColumns = std::numeric_limits<std::int32_t>::max();

/// Whether these are offsets of `rows` rows with so many entries.
template <class T>
bool are_offsets(std::span<const T> offsets, std::size_t rows, std::size_t entries) {
  return offsets.size() == rows + 1 && offsets.front() == 0 && std::ranges::is_sorted(offsets) &&
         static_cast<std::size_t>(offsets.back()) == entries;
}

/// The rows of the mask with the self loops that are missing, or with nothing but self loops.
class MaskRows {
 public:
  MaskRows(const FrozenPart& part, const graph::FreezeOptions& options) : part_(part), options_(options) {}

  /// Calls visit(row, column, arc) for each slot in order; kNone is the arc of an added loop.
  static constexpr EdgeIndex kNone = ~EdgeIndex{0};
  template <class Visit>
  void visit(const Visit& visit) const {
    for (Node row = 0; row < part_.rows(); ++row) {
      bool lacks_loop = options_.self_loops == graph::AddSelfLoops::yes;
      for (EdgeIndex arc = part_.offsets[row]; arc < part_.offsets[row + 1]; ++arc) {
        const Node column = part_.columns[arc];
        if (options_.kept == graph::KeptEdges::self_loops && column != row) continue;
        if (lacks_loop && column >= row) {
          if (column != row) visit(row, row, kNone);
          lacks_loop = false;
        }
        visit(row, column, arc);
      }
      if (lacks_loop) visit(row, row, kNone);
    }
  }

 private:
  const FrozenPart& part_;
  const graph::FreezeOptions& options_;
};

/// As in `graph::freeze`: the weight first, if wanted; an added loop has the mean of the node's other edges.
Matrix features_of_slots(const FrozenPart& part, const graph::FreezeOptions& options,
                         const std::vector<EdgeIndex>& arcs, const graph::Csr& incoming) {
  const Eigen::Index weights = options.weight_as_feature ? 1 : 0, others = part.edge_features.cols();
  Matrix features = Matrix::Zero(weights + others == 0 ? 0 : static_cast<Eigen::Index>(arcs.size()), weights + others);
  if (features.cols() == 0) return features;
  for (std::size_t row = 0; row < incoming.rows(); ++row) {
    const EdgeIndex begin = incoming.offsets[row], end = incoming.offsets[row + 1];
    Eigen::Index added = -1;
    for (EdgeIndex slot = begin; slot < end; ++slot) {
      const auto to = static_cast<Eigen::Index>(slot);
      if (arcs[slot] == MaskRows::kNone) {
        added = to;
        continue;
      }
      if (weights > 0) {
        const float given = part.weights.empty() ? 1.0F : part.weights[arcs[slot]];
        features(to, 0) = options.weight_scale ? (*options.weight_scale)(given) : given;
      }
      if (others > 0) features.row(to).tail(others) = part.edge_features.row(static_cast<Eigen::Index>(arcs[slot]));
    }
    if (added < 0 || end - begin < 2) continue;
    const auto degree = static_cast<Eigen::Index>(end - begin);
    features.row(added) = features.middleRows(static_cast<Eigen::Index>(begin), degree).colwise().sum() /
                          static_cast<float>(degree - 1);
  }
  return features;
}

}  // namespace

std::size_t FrozenFeatures::dense_bytes() const {
  return static_cast<std::size_t>(dense.size()) * sizeof(float) +
         static_cast<std::size_t>(half.size()) * sizeof(Eigen::half);
}

const void* FrozenFeatures::dense_data() const {
  return is_half() ? static_cast<const void*>(half.data()) : dense.data();
}

void FrozenFeatures::copy_row(Eigen::Index row, float* to) const {
  if (is_half())
    Eigen::Map<Eigen::RowVectorXf>(to, half.cols()) = half.row(row).cast<float>();
  else
    std::copy_n(dense.data() + row * dense.cols(), dense.cols(), to);
}

std::string section_of_part(std::size_t part, std::string_view what) { return fmt::format("part {} {}", part, what); }

FrozenNetwork::FrozenNetwork(const std::string& path) : file_(path) {
  std::optional<std::int64_t> items;
  try {
    description_ = json::parse(std::string(file_.text("description")), path);
    const json::Value& counts = description_.at("counts");
    edges_ = static_cast<std::uint64_t>(counts.at("edges").as_integer());
    arcs_ = static_cast<std::uint64_t>(counts.at("arcs").as_integer());
    is_directed_ = description_.at("directed").as_bool();
    is_weighted_ = description_.at("weighted").as_bool();
    has_sparse_features_ = description_.at("sparse_features").as_bool();
    if (const json::Value* half = description_.find("half_features")) has_half_features_ = half->as_bool();
    if (const json::Value* of_first_kind = counts.find("items")) items = of_first_kind->as_integer();
    features_ = counts.at("features").as_integer();
    edge_features_ = counts.at("edge_features").as_integer();
  } catch (const UsageError&) {
    refuse("description");
  }
  const auto is_width = [](Eigen::Index columns) { return columns >= 0 && columns <= kMostColumns; };
  if (!is_width(features_) || !is_width(edge_features_)) refuse("description");
  const auto boundaries = file_.list<Node>("boundaries");
  boundaries_.assign(boundaries.begin(), boundaries.end());
  if (boundaries_.size() < 2 || boundaries_.front() != 0 || !std::ranges::is_sorted(boundaries_))
    refuse("boundaries");
  if (items && (*items < 0 || *items > std::int64_t{boundaries_.back()})) refuse("description");
  items_ = items ? static_cast<std::size_t>(*items) : node_count();
}

std::size_t FrozenNetwork::part_of(Node node) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(boundaries_, node) - boundaries_.begin()) - 1;
}

FrozenPart FrozenNetwork::part(std::size_t index) const {
  const auto name = [&](std::string_view what) { return section_of_part(index, what); };
  FrozenPart part;
  part.begin = boundaries_[index];
  part.end = boundaries_[index + 1];
  part.offsets = file_.list<EdgeIndex>(name("offsets"));
  part.columns = file_.list<Node>(name("columns"));
  part.halo = halo(index);
  if (is_weighted_) part.weights = file_.list<float>(name("weights"));
  const auto arcs = static_cast<Eigen::Index>(part.columns.size());
  if (edge_features_ > 0) {
    const auto values = file_.list<float>(name("edge features"));
    if (values.size() != static_cast<std::size_t>(arcs * edge_features_))
      refuse(name("edge features"));
    new (&part.edge_features) ConstMatrixMap(values.data(), arcs, edge_features_);
  }
  const auto check = [&](bool is_right, std::string_view what) {
    if (!is_right) refuse(name(what));
  };
  check(are_offsets(part.offsets, part.rows(), part.columns.size()), "offsets");
  check(std::ranges::all_of(part.columns, [most = part.rows() + part.halo.size()](Node c) { return c < most; }),
        "columns");
  if (is_weighted_) check(part.weights.size() == part.columns.size(), "weights");
  return part;
}

std::span<const Node> FrozenNetwork::halo(std::size_t part) const {
  const std::string name = section_of_part(part, "halo");
  const auto halo = file_.list<Node>(name);
  if (!std::ranges::is_sorted(halo) || (!halo.empty() && halo.back() >= node_count()))
    refuse(name);
  return halo;
}

FrozenFeatures FrozenNetwork::features(std::size_t part) const {
  const auto rows = static_cast<Eigen::Index>(boundaries_[part + 1] - boundaries_[part]);
  FrozenFeatures features;
  if (has_sparse_features_) {
    features.offsets = file_.list<std::int32_t>(section_of_part(part, "feature offsets"));
    features.columns = file_.list<std::int32_t>(section_of_part(part, "feature columns"));
    features.values = file_.list<float>(section_of_part(part, "feature values"));
    const bool is_right =
        are_offsets(features.offsets, static_cast<std::size_t>(rows), features.columns.size()) &&
        features.columns.size() == features.values.size() &&
        std::ranges::all_of(features.columns, [&](std::int32_t c) { return c >= 0 && c < features_; });
    if (!is_right) refuse(section_of_part(part, "feature offsets"));
    return features;
  }
  const std::string name = section_of_part(part, "features");
  const auto check = [&](std::size_t size) {
    if (size != static_cast<std::size_t>(rows * features_)) refuse(name);
  };
  if (has_half_features_) {
    const auto values = file_.list<Eigen::half>(name);
    check(values.size());
    new (&features.half) Eigen::Map<const FrozenFeatures::HalfMatrix>(values.data(), rows, features_);
  } else {
    const auto values = file_.list<float>(name);
    check(values.size());
    new (&features.dense) ConstMatrixMap(values.data(), rows, features_);
  }
  return features;
}

graph::NodeNames FrozenNetwork::names() const {
  const auto offsets = file_.list<std::uint64_t>("name offsets");
  const std::string_view characters = file_.text("name characters");
  if (!are_offsets(offsets, node_count(), characters.size())) refuse("name offsets");
  graph::NodeNames names;
  for (std::size_t node = 0; node < node_count(); ++node)
    names.add(characters.substr(offsets[node], offsets[node + 1] - offsets[node]));
  if (names.size() != node_count()) refuse("name characters");
  return names;
}

void FrozenNetwork::refuse(std::string_view section) const { file_.refuse(section, "does not hold what it should"); }

template <class T>
std::vector<T> FrozenNetwork::list_of_items(std::string_view section, std::size_t columns) const {
  if (!file_.has(section)) return {};
  const auto list = file_.list<T>(section);
  if (list.size() != item_count() * columns) refuse(section);
  return {list.begin(), list.end()};
}

Matrix FrozenNetwork::matrix(std::string_view section, Eigen::Index columns) const {
  const std::vector<float> values = list_of_items<float>(section, static_cast<std::size_t>(columns));
  if (values.empty()) return {};
  return ConstMatrixMap(values.data(), static_cast<Eigen::Index>(item_count()), columns);
}

void FrozenNetwork::read_label_names(const json::Value& given, FindTask find_task, Labels& labels) const try {
  labels.names = given.at("names").as_strings();
  const Task* task = find_task(given.at("task").as_string());
  if (task == nullptr) refuse("description");
  labels.task = *task;
  if (const json::Value* positive = given.find("positive")) {
    if (positive->as_integer() < 0 || positive->as_integer() >= std::ssize(labels.names)) refuse("description");
    labels.positive = static_cast<std::int32_t>(positive->as_integer());
  }
} catch (const UsageError&) {
  refuse("description");
}

Labels FrozenNetwork::labels(FindTask find_task) const {
  Labels labels;
  const json::Value* given = description_.find("labels");
  if (given == nullptr) return labels;
  read_label_names(*given, find_task, labels);
  labels.classes = list_of_items<std::int32_t>("classes");
  const auto count = std::ssize(labels.names);
  if (std::ranges::any_of(labels.classes, [&](std::int32_t one) { return one < -1 || one >= count; }))
    refuse("classes");
  labels.targets = matrix("targets", count);
  labels.lower_bounds = matrix("lower bounds", count);
  labels.upper_bounds = matrix("upper bounds", count);
  if (labels.lower_bounds.size() != labels.upper_bounds.size()) refuse("lower bounds");
  if (labels.item_count() == 0) refuse("description");
  labels.weights = list_of_items<float>("label weights");
  return labels;
}

std::optional<Split> FrozenNetwork::split() const {
  if (!file_.has("roles")) return std::nullopt;
  Split split = list_of_items<Role>("roles");
  if (std::ranges::any_of(split, [](Role role) { return role > Role::test; })) refuse("roles");
  return split;
}

graph::FrozenGraph mask_of(const FrozenPart& part, const graph::FreezeOptions& options, MaskUse use) {
  const std::size_t sources = part.rows() + part.halo.size();
  const bool is_as_stored = options.self_loops == graph::AddSelfLoops::no && options.kept == graph::KeptEdges::all &&
                            !options.weight_as_feature && part.edge_features.cols() == 0;
  if (is_as_stored && use == MaskUse::forward) {
    const auto copy = [](const auto& list) { return std::vector(list.begin(), list.end()); };
    return graph::forward_mask({copy(part.offsets), copy(part.columns)}, sources);
  }
  const MaskRows rows(part, options);
  graph::Csr incoming;
  incoming.offsets.assign(part.rows() + 1, 0);
  std::vector<EdgeIndex> arcs;
  arcs.reserve(part.columns.size() + part.rows());
  incoming.columns.reserve(part.columns.size() + part.rows());
  rows.visit([&](Node row, Node column, EdgeIndex arc) {
    ++incoming.offsets[row + 1];
    incoming.columns.push_back(column);
    arcs.push_back(arc);
  });
  for (std::size_t row = 0; row < part.rows(); ++row) incoming.offsets[row + 1] += incoming.offsets[row];
  graph::FrozenGraph mask = use == MaskUse::forward ? graph::forward_mask(std::move(incoming), sources)
                                                    : graph::freeze(std::move(incoming), sources);
  mask.edge_features = features_of_slots(part, options, arcs, mask.incoming);
  for (std::size_t slot = 0; slot < arcs.size(); ++slot)
    if (arcs[slot] == MaskRows::kNone) mask.edge[slot] = graph::kAddedSelfLoop;
  return mask;
}

graph::EdgeRows edge_rows_of(const FrozenNetwork& network, const graph::FreezeOptions& options) {
  std::vector<graph::EdgePiece> pieces;
  for (std::size_t p = 0; p < network.part_count(); ++p) {
    const FrozenPart part = network.part(p);
    pieces.push_back({.begin = part.begin,
                      .offsets = part.offsets,
                      .columns = part.columns,
                      .halo = part.halo,
                      .weights = part.weights,
                      .edge_features = part.edge_features});
  }
  return {std::move(pieces), options};
}

}  // namespace edgewise::data
