#include "edgewise/graph/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/detail/finish_graph.hpp"
#include "edgewise/graph/ordering.hpp"

namespace edgewise::graph {
namespace {

constexpr std::size_t kNodesPerChunk = 256;
constexpr std::uint32_t kBits = 64;
constexpr std::size_t kAhead = 16;  // rows and places that are prefetched
/// Keys are (seed, kStream, epoch, number): those of the order of items and clusters, and those of a step or batch.
constexpr Stream kStream = Stream::shuffle;
constexpr std::uint64_t kOfOrder = ~std::uint64_t{0};
constexpr std::uint64_t kBeforehand = ~std::uint64_t{0};  // the epoch of the walks that are counted beforehand

/// In [0, bound), from 32 bits.
std::uint32_t scaled(std::uint32_t bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>((std::uint64_t{bits} * bound) >> 32);
}

/// Nodes in the order in which they were added. Emptying it costs nothing: a place counts only if the node is there.
class NodeList {
 public:
  explicit NodeList(std::size_t nodes) : place_(nodes, 0) {}

  void clear() { nodes_.clear(); }
  bool has(Node node) const { return place_[node] < nodes_.size() && nodes_[place_[node]] == node; }
  /// The place of a node that is there.
  Node place(Node node) const { return place_[node]; }
  /// The place of a node, which is added if it is not there.
  Node add(Node node) {
    if (!has(node)) {
      place_[node] = static_cast<Node>(nodes_.size());
      nodes_.push_back(node);
    }
    return place_[node];
  }
  void expect(Node node) const { __builtin_prefetch(&place_[node]); }
  std::size_t size() const { return nodes_.size(); }
  const std::vector<Node>& nodes() const { return nodes_; }

 private:
  std::vector<Node> place_;
  std::vector<Node> nodes_;
};

/// The mask of some slots of a graph, with their features and edges if they have any.
FrozenGraph mask_of_slots(const FrozenGraph& whole, const std::vector<StoredEdge>& slots, Csr rows,
                          std::size_t sources) {
  FrozenGraph mask;
  mask.incoming = std::move(rows);
  detail::finish(mask, sources);
  const Eigen::Index columns = whole.edge_features.cols();
  if (columns == 0) return mask;
  mask.edge.resize(slots.size());
  mask.edge_features.resize(static_cast<Eigen::Index>(slots.size()), columns);
  for (std::size_t slot = 0; slot < slots.size(); ++slot) {
    mask.edge[slot] = whole.edge[slots[slot]];
    mask.edge_features.row(static_cast<Eigen::Index>(slot)) = whole.edge_features.row(slots[slot]);
  }
  return mask;
}

std::vector<Node> shuffled(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<Node> order(items.begin(), items.end());
  Random random(seed, kStream, epoch, kOfOrder);
  shuffle(std::span(order), random);
  return order;
}

/// The position of a node's edge from itself in its row; the row's end if it has none. Rows ascend.
std::size_t own_position(const FrozenGraph& whole, Node node) {
  const std::span<const Node> row = whole.incoming.row(node);
  const auto found = std::ranges::lower_bound(row, node);
  return static_cast<std::size_t>(found != row.end() && *found == node ? found - row.begin() : row.end() - row.begin());
}

class NeighbourSampler : public Sampler {
 public:
  NeighbourSampler(const FrozenGraph& whole, const NeighbourSampling& options)
      : whole_(whole), options_(options), list_(whole.destination_count()) {
    check_same_nodes("sample", whole);
    for (Node node = 0; node < whole.destination_count() && !has_loops_; ++node)
      has_loops_ = own_position(whole, node) < whole.incoming.row(node).size();
  }

  std::vector<SampleBatch> batches(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) override {
    const std::vector<Node> order = shuffled(items, seed, epoch);
    std::vector<SampleBatch> batches;
    for (std::size_t begin = 0; begin < order.size(); begin += options_.batch_size) {
      const auto part = std::span(order).subspan(begin, std::min(options_.batch_size, order.size() - begin));
      batches.push_back({.nodes = {part.begin(), part.end()}, .item_count = part.size()});
    }
    return batches;
  }

  Sample draw(const SampleBatch& batch, std::size_t steps, std::uint64_t seed, std::uint64_t epoch) override {
    const std::vector<std::uint32_t>& fan_outs = options_.fan_outs;
    if (fan_outs.size() != steps && fan_outs.size() != 1)
      throw UsageError(fmt::format("sample: expected fan-outs of {} steps, got {}", steps, fan_outs.size()));
    list_.clear();
    for (const Node node : batch.nodes) list_.add(node);
    Sample sample{.whole = &whole_, .nodes = {}, .steps = std::vector<std::shared_ptr<const SampledEdges>>(steps)};
    for (std::size_t step = steps; step-- > 0;)
      sample.steps[step] = draw_step(fan_outs[fan_outs.size() == 1 ? 0 : step],
                                     random_key(seed, kStream, epoch, step + 1));
    sample.nodes = list_.nodes();
    return sample;
  }

 private:
  /// Edges into all nodes of the list, which is extended by their sources.
  std::shared_ptr<const SampledEdges> draw_step(std::uint32_t fan_out, std::uint64_t key) {
    const std::vector<Node>& nodes = list_.nodes();
    const std::size_t destinations = nodes.size();
    auto drawn = std::make_shared<SampledEdges>();
    Csr rows;
    rows.offsets.resize(destinations + 1);
    rows_.resize(destinations);
    for (std::size_t v = 0; v < destinations; ++v) {
      if (v + kAhead < destinations) __builtin_prefetch(&whole_.incoming.offsets[nodes[v + kAhead]]);
      rows_[v] = row_of(nodes[v]);
      rows.offsets[v + 1] = rows.offsets[v] + drawn_count(rows_[v], fan_out);
    }
    slots_.resize(rows.offsets.back());
    rows.columns.resize(slots_.size());
    drawn->importance.resize(slots_.size());
    parallel_for(destinations, kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (v + kAhead < end) __builtin_prefetch(whole_.incoming.columns.data() + rows_[v + kAhead].begin);
        const std::size_t first = rows.offsets[v], count = rows.offsets[v + 1] - first;
        draw_row(rows_[v], random_key(key, kStream, nodes[v]), {slots_.data() + first, count},
                 {drawn->importance.data() + first, count});
        for (std::size_t i = first; i < first + count; ++i) rows.columns[i] = whole_.incoming.columns[slots_[i]];
      }
    });
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (i + kAhead < slots_.size()) list_.expect(rows.columns[i + kAhead]);
      rows.columns[i] = list_.add(rows.columns[i]);
    }
    drawn->mask = mask_of_slots(whole_, slots_, std::move(rows), list_.size());
    return drawn;
  }

  /// The edges into a node, and the position of that from itself.
  struct Row {
    EdgeIndex begin;
    std::uint32_t size;
    std::uint32_t own;  // `size`: none

    std::uint32_t others() const { return own == size ? size : size - 1; }
  };

  Row row_of(Node node) const {
    const EdgeIndex begin = whole_.incoming.offsets[node];
    const auto size = static_cast<std::uint32_t>(whole_.incoming.offsets[node + 1] - begin);
    return {begin, size, has_loops_ ? static_cast<std::uint32_t>(own_position(whole_, node)) : size};
  }

  std::size_t drawn_count(const Row& row, std::uint32_t fan_out) const {
    const std::uint32_t others = row.others(), own = row.size - others;
    return own + (options_.replace && others > 0 ? fan_out : std::min(others, fan_out));
  }

  /// Fills the slots of a node's edges, as many as there is room for.
  void draw_row(const Row& row, std::uint64_t key, std::span<StoredEdge> slots, std::span<float> importance) const {
    const std::uint32_t others = row.others();
    if (others < row.size) {
      slots.front() = static_cast<StoredEdge>(row.begin + row.own);
      importance.front() = 1;
      slots = slots.subspan(1);
      importance = importance.subspan(1);
    }
    if (slots.empty()) return;
    const auto count = static_cast<std::uint32_t>(slots.size());
    if (options_.replace)
      for (std::uint32_t i = 0; i < count; ++i) slots[i] = scaled(random_bits(key, i), others);
    else
      draw_distinct(key, others, slots);
    for (StoredEdge& slot : slots) slot = static_cast<StoredEdge>(row.begin + slot + (slot >= row.own ? 1 : 0));
    std::ranges::fill(importance, static_cast<float>(others) / static_cast<float>(count));
  }

  /// Fills `drawn` with distinct numbers below `bound`, each set of them with equal probability (Floyd; Bentley 1987).
  static void draw_distinct(std::uint64_t key, std::uint32_t bound, std::span<StoredEdge> drawn) {
    const auto count = static_cast<std::uint32_t>(drawn.size());
    if (bound <= kBits) return draw_distinct_bits(key, bound, drawn);
    for (std::uint32_t i = 0, last = bound - count; i < count; ++i, ++last) {
      const std::uint32_t number = count == bound ? last : scaled(random_bits(key, i), last + 1);
      bool is_there = false;
      for (std::uint32_t j = 0; j < i; ++j) is_there |= drawn[j] == number;
      drawn[i] = is_there ? last : number;
    }
  }

  /// The same where a bit for each number fits in a word.
  static void draw_distinct_bits(std::uint64_t key, std::uint32_t bound, std::span<StoredEdge> drawn) {
    const auto count = static_cast<std::uint32_t>(drawn.size());
    std::uint64_t taken = 0;
    for (std::uint32_t i = 0, last = bound - count; i < count; ++i, ++last) {
      const std::uint32_t number = count == bound ? last : scaled(random_bits(key, i), last + 1);
      drawn[i] = (taken >> number & 1) != 0 ? last : number;
      taken |= std::uint64_t{1} << drawn[i];
    }
  }

  const FrozenGraph& whole_;
  NeighbourSampling options_;
  bool has_loops_ = false;
  NodeList list_;
  std::vector<Row> rows_;          // of the step under way, and below
  std::vector<StoredEdge> slots_;
};

/// Draws all edges among the nodes of a batch.
class Inducer {
 public:
  explicit Inducer(const FrozenGraph& whole) : whole_(whole), list_(whole.destination_count()) {
    check_same_nodes("sample", whole);
  }

  /// Calls visit(row, slot, column) for all edges into the first `rows` nodes, with places in the batch.
  template <class Visit>
  void each_edge(std::span<const Node> nodes, std::size_t rows, const Visit& visit) {
    list_.clear();
    for (const Node node : nodes) list_.add(node);
    for (std::size_t v = 0; v < rows; ++v)
      for (EdgeIndex slot = whole_.incoming.offsets[nodes[v]]; slot < whole_.incoming.offsets[nodes[v] + 1]; ++slot) {
        const Node source = whole_.incoming.columns[slot];
        if (list_.has(source)) visit(v, static_cast<StoredEdge>(slot), list_.place(source));
      }
  }

  /// All steps but the last are among all nodes; the last is to the items. `weigh` fills the importance of the slots.
  template <class Weigh>
  Sample draw(const SampleBatch& batch, std::size_t steps, const Weigh& weigh) {
    if (steps == 0) return {.whole = &whole_, .nodes = {batch.items().begin(), batch.items().end()}, .steps = {}};
    Sample sample{.whole = &whole_, .nodes = batch.nodes, .steps = {}};
    if (steps > 1) sample.steps.assign(steps - 1, edges_into(batch.nodes, batch.nodes.size(), weigh));
    sample.steps.push_back(edges_into(batch.nodes, batch.item_count, weigh));
    return sample;
  }

 private:
  template <class Weigh>
  std::shared_ptr<const SampledEdges> edges_into(std::span<const Node> nodes, std::size_t rows, const Weigh& weigh) {
    Csr csr;
    csr.offsets.assign(rows + 1, 0);
    std::vector<StoredEdge> slots;
    each_edge(nodes, rows, [&](std::size_t row, StoredEdge slot, Node column) {
      slots.push_back(slot);
      csr.columns.push_back(column);
      csr.offsets[row + 1] = slots.size();
    });
    for (std::size_t row = 0; row < rows; ++row)
      csr.offsets[row + 1] = std::max(csr.offsets[row + 1], csr.offsets[row]);
    auto drawn = std::make_shared<SampledEdges>();
    drawn->importance.reserve(slots.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (EdgeIndex i = csr.offsets[row]; i < csr.offsets[row + 1]; ++i)
        drawn->importance.push_back(weigh(nodes[row], slots[i], csr.offsets[row + 1] - csr.offsets[row]));
    drawn->mask = mask_of_slots(whole_, slots, std::move(csr), nodes.size());
    return drawn;
  }

  const FrozenGraph& whole_;
  NodeList list_;
};

/// Puts the items among `nodes` first.
SampleBatch items_first(std::vector<Node> nodes, const std::vector<bool>& is_item) {
  const auto end = std::stable_partition(nodes.begin(), nodes.end(), [&](Node node) { return is_item[node]; });
  const auto count = static_cast<std::size_t>(end - nodes.begin());
  return {.nodes = std::move(nodes), .item_count = count};
}

std::vector<bool> marks(std::span<const Node> items, std::size_t nodes) {
  std::vector<bool> is_item(nodes, false);
  for (const Node item : items) is_item[item] = true;
  return is_item;
}

class ClusterSampler : public Sampler {
 public:
  ClusterSampler(const FrozenGraph& whole, const ClusterSampling& options)
      : whole_(whole), options_(options), inducer_(whole), cluster_(whole.destination_count()) {
    const std::size_t nodes = whole.destination_count();
    if (options.at_once < 1 || options.clusters < options.at_once || options.clusters % options.at_once != 0)
      throw UsageError(fmt::format("sample: expected clusters of which a divisor is taken at once, got {} and {}",
                                   options.clusters, options.at_once));
    if (options.clusters > nodes)
      throw UsageError(fmt::format("sample: {} clusters, but there are {} nodes", options.clusters, nodes));
    order_ = clustering_order(whole, {.largest = (nodes + options.clusters - 1) / options.clusters});
    for (std::size_t c = 0; c < options.clusters; ++c)
      for (std::size_t i = first(c); i < first(c + 1); ++i) cluster_[order_[i]] = static_cast<Node>(c);
  }

  std::vector<SampleBatch> batches(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) override {
    const std::vector<bool> is_item = marks(items, order_.size());
    std::vector<Node> clusters(options_.clusters);
    for (std::size_t c = 0; c < clusters.size(); ++c) clusters[c] = static_cast<Node>(c);
    clusters = shuffled(clusters, seed, epoch);
    std::vector<SampleBatch> batches;
    for (std::size_t begin = 0; begin < clusters.size(); begin += options_.at_once) {
      std::vector<Node> nodes;
      for (const Node c : std::span(clusters).subspan(begin, options_.at_once))
        nodes.insert(nodes.end(), order_.begin() + static_cast<std::ptrdiff_t>(first(c)),
                     order_.begin() + static_cast<std::ptrdiff_t>(first(c + 1)));
      SampleBatch batch = items_first(std::move(nodes), is_item);
      if (batch.item_count > 0) batches.push_back(std::move(batch));
    }
    for (SampleBatch& batch : batches) {
      const double share = static_cast<double>(batch.item_count) / static_cast<double>(items.size());
      batch.weights.assign(batch.item_count, static_cast<float>(share * static_cast<double>(batches.size())));
    }
    return batches;
  }

  Sample draw(const SampleBatch& batch, std::size_t steps, std::uint64_t, std::uint64_t) override {
    const auto others = static_cast<float>(options_.clusters - 1), taken = static_cast<float>(options_.at_once - 1);
    return inducer_.draw(batch, steps, [&](Node node, StoredEdge slot, EdgeIndex kept) {
      if (taken == 0) return static_cast<float>(whole_.incoming.row(node).size()) / static_cast<float>(kept);
      return cluster_[node] == cluster_[whole_.incoming.columns[slot]] ? 1.0F : others / taken;
    });
  }

 private:
  /// The position in `order_` of the first node of a cluster.
  std::size_t first(std::size_t cluster) const { return order_.size() * cluster / options_.clusters; }

  const FrozenGraph& whole_;
  ClusterSampling options_;
  Inducer inducer_;
  std::vector<Node> order_;
  std::vector<Node> cluster_;  // of each node
};

class WalkSampler : public Sampler {
 public:
  WalkSampler(const FrozenGraph& whole, const WalkSampling& options)
      : whole_(whole), options_(options), inducer_(whole), visited_(whole.destination_count()) {
    if (options.roots < 1 || options.length < 1 || options.coverage < 1)
      throw UsageError(fmt::format("sample: expected walks and steps of at least 1, got {} and {}", options.roots,
                                   options.length));
  }

  std::vector<SampleBatch> batches(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) override {
    if (!std::ranges::equal(items, items_)) count(items);
    std::vector<SampleBatch> batches;
    for (std::size_t i = 0; i < batches_per_epoch_; ++i) {
      batches.push_back(items_first(walked(random_key(seed, kStream, epoch, i)), is_item_));
      SampleBatch& batch = batches.back();
      for (const Node item : batch.items()) {
        const double expected = static_cast<double>(items_.size()) * std::max<double>(node_counts_[item], 1);
        batch.weights.push_back(
            static_cast<float>(static_cast<double>(batch.item_count * counted_) / expected));
      }
    }
    return batches;
  }

  Sample draw(const SampleBatch& batch, std::size_t steps, std::uint64_t, std::uint64_t) override {
    return inducer_.draw(batch, steps, [&](Node node, StoredEdge slot, EdgeIndex) {
      return static_cast<float>(node_counts_[node] + 1) / static_cast<float>(edge_counts_[slot] + 1);
    });
  }

 private:
  /// The nodes that the walks of a batch visit.
  std::vector<Node> walked(std::uint64_t key) {
    visited_.clear();
    Random random(key, kStream);
    for (std::size_t walk = 0; walk < options_.roots; ++walk) {
      Node node = items_[random.below(items_.size())];
      visited_.add(node);
      for (std::size_t step = 0; step < options_.length; ++step) {
        const std::span<const Node> sources = whole_.incoming.row(node);
        if (sources.empty()) break;
        node = sources[random.below(sources.size())];
        visited_.add(node);
      }
    }
    return visited_.nodes();
  }

  /// Draws batches until they have as many nodes as the graph, times the coverage, and counts what they have.
  void count(std::span<const Node> items) {
    items_.assign(items.begin(), items.end());
    is_item_ = marks(items, whole_.destination_count());
    node_counts_.assign(whole_.destination_count(), 0);
    edge_counts_.assign(whole_.slot_count(), 0);
    std::size_t nodes = 0, drawn_items = 0;
    for (counted_ = 0; counted_ < options_.coverage || nodes < options_.coverage * whole_.destination_count();
         ++counted_) {
      const std::vector<Node> batch = walked(random_key(0, kStream, kBeforehand, counted_));
      for (const Node node : batch) ++node_counts_[node];
      inducer_.each_edge(batch, batch.size(), [&](std::size_t, StoredEdge slot, Node) { ++edge_counts_[slot]; });
      nodes += batch.size();
      drawn_items += static_cast<std::size_t>(std::ranges::count_if(batch, [&](Node v) { return is_item_[v]; }));
    }
    const double per_batch = static_cast<double>(drawn_items) / static_cast<double>(counted_);
    batches_per_epoch_ = static_cast<std::size_t>(static_cast<double>(items_.size()) / per_batch + 0.5);
    batches_per_epoch_ = std::max<std::size_t>(batches_per_epoch_, 1);
  }

  const FrozenGraph& whole_;
  WalkSampling options_;
  Inducer inducer_;
  NodeList visited_;
  std::vector<Node> items_;
  std::vector<bool> is_item_;
  std::vector<std::uint32_t> node_counts_, edge_counts_;
  std::size_t counted_ = 0;
  std::size_t batches_per_epoch_ = 1;
};

}  // namespace

std::unique_ptr<Sampler> sample_neighbours(const FrozenGraph& whole, const NeighbourSampling& options) {
  return std::make_unique<NeighbourSampler>(whole, options);
}

std::unique_ptr<Sampler> sample_clusters(const FrozenGraph& whole, const ClusterSampling& options) {
  return std::make_unique<ClusterSampler>(whole, options);
}

std::unique_ptr<Sampler> sample_walks(const FrozenGraph& whole, const WalkSampling& options) {
  return std::make_unique<WalkSampler>(whole, options);
}

}  // namespace edgewise::graph
