#include "edgewise/graph/transforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/incremental_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/boost_graph.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kNoComponent = std::numeric_limits<Node>::max();

/// Breadth-first searches that stop after `limit` steps and touch only what they visit.
class TruncatedSearch {
 public:
  TruncatedSearch(const Graph& graph, std::uint32_t limit)
      : graph_(graph.boost()),
        limit_(limit),
        colours_(graph.node_count(), boost::white_color),
        hops_(graph.node_count(), 0) {}

  /// The nodes in the order of discovery. Valid until the next call.
  const std::vector<NodeAtHop>& from(Node start) {
    found_.clear();
    hops_[start] = 0;
    Queue queue{*this, {}, 0};
    boost::breadth_first_visit(
        graph_, start, queue, Visitor(*this),
        boost::make_iterator_property_map(colours_.begin(), boost::get(boost::vertex_index, graph_)));
    for (const NodeAtHop& found : found_) colours_[found.node] = boost::white_color;
    return found_;
  }

 private:
  struct Visitor : boost::default_bfs_visitor {
    explicit Visitor(TruncatedSearch& owner) : search(&owner) {}
    template <class Arc, class G>
    void tree_edge(const Arc& arc, const G& graph) const {
      search->hops_[boost::target(arc, graph)] = search->hops_[boost::source(arc, graph)] + 1;
    }
    template <class G>
    void discover_vertex(Node node, const G&) const {
      search->found_.push_back({node, search->hops_[node]});
    }
    TruncatedSearch* search;
  };

  /// A queue that takes no node from which the search must not go on: this is what truncates it.
  struct Queue {
    void push(Node node) {
      if (search.hops_[node] < search.limit_) waiting.push_back(node);
    }
    void pop() { ++first; }
    Node top() const { return waiting[first]; }
    bool empty() const { return first == waiting.size(); }

    TruncatedSearch& search;
    std::vector<Node> waiting;
    std::size_t first;
  };

  const BoostGraph& graph_;
  std::uint32_t limit_;
  std::vector<boost::default_color_type> colours_;
  std::vector<std::uint32_t> hops_;
  std::vector<NodeAtHop> found_;
};

/// Reached nodes of a run of starts: row r of the piece belongs to start `begin + r`.
struct Reached {
  std::vector<EdgeIndex> counts;
  std::vector<NodeAtHop> found;
};

/// What every node reaches within `hops` arcs, itself left out, in pieces of consecutive nodes.
std::vector<Reached> reach_from_all(const Graph& graph, std::uint32_t hops, std::size_t maximal_slots) {
  constexpr std::size_t kPieces = 64;  // each holds an array over all nodes
  const std::size_t nodes = graph.node_count();
  std::vector<Reached> pieces(std::min(kPieces, nodes));
  parallel_chunks(pieces.size(), [&](std::size_t piece) {
    TruncatedSearch search(graph, hops);
    Reached& reached = pieces[piece];
    for (std::size_t start = nodes * piece / pieces.size(); start < nodes * (piece + 1) / pieces.size(); ++start) {
      const std::vector<NodeAtHop>& found = search.from(static_cast<Node>(start));
      reached.counts.push_back(found.size() - 1);
      reached.found.insert(reached.found.end(), found.begin() + 1, found.end());
      std::sort(reached.found.end() - static_cast<std::ptrdiff_t>(found.size() - 1), reached.found.end(),
                [](const NodeAtHop& a, const NodeAtHop& b) { return a.node < b.node; });
      if (reached.found.size() > maximal_slots) break;  // refused below
    }
  });
  std::size_t slots = 0;
  for (const Reached& piece : pieces) slots += piece.found.size();
  if (slots > maximal_slots)
    throw UsageError(fmt::format("k-hop mask: {} hops make more than {} slots; take fewer hops", hops, maximal_slots));
  return pieces;
}

/// Rows are the starts.
KHopMask join_rows(const std::vector<Reached>& pieces) {
  KHopMask mask;
  for (const Reached& piece : pieces) {
    for (const EdgeIndex count : piece.counts) mask.incoming.offsets.push_back(mask.incoming.offsets.back() + count);
    for (const NodeAtHop& found : piece.found) {
      mask.incoming.columns.push_back(found.node);
      mask.hops.push_back(found.hops);
    }
  }
  return mask;
}

/// Columns are the starts.
KHopMask join_columns(const std::vector<Reached>& pieces, std::size_t nodes) {
  KHopMask mask;
  mask.incoming.offsets.assign(nodes + 1, 0);
  for (const Reached& piece : pieces)
    for (const NodeAtHop& found : piece.found) ++mask.incoming.offsets[found.node + 1];
  std::partial_sum(mask.incoming.offsets.begin(), mask.incoming.offsets.end(), mask.incoming.offsets.begin());
  mask.incoming.columns.resize(mask.incoming.offsets.back());
  mask.hops.resize(mask.incoming.offsets.back());
  std::vector<EdgeIndex> next(mask.incoming.offsets.begin(), mask.incoming.offsets.end() - 1);
  Node start = 0;
  for (const Reached& piece : pieces) {
    auto found = piece.found.begin();
    for (const EdgeIndex count : piece.counts) {
      for (EdgeIndex i = 0; i < count; ++i, ++found) {
        mask.incoming.columns[next[found->node]] = start;
        mask.hops[next[found->node]++] = found->hops;
      }
      ++start;
    }
  }
  return mask;
}

}  // namespace

Components connected_components(const Graph& graph) {
  const std::size_t nodes = graph.node_count();
  std::vector<Node> ranks(nodes), parents(nodes);
  const auto index = boost::get(boost::vertex_index, graph.boost());
  auto rank = boost::make_iterator_property_map(ranks.begin(), index);
  auto parent = boost::make_iterator_property_map(parents.begin(), index);
  boost::disjoint_sets<decltype(rank), decltype(parent)> sets(rank, parent);
  boost::initialize_incremental_components(graph.boost(), sets);
  boost::incremental_components(graph.boost(), sets);

  Components components;
  components.component.resize(nodes);
  std::vector<Node> number(nodes, kNoComponent);
  for (std::size_t node = 0; node < nodes; ++node) {
    Node& mine = number[sets.find_set(static_cast<Node>(node))];
    if (mine == kNoComponent) {
      mine = static_cast<Node>(components.sizes.size());
      components.sizes.push_back(0);
    }
    components.component[node] = mine;
    ++components.sizes[mine];
  }
  return components;
}

std::vector<NodeAtHop> neighbourhood(const Graph& graph, Node start, std::uint32_t hops) {
  if (start >= graph.node_count())
    throw UsageError(fmt::format("neighbourhood: node {}, but there are {} nodes", start, graph.node_count()));
  return TruncatedSearch(graph, hops).from(start);
}

KHopMask k_hop_mask(const Graph& graph, std::uint32_t hops, const KHopOptions& options) {
  const std::vector<Reached> pieces = reach_from_all(graph, hops, options.maximal_slots);
  // A search follows the arcs u -> v from u. When v attends to u the start is the column, else the row.
  return options.flow == Flow::source_to_target ? join_columns(pieces, graph.node_count()) : join_rows(pieces);
}

}  // namespace edgewise::graph
