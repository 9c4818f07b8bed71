#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/graph/masks/rules.hpp"

namespace edgewise::python {
namespace {

using graph::FrozenGraph;
using graph::Node;
using graph::StoredEdge;

void check_nodes(const Integers& numbers, const std::string& name, std::size_t count) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (const std::int64_t node = numbers.data()[i]; node < 0 || static_cast<std::size_t>(node) >= count)
      throw UsageError(fmt::format("Mask: {}[{}]: expected a node from 0 to {}, got {}", name, i,
                                   static_cast<std::int64_t>(count) - 1, node));
}

std::vector<Node> to_nodes(const Integers& numbers, const std::string& name, std::size_t count) {
  check_nodes(numbers, name, count);
  return {numbers.data(), numbers.data() + numbers.size()};
}

/// Sorts `order` by `key` of its elements, which are below `count`; equal ones stay in order.
void sort_stably(std::vector<StoredEdge>& order, const std::vector<Node>& key, std::size_t count) {
  std::vector<StoredEdge> next(count + 1), sorted(order.size());
  for (const Node k : key) ++next[k + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const StoredEdge e : order) sorted[next[key[e]]++] = e;
  order.swap(sorted);
}

/// Where the rows of a mask begin whose slots have these targets, in any order.
std::vector<graph::EdgeIndex> offsets_of(const std::vector<Node>& targets, std::size_t destination_count) {
  std::vector<graph::EdgeIndex> offsets(destination_count + 1);
  for (const Node target : targets) ++offsets[target + 1];
  std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
  return offsets;
}

void check_rows(const Table& features, std::size_t edge_count) {
  if (features.shape(0) != edge_count)
    throw UsageError(fmt::format("Mask: expected edge_features [{} edges, features], got {} rows", edge_count,
                                 features.shape(0)));
}

void set_features(FrozenGraph& mask, const Table& features) {
  check_rows(features, mask.slot_count());
  const ConstMatrixMap rows = view(features);
  mask.edge_features.resize(rows.rows(), rows.cols());
  for (std::size_t slot = 0; slot < mask.slot_count(); ++slot)
    mask.edge_features.row(static_cast<Eigen::Index>(slot)) = rows.row(static_cast<Eigen::Index>(mask.edge[slot]));
}

/// Edge e lets targets[e] attend to sources[e].
std::shared_ptr<FrozenGraph> from_edges(const Integers& sources, const Integers& targets,
                                              std::size_t source_count, std::size_t destination_count,
                                              const std::optional<Table>& features) {
  if (sources.size() != targets.size())
    throw UsageError(fmt::format("Mask: {} sources, but {} targets", sources.size(), targets.size()));
  if (sources.size() > graph::kMaximalArcs)
    throw UsageError(fmt::format("Mask: {} edges, but at most {} can be held", sources.size(), graph::kMaximalArcs));
  const std::vector<Node> from = to_nodes(sources, "sources", source_count);
  const std::vector<Node> to = to_nodes(targets, "targets", destination_count);
  std::vector<StoredEdge> order(from.size());
  std::iota(order.begin(), order.end(), StoredEdge{0});
  sort_stably(order, from, source_count);
  sort_stably(order, to, destination_count);
  graph::Csr incoming{offsets_of(to, destination_count), std::vector<Node>(order.size())};
  for (std::size_t slot = 0; slot < order.size(); ++slot) incoming.columns[slot] = from[order[slot]];
  auto mask = std::make_shared<FrozenGraph>(graph::freeze(std::move(incoming), source_count));
  mask->edge.assign(order.begin(), order.end());
  if (features) set_features(*mask, *features);
  return mask;
}

/// The mask of a rule over graphs with these numbers of nodes; `edges` are those of their union.
std::shared_ptr<FrozenGraph> from_rule(const std::string& rule, const std::vector<std::size_t>& sizes,
                                             const FrozenGraph* edges, std::uint32_t grid_columns) {
  std::vector<Node> offsets{0};
  for (const std::size_t size : sizes) offsets.push_back(offsets.back() + static_cast<Node>(size));
  const graph::Mask mask = graph::parse_mask(rule, "Mask.rule");
  if (mask.rule->needs_edges && edges == nullptr)
    throw UsageError(fmt::format("Mask.rule: \"{}\" needs edges: call it on a mask of edges", rule));
  const FrozenGraph none = graph::freeze(graph::Csr{std::vector<graph::EdgeIndex>(offsets.back() + 1), {}},
                                         offsets.back());
  const FrozenGraph& given = edges != nullptr ? *edges : none;
  if (given.destination_count() != offsets.back())
    throw UsageError(fmt::format("Mask.rule: the sizes add up to {} nodes, the edges have {}", offsets.back(),
                                 given.destination_count()));
  return std::make_shared<FrozenGraph>(
      mask.build({.edges = given, .offsets = offsets, .grid_columns = grid_columns}));
}

/// The same edges with other features, in the order in which the mask was given its edges.
std::shared_ptr<FrozenGraph> with_features(const FrozenGraph& mask, const Table& features) {
  auto other = std::make_shared<FrozenGraph>(mask);
  set_features(*other, features);
  return other;
}

/// What the features of the edges to each of the first `count` nodes come to, [count, features]; `start` without any.
NumpyMatrix reduce_features(const Integers& targets, const Table& features, std::size_t count,
                            const std::string& reduction, float start) {
  using Doubles = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  check_rows(features, targets.size());
  const ConstMatrixMap rows = view(features);
  Doubles reduced = Doubles::Constant(static_cast<Eigen::Index>(count), rows.cols(), start);
  std::vector<std::size_t> degrees(count);
  const auto add_up = [&](const auto& add) {
    for (std::size_t e = 0; e < targets.size(); ++e) {
      const auto node = static_cast<std::size_t>(targets.data()[e]);
      if (node >= count) continue;
      auto sum = reduced.row(static_cast<Eigen::Index>(node)).array();
      const auto row = rows.row(static_cast<Eigen::Index>(e)).array().cast<double>();
      if (degrees[node]++ == 0)
        sum = row;
      else
        add(sum, row);
    }
  };
  if (reduction == "min")
    add_up([](auto& least, const auto& row) { least = least.min(row); });
  else if (reduction == "max")
    add_up([](auto& greatest, const auto& row) { greatest = greatest.max(row); });
  else if (reduction == "mul")
    add_up([](auto& product, const auto& row) { product *= row; });
  else
    add_up([](auto& sum, const auto& row) { sum += row; });
  if (reduction == "mean")
    for (std::size_t node = 0; node < count; ++node)
      if (degrees[node] > 0) reduced.row(static_cast<Eigen::Index>(node)) /= static_cast<double>(degrees[node]);
  return to_numpy(Matrix(reduced.cast<float>()));
}

/// A mask from what the functions below tell of it.
std::shared_ptr<FrozenGraph> from_slots(const Integers& sources, const Integers& targets, const Integers& edges,
                                        std::size_t source_count, std::size_t destination_count,
                                        const Table& features) {
  if (targets.size() != sources.size() || edges.size() != sources.size())
    throw UsageError(fmt::format("Mask: {} sources, but {} targets and {} edges", sources.size(), targets.size(),
                                 edges.size()));
  const std::vector<Node> to = to_nodes(targets, "targets", destination_count);
  graph::Csr incoming{offsets_of(to, destination_count), to_nodes(sources, "sources", source_count)};
  check_rows(features, sources.size());
  auto mask = std::make_shared<FrozenGraph>(graph::freeze(std::move(incoming), source_count));
  mask->edge.assign(edges.data(), edges.data() + edges.size());
  mask->edge_features = to_matrix(features);
  return mask;
}

NumpyIntegers sources_of(const FrozenGraph& mask) {
  return to_numpy(std::vector<std::int64_t>(mask.incoming.columns.begin(), mask.incoming.columns.end()));
}

NumpyIntegers targets_of(const FrozenGraph& mask) {
  std::vector<std::int64_t> targets;
  targets.reserve(mask.slot_count());
  for (std::size_t row = 0; row < mask.destination_count(); ++row)
    targets.resize(mask.incoming.offsets[row + 1], static_cast<std::int64_t>(row));
  return to_numpy(std::move(targets));
}

NumpyIntegers edges_of(const FrozenGraph& mask) {
  return to_numpy(std::vector<std::int64_t>(mask.edge.begin(), mask.edge.end()));
}

/// [slots, features], no columns without features.
NumpyMatrix features_of(const FrozenGraph& mask) {
  Matrix features = mask.edge_features;
  features.conservativeResize(static_cast<Eigen::Index>(mask.slot_count()), features.cols());
  return to_numpy(std::move(features));
}

}  // namespace

void bind_mask(nb::module_& module) {
  nb::class_<FrozenGraph>(module, "Mask")
      .def_prop_ro("source_count", &FrozenGraph::source_count)
      .def_prop_ro("destination_count", &FrozenGraph::destination_count)
      .def_prop_ro("edge_count", &FrozenGraph::slot_count)
      .def_prop_ro("feature_count", [](const FrozenGraph& mask) { return mask.edge_features.cols(); })
      .def("sources", &sources_of)
      .def("targets", &targets_of)
      .def("edges", &edges_of)
      .def("features", &features_of)
      .def("with_features", &with_features, nb::arg("features"));
  module.def("check_nodes", &check_nodes, nb::arg("numbers"), nb::arg("name"), nb::arg("count"));
  module.def("mask_from_edges", &from_edges, nb::arg("sources"), nb::arg("targets"), nb::arg("source_count"),
             nb::arg("destination_count"), nb::arg("features").none());
  module.def("mask_from_slots", &from_slots, nb::arg("sources"), nb::arg("targets"), nb::arg("edges"),
             nb::arg("source_count"), nb::arg("destination_count"), nb::arg("features"));
  module.def("reduce_features", &reduce_features, nb::arg("targets"), nb::arg("features"), nb::arg("count"),
             nb::arg("reduction"), nb::arg("start"));
  module.def("mask_from_rule", &from_rule, nb::arg("rule"), nb::arg("sizes"), nb::arg("edges").none(),
             nb::arg("grid_columns"));
}

}  // namespace edgewise::python
