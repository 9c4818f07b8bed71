#include "edgewise/train/loop/reorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "edgewise/core/error.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/ordering.hpp"
#include "edgewise/graph/permutation.hpp"

namespace edgewise::train {
namespace {

using graph::EdgeIndex;
using graph::FrozenGraph;
using graph::Node;

constexpr std::size_t kRowBytes = 64 * sizeof(float);  // such as four heads of 16
constexpr std::size_t kSlotsOfRun = 1 << 17;
constexpr std::size_t kRuns = 8;

/// By how many seconds it takes longer to read a row from memory than from the cache, by the figures of
/// docs/benchmarks/speed.md ("The order of the nodes"). The same on every machine, so that the order depends on the
/// graph alone.
constexpr double kCostOfMemory = 1.5e-9;
/// Seconds per slot to reorder graph and features.
constexpr double kCostOfPermuting = 100e-9;

struct OrderCost {
  const char* name;
  double cost;  ///< Seconds per slot to compute it.
};
constexpr OrderCost kOrderCosts[] = {{"clustering", 150e-9}, {"degree", 50e-9}};

std::vector<Node> order_called(const std::string& name, const FrozenGraph& graph) {
  if (name == "degree") return graph::degree_order(graph);
  if (name == "cuthill_mckee") return graph::cuthill_mckee_order(graph);
  if (name == "clustering") return graph::clustering_order(graph);
  throw UsageError(fmt::format("reorder: expected none, degree, cuthill_mckee, clustering or auto, got \"{}\"", name));
}

/// Which rows would be in a cache of kCachedBytes. A row has eight places, and takes that of the row not read for the
/// longest time.
class RowCache {
 public:
  /// Whether the row has to come from memory.
  bool misses(Node row) {
    const std::span<std::uint64_t> places = std::span(rows_).subspan(row % kSets * kWays, kWays);
    const auto found = std::ranges::find(places, std::uint64_t{row});
    const bool is_miss = found == places.end();
    const auto last = is_miss ? places.end() - 1 : found;
    std::shift_right(places.begin(), last + 1, 1);
    places.front() = row;
    return is_miss;
  }

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr std::size_t kSets = kCachedBytes / kRowBytes / kWays;
  static constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::uint64_t> rows_ = std::vector<std::uint64_t>(kSets * kWays, kNone);
};

/// The share of reads along the edges, with the nodes in `order`, that go to memory: that of runs of neighbouring rows
/// from all over the graph.
double share_from_memory(const FrozenGraph& graph, const std::vector<Node>& order) {
  const std::vector<Node> place = graph::inverse(order);
  const std::vector<EdgeIndex>& offsets = graph.incoming.offsets;
  RowCache cache;
  std::vector<Node> sources;
  std::size_t reads = 0, misses = 0;
  for (std::size_t run = 0; run < kRuns; ++run) {
    const std::size_t end = order.size() * (run + 1) / kRuns, most = reads + kSlotsOfRun;
    for (std::size_t i = order.size() * run / kRuns; i < end && reads < most; ++i) {
      sources.clear();
      for (EdgeIndex slot = offsets[order[i]]; slot < offsets[order[i] + 1]; ++slot)
        sources.push_back(place[graph.incoming.columns[slot]]);
      std::ranges::sort(sources);
      for (const Node source : sources) misses += cache.misses(source) ? 1 : 0;
      reads += sources.size();
    }
  }
  return static_cast<double>(misses) / static_cast<double>(std::max<std::size_t>(reads, 1));
}

/// The best of all candidates, if it is worth its cost.
NodeOrder cheapest_order(double gathers, const FrozenGraph& graph) {
  const std::size_t nodes = graph.destination_count();
  if (nodes * kRowBytes <= kCachedBytes) return {};
  std::vector<Node> given(nodes);
  std::iota(given.begin(), given.end(), Node{0});
  const double as_given = share_from_memory(graph, given);
  const auto saving_of = [&](double share) { return (as_given - share) * kCostOfMemory * gathers; };
  double most = kCostOfPermuting, share = as_given;  // an order must save more than this
  NodeOrder best;
  for (const OrderCost& candidate : kOrderCosts) {
    if (saving_of(0) - candidate.cost <= most) continue;  // cannot pay off
    std::vector<Node> order = order_called(candidate.name, graph);
    const double its_share = share_from_memory(graph, order), saving = saving_of(its_share) - candidate.cost;
    if (saving <= most) continue;
    most = saving;
    share = its_share;
    best = {.name = candidate.name, .nodes = std::move(order), .note = {}};
  }
  const char* note = best.nodes.empty()
                         ? "reorder: the nodes stay as they are ({1:.0f}% of the reads along edges go to memory)"
                         : "reorder: {0} ({1:.0f}% of the reads along edges go to memory, {2:.0f}% as given)";
  best.note = fmt::format(fmt::runtime(note), best.name, 100 * share, 100 * as_given);
  return best;
}

}  // namespace

NodeOrder choose_order(const std::string& name, double gathers, const FrozenGraph& graph) {
  if (name == "none") return {};
  if (name == "auto") return cheapest_order(gathers, graph);
  return {.name = name, .nodes = order_called(name, graph), .note = {}};
}

NodeOrder reorder(const std::string& name, double gathers, FrozenGraph& graph, data::Features& features) {
  NodeOrder order = choose_order(name, gathers, graph);
  if (order.nodes.empty()) return order;
  graph = graph::permute(graph, order.nodes);
  features = data::select_rows(features, order.nodes);
  return order;
}

}  // namespace edgewise::train
