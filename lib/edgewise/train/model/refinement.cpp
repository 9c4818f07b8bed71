#include "edgewise/train/model/refinement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/baselines/even_share.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"

namespace edgewise::train {
namespace {

constexpr double kCorrections[] = {0, 0.8};
constexpr double kSmoothings[] = {0.5, 0.8};

/// The classes known in training, for the nodes of `graph`.
std::vector<std::int32_t> known_classes(const Refinement& refinement, const graph::Graph& graph) {
  std::vector<std::int32_t> known(graph.node_count(), -1);
  for (graph::Node node = 0; node < known.size(); ++node)
    if (const auto found = refinement.names.find(graph.names()[node])) known[node] = refinement.classes[*found];
  return known;
}

/// Pairs of names of up to kEdgesKept edges, evenly spaced over all edges.
constexpr std::size_t kEdgesKept = 64;
std::vector<std::string> some_edges(const graph::Graph& graph) {
  const std::size_t count = std::min(kEdgesKept, graph.edge_count());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t edge = i * graph.edge_count() / count;
    names.emplace_back(graph.names()[graph.edges().sources[edge]]);
    names.emplace_back(graph.names()[graph.edges().targets[edge]]);
  }
  return names;
}

using Pair = std::pair<graph::Node, graph::Node>;

/// The stored edges with both nodes in `graph`.
std::set<Pair> possible_edges(const Refinement& refinement, const graph::Graph& graph) {
  std::set<Pair> pairs;
  for (std::size_t i = 0; i + 1 < refinement.edges.size(); i += 2) {
    const auto from = graph.names().find(refinement.edges[i]), to = graph.names().find(refinement.edges[i + 1]);
    if (from && to) pairs.emplace(*from, *to);
  }
  return pairs;
}

/// The memory that a graph and its classes take. Besides the predictions: the best ones so far, and in the step itself
/// the values, what is spread, and two iterates.
double bytes_of_step(const graph::Graph& graph, Eigen::Index classes) {
  constexpr double kCopies = 5;
  return kCopies * sizeof(float) * static_cast<double>(graph.node_count()) * static_cast<double>(classes);
}

/// Why the step does not fit in memory, as a clause; "" if it does.
std::string why_too_large(const graph::Graph& graph, Eigen::Index classes) {
  const double bytes = bytes_of_step(graph, classes);
  if (bytes <= static_cast<double>(available_memory())) return "";
  return fmt::format("{} classes of {} nodes would take at least {:.0f} GiB, more memory than is available", classes,
                     graph.node_count(), std::floor(bytes / (1 << 30)));
}

void check_memory(const graph::Graph& graph, Eigen::Index classes) {
  if (const std::string why = why_too_large(graph, classes); !why.empty())
    throw UsageError(fmt::format("correct and smooth: {}", why));
}

/// Why the classes of nodes cannot be spread along edges, as a clause ("there are no edges"); "" if they can.
std::string why_not_refined(const Dataset& data) {
  const std::vector<float>& weights = data.graph.edges().weights;
  if (data.graphs) return "graphs have the labels";
  if (data.kinds) return "the nodes are of several kinds";
  if (!data.labels.has_classes()) return "the labels are not classes";
  if (data.graph.edge_count() == 0) return "there are no edges";
  if (std::ranges::any_of(weights, [](float weight) { return weight < 0; })) return "some edges have a negative weight";
  return why_too_large(data.graph, static_cast<Eigen::Index>(data.labels.names.size()));
}

}  // namespace

std::string foreign_network(const Refinement& refinement, const graph::Graph& graph) {
  const std::vector<std::int32_t> known = known_classes(refinement, graph);
  if (std::ranges::all_of(known, [](std::int32_t of) { return of < 0; }))
    return "none of the nodes with labels known in training are here: no labels are spread";
  std::set<Pair> missing = possible_edges(refinement, graph);
  const std::size_t possible = missing.size();
  const graph::EdgeList& edges = graph.edges();
  for (std::size_t e = 0; e < edges.size() && !missing.empty(); ++e) {
    missing.erase({edges.sources[e], edges.targets[e]});
    missing.erase({edges.targets[e], edges.sources[e]});
  }
  if (2 * missing.size() <= possible) return "";
  return fmt::format(
      "nodes are named as in training, but {} of {} edges between them are missing: this is another network, and the "
      "training labels are not spread",
      missing.size(), possible);
}

json::Value Refinement::to_json() const {
  json::Value value;
  value.set("correction", options.correction);
  value.set("smoothing", options.smoothing);
  value.set("iterations", static_cast<std::int64_t>(options.iterations));
  json::Array nodes, known;
  for (graph::Node node = 0; node < names.size(); ++node) {
    nodes.emplace_back(names[node]);
    known.emplace_back(static_cast<std::int64_t>(classes[node]));
  }
  value.set("nodes", std::move(nodes));
  value.set("classes", std::move(known));
  value.set("edges", edges);
  return value;
}

Refinement Refinement::from_json(const json::Value& value, std::size_t classes) {
  Refinement refinement;
  constexpr std::int64_t kMaxIterations = 100'000;
  try {
    const std::int64_t iterations = value.at("iterations").as_integer();
    refinement.options = {value.at("correction").as_number(), value.at("smoothing").as_number(),
                          static_cast<int>(std::min(iterations, kMaxIterations))};
    for (const std::string& name : value.at("nodes").as_strings()) refinement.names.add(name);
    for (const json::Value& of : value.at("classes").as_array()) {
      const std::int64_t known = of.as_integer();
      if (known < 0 || known >= static_cast<std::int64_t>(classes))
        throw UsageError(fmt::format("expected one of the model's {} classes, got {}", classes, known));
      refinement.classes.push_back(static_cast<std::int32_t>(known));
    }
    check(refinement.options);
    if (const json::Value* edges = value.find("edges")) refinement.edges = edges->as_strings();
  } catch (const UsageError& error) {
    throw ModelError(fmt::format("correct_and_smooth: {}", error.what()));
  }
  if (refinement.names.size() != refinement.classes.size())
    throw ModelError("correct_and_smooth: expected one of the model's classes for each node");
  return refinement;
}

Matrix refine(const Refinement& refinement, const graph::Graph& graph, ConstMatrixRef predictions) {
  check_memory(graph, predictions.cols());
  Matrix refined = correct_and_smooth(graph, predictions, known_classes(refinement, graph), refinement.options);
  share_evenly(refined);
  return refined;
}

void check_refinement(const Config& config, const Dataset& data) {
  if (config.correct_and_smooth != Smoothing::always) return;
  if (const std::string why_not = why_not_refined(data); !why_not.empty())
    throw UsageError(fmt::format(
        "training.correct_and_smooth: spreads the classes of nodes along edges, but in {} {}", data.name, why_not));
}

std::optional<RefinedPredictions> best_refinement(const Dataset& data, const data::Split& split,
                                                  ConstMatrixRef predictions, const std::string& metric) {
  if (!why_not_refined(data).empty()) return std::nullopt;
  Refinement refinement;
  refinement.edges = some_edges(data.graph);
  for (const graph::Node node : data::nodes_with_role(split, data::Role::train)) {
    if (data.labels.classes[node] < 0) continue;
    refinement.names.add(data.graph.names()[node]);
    refinement.classes.push_back(data.labels.classes[node]);
  }
  const std::vector<graph::Node> validation = data::nodes_with_role(split, data::Role::validation);
  std::optional<RefinedPredictions> best;
  double best_value = 0;
  std::size_t tried = 0;
  for (const double correction : kCorrections)
    for (const double smoothing : kSmoothings) {
      const StepPart part("Correct and Smooth", tried++, std::size(kCorrections) * std::size(kSmoothings));
      refinement.options = {.correction = correction, .smoothing = smoothing};
      Matrix refined = refine(refinement, data.graph, predictions);
      const double value = train::metric(evaluate(data.labels, refined, validation), metric);
      if (best && !is_better(metric, value, best_value)) continue;
      best_value = value;
      best = RefinedPredictions{refinement, std::move(refined)};
    }
  return best;
}

}  // namespace edgewise::train
