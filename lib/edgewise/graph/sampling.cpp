#include "edgewise/graph/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/detail/finish_graph.hpp"
#include "edgewise/graph/detail/relation_rows.hpp"
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

/// The mask of some slots into `nodes`, with their features and edges if they have any.
FrozenGraph mask_of_slots(const EdgeRows& whole, std::span<const Node> nodes, const std::vector<EdgeIndex>& slots,
                          Csr rows, std::size_t sources) {
  FrozenGraph mask;
  mask.incoming = std::move(rows);
  detail::finish(mask, sources);
  const Eigen::Index columns = whole.feature_count();
  if (columns == 0) return mask;
  mask.edge.resize(slots.size());
  mask.edge_features.resize(static_cast<Eigen::Index>(slots.size()), columns);
  for (std::size_t row = 0; row < mask.incoming.rows(); ++row)
    for (EdgeIndex slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot) {
      mask.edge[slot] = whole.edge(slots[slot]);
      whole.write_features(nodes[row], slots[slot], mask.edge_features.row(static_cast<Eigen::Index>(slot)).data());
    }
  return mask;
}

std::vector<Node> shuffled(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) {
  std::vector<Node> order(items.begin(), items.end());
  Random random(seed, kStream, epoch, kOfOrder);
  shuffle(std::span(order), random);
  return order;
}

class NeighbourSampler : public Sampler {
 public:
  NeighbourSampler(EdgeRows whole, const NeighbourSampling& options)
      : whole_(std::move(whole)), options_(options), list_(whole_.node_count()) {
    if (options.batch_size < 1) throw UsageError("sample: expected batches of at least 1 node, got 0");
    if (options.relations > 0) relations_.emplace(whole_, options.relations);
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
    find_rows(nodes);
    for (std::size_t v = 0; v < destinations; ++v)
      rows.offsets[v + 1] = rows.offsets[v] + drawn_count(nodes[v], rows_[v], fan_out);
    slots_.resize(rows.offsets.back());
    rows.columns.resize(slots_.size());
    drawn->importance.resize(slots_.size());
    parallel_for(destinations, kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (v + kAhead < end) whole_.expect_columns(nodes[v + kAhead]);
        const std::size_t first = rows.offsets[v], count = rows.offsets[v + 1] - first;
        const Drawn into{{slots_.data() + first, count}, {drawn->importance.data() + first, count}};
        if (!options_.replace && count == rows_[v].size())
          take_all(into);
        else if (relations_)
          draw_relations(nodes[v], rows_[v], fan_out, key, into);
        else
          draw_row(rows_[v], random_key(key, kStream, nodes[v]), into);
        for (EdgeIndex& slot : std::span(slots_).subspan(first, count)) {
          const auto k = static_cast<std::uint32_t>(slot);
          rows.columns[static_cast<std::size_t>(&slot - slots_.data())] = rows_[v].source(k);
          slot = rows_[v].slot(k);
        }
      }
    });
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (i + kAhead < slots_.size()) list_.expect(rows.columns[i + kAhead]);
      rows.columns[i] = list_.add(rows.columns[i]);
    }
    drawn->mask = mask_of_slots(whole_, std::span(nodes).first(destinations), slots_, std::move(rows), list_.size());
    return drawn;
  }

  void find_rows(const std::vector<Node>& nodes) {
    rows_.resize(nodes.size());
    parallel_for(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      for (std::size_t v = begin; v < end; ++v) {
        if (v + 2 * kAhead < end) whole_.expect_offsets(nodes[v + 2 * kAhead]);
        if (v + kAhead < end && whole_.graph() == nullptr) whole_.expect_columns(nodes[v + kAhead]);
        rows_[v] = whole_.row(nodes[v]);
      }
    });
  }

  /// The edges that are drawn into a node, as positions in its row, and how much each stands for.
  struct Drawn {
    std::span<EdgeIndex> edges;
    std::span<float> importance;

    Drawn part(std::size_t begin, std::size_t count) const {
      return {edges.subspan(begin, count), importance.subspan(begin, count)};
    }
  };

  /// How many of so many edges.
  std::uint32_t count_of(std::uint32_t edges, std::uint32_t fan_out) const {
    return options_.replace && edges > 0 ? fan_out : std::min(edges, fan_out);
  }

  std::size_t drawn_count(Node node, const EdgeRow& row, std::uint32_t fan_out) const {
    const std::uint32_t others = row.others(), own = row.size() - others;
    if (!relations_) return own + count_of(others, fan_out);
    std::size_t count = own;
    for (const detail::RelationRows::Group& group : relations_->groups(node)) count += count_of(group.count, fan_out);
    return count;
  }

  static void take_all(const Drawn& row) {
    std::iota(row.edges.begin(), row.edges.end(), EdgeIndex{0});
    std::ranges::fill(row.importance, 1.0F);
  }

  /// Takes the edge of a node from itself, if there is one; what is left to draw.
  static Drawn take_own(const EdgeRow& row, const Drawn& drawn) {
    const std::size_t own = row.size() - row.others();
    if (own > 0) {
      drawn.edges.front() = row.own;
      drawn.importance.front() = 1;
    }
    return drawn.part(own, drawn.edges.size() - own);
  }

  /// Fills `drawn` with numbers below `bound`.
  void draw_below(std::uint32_t bound, std::uint64_t key, const Drawn& drawn) const {
    const auto count = static_cast<std::uint32_t>(drawn.edges.size());
    if (options_.replace)
      for (std::uint32_t i = 0; i < count; ++i) drawn.edges[i] = scaled(random_bits(key, i), bound);
    else
      draw_distinct(key, bound, drawn.edges);
    std::ranges::fill(drawn.importance, static_cast<float>(bound) / static_cast<float>(count));
  }

  /// Fills `all` with as many edges as there is room for.
  void draw_row(const EdgeRow& row, std::uint64_t key, const Drawn& all) const {
    const Drawn drawn = take_own(row, all);
    if (drawn.edges.empty()) return;
    draw_below(row.others(), key, drawn);
    for (EdgeIndex& k : drawn.edges) k += k >= row.own ? 1 : 0;
  }

  /// The same with up to `fan_out` edges of each relation.
  void draw_relations(Node node, const EdgeRow& row, std::uint32_t fan_out, std::uint64_t key, const Drawn& all) const {
    Drawn left = take_own(row, all);
    for (const detail::RelationRows::Group& group : relations_->groups(node)) {
      const Drawn drawn = left.part(0, count_of(group.count, fan_out));
      left = left.part(drawn.edges.size(), left.edges.size() - drawn.edges.size());
      draw_below(group.count, random_key(key, kStream, node, group.begin), drawn);
      for (EdgeIndex& k : drawn.edges) k = relations_->position(node, group.begin + k);
    }
  }

  /// Fills `drawn` with distinct numbers below `bound`, each set of them with equal probability (Floyd; Bentley 1987).
  static void draw_distinct(std::uint64_t key, std::uint32_t bound, std::span<EdgeIndex> drawn) {
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
  static void draw_distinct_bits(std::uint64_t key, std::uint32_t bound, std::span<EdgeIndex> drawn) {
    const auto count = static_cast<std::uint32_t>(drawn.size());
    std::uint64_t taken = 0;
    for (std::uint32_t i = 0, last = bound - count; i < count; ++i, ++last) {
      const std::uint32_t number = count == bound ? last : scaled(random_bits(key, i), last + 1);
      drawn[i] = (taken >> number & 1) != 0 ? last : number;
      taken |= std::uint64_t{1} << drawn[i];
    }
  }

  EdgeRows whole_;
  NeighbourSampling options_;
  std::optional<detail::RelationRows> relations_;
  NodeList list_;
  std::vector<EdgeRow> rows_;     // of the step under way, and below
  std::vector<EdgeIndex> slots_;  // at first positions in the rows
};

/// Draws all edges among the nodes of a batch.
class Inducer {
 public:
  explicit Inducer(const EdgeRows& whole) : whole_(whole), list_(whole.node_count()) {}

  /// Calls visit(row, slot, column) for all edges into the first `rows` nodes, with places in the batch.
  template <class Visit>
  void each_edge(std::span<const Node> nodes, std::size_t rows, const Visit& visit) {
    list_.clear();
    for (const Node node : nodes) list_.add(node);
    for (std::size_t v = 0; v < rows; ++v) {
      const EdgeRow row = whole_.row(nodes[v]);
      for (std::uint32_t k = 0; k < row.size(); ++k) {
        const Node source = row.source(k);
        if (list_.has(source)) visit(v, row.slot(k), list_.place(source));
      }
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
    std::vector<EdgeIndex> slots;
    each_edge(nodes, rows, [&](std::size_t row, EdgeIndex slot, Node column) {
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
        drawn->importance.push_back(
            weigh(nodes[row], nodes[csr.columns[i]], slots[i], csr.offsets[row + 1] - csr.offsets[row]));
    drawn->mask = mask_of_slots(whole_, nodes, slots, std::move(csr), nodes.size());
    return drawn;
  }

  const EdgeRows& whole_;
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
  ClusterSampler(EdgeRows whole, const ClusterSampling& options)
      : whole_(std::move(whole)), options_(options), inducer_(whole_), cluster_(whole_.node_count()) {
    const std::size_t nodes = whole_.node_count();
    if (options.at_once < 1 || options.clusters < options.at_once || options.clusters % options.at_once != 0)
      throw UsageError(fmt::format("sample: expected clusters of which a divisor is taken at once, got {} and {}",
                                   options.clusters, options.at_once));
    if (options.clusters > nodes)
      throw UsageError(fmt::format("sample: {} clusters, but there are {} nodes", options.clusters, nodes));
    order_ = order((nodes + options.clusters - 1) / options.clusters);
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
    return inducer_.draw(batch, steps, [&](Node node, Node source, EdgeIndex, EdgeIndex kept) {
      if (taken == 0) return static_cast<float>(whole_.degree(node)) / static_cast<float>(kept);
      return cluster_[node] == cluster_[source] ? 1.0F : others / taken;
    });
  }

 private:
  /// Nodes of a network in pieces are in an order by locality.
  std::vector<Node> order(std::size_t largest) const {
    if (whole_.graph() != nullptr) return clustering_order(*whole_.graph(), {.largest = largest});
    std::vector<Node> order(whole_.node_count());
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  /// The position in `order_` of the first node of a cluster.
  std::size_t first(std::size_t cluster) const { return order_.size() * cluster / options_.clusters; }

  EdgeRows whole_;
  ClusterSampling options_;
  Inducer inducer_;
  std::vector<Node> order_;
  std::vector<Node> cluster_;  // of each node
};

class WalkSampler : public Sampler {
 public:
  WalkSampler(EdgeRows whole, const WalkSampling& options)
      : whole_(std::move(whole)), options_(options), inducer_(whole_), visited_(whole_.node_count()) {
    if (options.roots < 1 || options.length < 1 || options.coverage < 1)
      throw UsageError(fmt::format("sample: expected at least 1 walk, step and round, got {}, {} and {}", options.roots,
                                   options.length, options.coverage));
  }

  std::vector<SampleBatch> batches(std::span<const Node> items, std::uint64_t seed, std::uint64_t epoch) override {
    if (items.empty()) return {};
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
    return inducer_.draw(batch, steps, [&](Node node, Node, EdgeIndex slot, EdgeIndex) {
      if (slot == EdgeRow::kAddedSlot) return 1.0F;
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
        const EdgeRow row = whole_.row(node);
        if (row.size() == 0) break;
        node = row.source(static_cast<std::uint32_t>(random.below(row.size())));
        visited_.add(node);
      }
    }
    return visited_.nodes();
  }

  /// Draws batches until they have as many nodes as the graph, times the coverage, and counts what they have.
  void count(std::span<const Node> items) {
    items_.assign(items.begin(), items.end());
    is_item_ = marks(items, whole_.node_count());
    node_counts_.assign(whole_.node_count(), 0);
    edge_counts_.assign(whole_.slot_count(), 0);
    std::size_t nodes = 0, drawn_items = 0;
    for (counted_ = 0; counted_ < options_.coverage || nodes < options_.coverage * whole_.node_count(); ++counted_) {
      const std::vector<Node> batch = walked(random_key(0, kStream, kBeforehand, counted_));
      for (const Node node : batch) ++node_counts_[node];
      inducer_.each_edge(batch, batch.size(), [&](std::size_t, EdgeIndex slot, Node) {
        if (slot != EdgeRow::kAddedSlot) ++edge_counts_[slot];
      });
      nodes += batch.size();
      drawn_items += static_cast<std::size_t>(std::ranges::count_if(batch, [&](Node v) { return is_item_[v]; }));
    }
    const double per_batch = static_cast<double>(drawn_items) / static_cast<double>(counted_);
    batches_per_epoch_ = static_cast<std::size_t>(static_cast<double>(items_.size()) / per_batch + 0.5);
    batches_per_epoch_ = std::max<std::size_t>(batches_per_epoch_, 1);
  }

  EdgeRows whole_;
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

std::unique_ptr<Sampler> sample_neighbours(EdgeRows whole, const NeighbourSampling& options) {
  return std::make_unique<NeighbourSampler>(std::move(whole), options);
}

std::unique_ptr<Sampler> sample_clusters(EdgeRows whole, const ClusterSampling& options) {
  return std::make_unique<ClusterSampler>(std::move(whole), options);
}

std::unique_ptr<Sampler> sample_walks(EdgeRows whole, const WalkSampling& options) {
  return std::make_unique<WalkSampler>(std::move(whole), options);
}

}  // namespace edgewise::graph
