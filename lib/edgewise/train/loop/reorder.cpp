#include "edgewise/train/loop/reorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/ordering.hpp"
#include "edgewise/graph/permutation.hpp"

namespace edgewise::train {
namespace {

using graph::EdgeIndex;
using graph::FrozenGraph;
using graph::Node;

constexpr Eigen::Index kWidth = 64;  // floats per row, such as four heads of 16
constexpr std::size_t kSlotsOfRun = 1 << 17;
constexpr std::size_t kRuns = 8;
constexpr EdgeIndex kAhead = 64;  // edges to prefetch ahead, about as attention does
constexpr int kRepeats = 3;

/// The share of the read time that no order can save: rows must at least come from the cache.
constexpr double kMinShare = 0.3;
/// Seconds per slot to reorder graph and features.
constexpr double kCostOfPermuting = 100e-9;

struct Candidate {
  const char* name;
  double cost;  ///< Seconds per slot to compute it.
};
constexpr Candidate kCandidates[] = {{"clustering", 150e-9}, {"degree", 50e-9}};

std::vector<Node> order_called(const std::string& name, const FrozenGraph& graph) {
  if (name == "degree") return graph::degree_order(graph);
  if (name == "cuthill_mckee") return graph::cuthill_mckee_order(graph);
  if (name == "clustering") return graph::clustering_order(graph);
  throw UsageError(fmt::format("reorder: expected none, degree, cuthill_mckee, clustering or auto, got \"{}\"", name));
}

/// Samples runs of neighbouring rows from all over the graph, as if `order` were applied: columns are positions of the
/// sources.
std::vector<graph::Csr> sample_of(const FrozenGraph& graph, const std::vector<Node>& order) {
  const std::vector<Node> place = graph::inverse(order);
  const std::vector<EdgeIndex>& offsets = graph.incoming.offsets;
  std::vector<graph::Csr> runs(kRuns);
  for (std::size_t run = 0; run < kRuns; ++run) {
    graph::Csr& rows = runs[run];
    const std::size_t end = order.size() * (run + 1) / kRuns;
    for (std::size_t i = order.size() * run / kRuns; i < end && rows.slots() < kSlotsOfRun; ++i) {
      const auto begin = static_cast<std::ptrdiff_t>(rows.slots());
      for (EdgeIndex slot = offsets[order[i]]; slot < offsets[order[i] + 1]; ++slot)
        rows.columns.push_back(place[graph.incoming.columns[slot]]);
      std::sort(rows.columns.begin() + begin, rows.columns.end());
      rows.offsets.push_back(rows.columns.size());
    }
  }
  return runs;
}

/// Sums rows of `table` along the edges of `rows`. The sums are stored so that nothing is optimised away.
void gather(const graph::Csr& rows, const Matrix& table, Matrix& sums) {
  using Row = Eigen::Array<float, 1, kWidth>;
  const auto row_at = [&](EdgeIndex slot) {
    return table.data() + kWidth * static_cast<Eigen::Index>(rows.columns[slot]);
  };
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    Row sum = Row::Zero();
    for (EdgeIndex slot = rows.offsets[row]; slot < rows.offsets[row + 1]; ++slot) {
      const float* later = row_at(std::min<EdgeIndex>(slot + kAhead, rows.slots() - 1));
      for (Eigen::Index c = 0; c < kWidth; c += 16) __builtin_prefetch(later + c);
      sum += Eigen::Map<const Row>(row_at(slot));
    }
    sums.row(static_cast<Eigen::Index>(row % static_cast<std::size_t>(sums.rows()))).array() = sum;
  }
}

/// Seconds for one pass along all edges of `graph` with its nodes in `order`: the minimum of a few samples.
double gather_seconds(const FrozenGraph& graph, const std::vector<Node>& order, const Matrix& table) {
  const std::vector<graph::Csr> runs = sample_of(graph, order);
  std::size_t slots = 0;
  for (const graph::Csr& run : runs) slots += run.slots();
  std::vector<Matrix> sums(kRuns, Matrix(64, kWidth));
  double least = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    parallel_chunks(kRuns, [&](std::size_t run) { gather(runs[run], table, sums[run]); });
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least * static_cast<double>(graph.slot_count()) / static_cast<double>(std::max<std::size_t>(slots, 1));
}

/// The best of all candidates, if it is worth its cost.
NodeOrder measured_order(double gathers, const FrozenGraph& graph) {
  const std::size_t nodes = graph.destination_count();
  if (nodes * kWidth * sizeof(float) <= kCachedBytes) return {};
  const auto slots = static_cast<double>(graph.slot_count());
  const Matrix table = Matrix::Zero(static_cast<Eigen::Index>(nodes), kWidth);
  std::vector<Node> given(nodes);
  std::iota(given.begin(), given.end(), Node{0});
  const double as_given = gather_seconds(graph, given, table);
  double least = as_given - kCostOfPermuting * slots / gathers;  // an order must be faster than this
  NodeOrder best;
  for (const Candidate& candidate : kCandidates) {
    if (kMinShare * as_given + candidate.cost * slots / gathers > least) continue;  // cannot pay off
    std::vector<Node> order = order_called(candidate.name, graph);
    const double seconds = gather_seconds(graph, order, table);
    if (seconds >= least) continue;
    least = seconds;
    best = {.name = candidate.name, .nodes = std::move(order), .note = {}};
  }
  if (best.nodes.empty())
    best.note = fmt::format("reorder: the nodes stay as they are ({:.0f} ms to read along the edges)", 1e3 * as_given);
  else
    best.note = fmt::format("reorder: {} ({:.0f} ms to read along the edges, {:.0f} ms as the nodes were given)",
                            best.name, 1e3 * least, 1e3 * as_given);
  return best;
}

}  // namespace

NodeOrder choose_order(const std::string& name, double gathers, const FrozenGraph& graph) {
  if (name == "none") return {};
  if (name == "auto") return measured_order(gathers, graph);
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
