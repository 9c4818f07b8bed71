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
void sort_stably(std::vector<std::size_t>& order, const std::vector<Node>& key, std::size_t count) {
  std::vector<std::size_t> next(count + 1), sorted(order.size());
  for (const Node k : key) ++next[k + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  for (const std::size_t e : order) sorted[next[key[e]]++] = e;
  order.swap(sorted);
}

void set_features(FrozenGraph& mask, const Table& features) {
  if (features.shape(0) != mask.slot_count())
    throw UsageError(
        fmt::format("Mask: expected edge_features [{} edges, features], got {} rows", mask.slot_count(),
                    features.shape(0)));
  const Matrix rows = to_matrix(features);
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
  const std::vector<Node> from = to_nodes(sources, "sources", source_count);
  const std::vector<Node> to = to_nodes(targets, "targets", destination_count);
  std::vector<std::size_t> order(from.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  sort_stably(order, from, source_count);
  sort_stably(order, to, destination_count);
  graph::Csr incoming{std::vector<graph::EdgeIndex>(destination_count + 1), std::vector<Node>(order.size())};
  for (const Node target : to) ++incoming.offsets[target + 1];
  std::partial_sum(incoming.offsets.begin(), incoming.offsets.end(), incoming.offsets.begin());
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

}  // namespace

void bind_mask(nb::module_& module) {
  nb::class_<FrozenGraph>(module, "Mask")
      .def_prop_ro("source_count", &FrozenGraph::source_count)
      .def_prop_ro("destination_count", &FrozenGraph::destination_count)
      .def_prop_ro("edge_count", &FrozenGraph::slot_count)
      .def_prop_ro("feature_count", [](const FrozenGraph& mask) { return mask.edge_features.cols(); })
      .def("sources", &sources_of)
      .def("targets", &targets_of)
      .def("edges", &edges_of);
  module.def("check_nodes", &check_nodes, nb::arg("numbers"), nb::arg("name"), nb::arg("count"));
  module.def("mask_from_edges", &from_edges, nb::arg("sources"), nb::arg("targets"), nb::arg("source_count"),
             nb::arg("destination_count"), nb::arg("features").none());
  module.def("mask_from_rule", &from_rule, nb::arg("rule"), nb::arg("sizes"), nb::arg("edges").none(),
             nb::arg("grid_columns"));
}

}  // namespace edgewise::python
