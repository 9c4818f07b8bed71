#include "edgewise/data/freeze_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/spill_file.hpp"
#include "edgewise/data/detail/clusters_in_passes.hpp"
#include "edgewise/data/detail/metis_parts.hpp"
#include "edgewise/data/frozen_network.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/ordering.hpp"
#include "edgewise/graph/permutation.hpp"
#include "edgewise/io/section_file.hpp"

namespace edgewise::data {
namespace {

using graph::EdgeIndex;
using graph::Node;

constexpr std::uint64_t kArcsOfPart = std::uint64_t{1} << 24;
constexpr std::uint64_t kUsualParts = 8, kMostParts = 1 << 16;
/// Of an arc and a node while parts are looked for: both directions of the mask, neighbours and clusters.
constexpr std::uint64_t kBytesOfArc = 48, kBytesOfNode = 96;
constexpr std::uint64_t kWorkOfRow = 4;
constexpr std::uint64_t kRoomOfPart = 20;  // a twentieth more than the mean

constexpr Node kNowhere = std::numeric_limits<Node>::max();
constexpr std::size_t kArcGrain = std::size_t{1} << 14, kRowGrain = 1024;

using ArcSorter = RecordSorter<Arc>;

/// Which nodes are in which part.
struct Layout {
  std::vector<Node> order;       // the user's node at each place; empty: the user's order
  std::vector<Node> boundaries;  // of the parts
  std::string name = "none";
};

std::size_t usual_parts(std::uint64_t nodes, std::uint64_t arcs, std::uint64_t memory) {
  const std::uint64_t arcs_of_part = std::clamp<std::uint64_t>(memory / (4 * sizeof(Arc)), 1, kArcsOfPart);
  const std::uint64_t wanted = std::max(kUsualParts, (arcs + arcs_of_part - 1) / arcs_of_part);
  return static_cast<std::size_t>(std::min({wanted, nodes, kMostParts}));
}

/// Ends of ranges of about equal work, each with a node at least; degrees are in the final order.
std::vector<Node> even_boundaries(const std::vector<std::uint32_t>& degrees, std::size_t parts) {
  const std::uint64_t nodes = degrees.size();
  const std::uint64_t work = std::accumulate(degrees.begin(), degrees.end(), kWorkOfRow * nodes);
  std::vector<Node> boundaries = {0};
  std::uint64_t done = 0;
  for (Node node = 0; node < nodes; ++node) {
    const std::size_t p = boundaries.size();
    const bool must_end = nodes - node <= parts - p;  // one node for each part that is left
    if (p < parts && node > boundaries.back() && (done >= work / parts * p || must_end)) boundaries.push_back(node);
    done += degrees[node] + kWorkOfRow;
  }
  boundaries.push_back(static_cast<Node>(nodes));
  return boundaries;
}

std::vector<Node> part_of_ranges(const std::vector<Node>& boundaries) {
  std::vector<Node> part_of;
  for (Node part = 0; part + 1 < boundaries.size(); ++part) part_of.resize(boundaries[part + 1], part);
  return part_of;
}

/// Puts the nodes of each kind together, and cuts each part into one for each of its kinds. Without an order they are
/// together.
void keep_kinds(const std::vector<Node>& kinds, Layout& layout) {
  if (kinds.size() < 2 || layout.order.empty()) return;
  const std::vector<Node> part_of_place = part_of_ranges(layout.boundaries);
  const std::vector<Node> place = graph::inverse(layout.order);
  const auto place_of = [&](Node node) {
    return std::pair(std::ranges::upper_bound(kinds, node) - kinds.begin(), part_of_place[place[node]]);
  };
  std::ranges::stable_sort(layout.order, {}, place_of);
  layout.boundaries = {0};
  for (Node at = 1; at < layout.order.size(); ++at)
    if (place_of(layout.order[at - 1]) != place_of(layout.order[at])) layout.boundaries.push_back(at);
  layout.boundaries.push_back(static_cast<Node>(layout.order.size()));
}

graph::FrozenGraph graph_of(const ArcSorter& arcs, std::size_t nodes) {
  graph::Csr incoming;
  incoming.offsets.assign(nodes + 1, 0);
  incoming.columns.reserve(arcs.size());
  arcs.visit_sorted([&](const Arc& arc) {
    ++incoming.offsets[arc.destination + 1];
    incoming.columns.push_back(arc.source);
  });
  std::partial_sum(incoming.offsets.begin(), incoming.offsets.end(), incoming.offsets.begin());
  return graph::freeze(std::move(incoming), nodes);
}

/// Nodes by part, and within a part in the order of clusters.
Layout layout_of_parts(const std::vector<std::uint32_t>& part_of, std::vector<Node> clusters, std::size_t parts) {
  Layout layout{.order = std::move(clusters), .boundaries = {}, .name = "metis"};
  std::ranges::stable_sort(layout.order, {}, [&](Node node) { return part_of[node]; });
  layout.boundaries.assign(parts + 1, 0);
  for (const std::uint32_t part : part_of) ++layout.boundaries[part + 1];
  std::partial_sum(layout.boundaries.begin(), layout.boundaries.end(), layout.boundaries.begin());
  return layout;
}

/// The part of each node, for clusters packed into parts of about equal work, the largest first; nothing if there are
/// fewer clusters than parts.
std::optional<std::vector<Node>> pack(const std::vector<Node>& cluster_of, const std::vector<std::uint32_t>& degrees,
                                      std::size_t parts) {
  const std::size_t nodes = cluster_of.size();
  std::vector<std::uint64_t> work(nodes, 0);
  for (Node node = 0; node < nodes; ++node) work[cluster_of[node]] += degrees[node] + kWorkOfRow;
  std::vector<Node> clusters;
  for (Node node = 0; node < nodes; ++node)
    if (work[node] > 0) clusters.push_back(node);
  if (clusters.size() < parts) return std::nullopt;
  std::ranges::stable_sort(clusters, std::ranges::greater{}, [&](Node cluster) { return work[cluster]; });
  using Load = std::pair<std::uint64_t, Node>;  // of a part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (Node part = 0; part < parts; ++part) loads.emplace(0, part);
  std::vector<Node> part_of_cluster(nodes), part_of(nodes);
  for (const Node cluster : clusters) {
    const auto [load, part] = loads.top();
    loads.pop();
    part_of_cluster[cluster] = part;
    loads.emplace(load + work[cluster], part);
  }
  for (Node node = 0; node < nodes; ++node) part_of[node] = part_of_cluster[cluster_of[node]];
  return part_of;
}

bool has_empty_part(const std::vector<Node>& part_of, std::size_t parts) {
  std::vector<bool> has_nodes(parts, false);
  for (const Node part : part_of) has_nodes[part] = true;
  return std::ranges::count(has_nodes, false) > 0;
}

/// From clusters of at most half of a part each, of which nodes then move to the parts of most of their neighbours; or
/// `ranges` of the nodes, if fewer edges are between them.
Layout layout_in_passes(const ArcSorter& arcs, const std::vector<std::uint32_t>& degrees, Layout ranges,
                        const std::string& folder) {
  report_step("looking for parts");
  SpillFile file(folder);
  const std::size_t bytes = arcs.size() * sizeof(Node) + 1;  // a file of no bytes cannot be mapped
  auto* columns = reinterpret_cast<Node*>(file.map(bytes));
  file.claim(columns, bytes);
  std::uint64_t next = 0;
  arcs.visit_sorted([&](const Arc& arc) {
    columns[next++] = arc.source;
    if (next % kArcsOfPart == 0) give_back_pages(columns + next - kArcsOfPart, kArcsOfPart * sizeof(Node));
  });
  const detail::EdgesOnDisk edges{.degrees = degrees, .columns = {columns, arcs.size()}, .work_of_row = kWorkOfRow};
  const std::size_t parts = ranges.boundaries.size() - 1;
  const std::uint64_t work_of_part = (arcs.size() + kWorkOfRow * degrees.size()) / parts;
  std::vector<Node> order(degrees.size());
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Node> clusters = detail::clusters_in_passes(edges, order, work_of_part / 2);
  std::optional<std::vector<Node>> part_of = pack(clusters, degrees, parts);
  if (!part_of) return ranges;
  std::vector<Node> moved = detail::clusters_in_passes(edges, *part_of, work_of_part + work_of_part / kRoomOfPart);
  if (!has_empty_part(moved, parts)) part_of = std::move(moved);
  if (detail::edges_between(edges, part_of_ranges(ranges.boundaries)) <= detail::edges_between(edges, *part_of))
    return ranges;
  std::ranges::stable_sort(order, {}, [&](Node node) { return clusters[node]; });
  Layout layout = layout_of_parts(*part_of, std::move(order), parts);
  layout.name = "propagation";
  return layout;
}

Layout find_layout(const ArcSorter& arcs, std::vector<std::uint32_t> degrees, std::size_t parts, std::uint64_t memory,
                   const std::string& folder) {
  const std::size_t nodes = degrees.size();
  const bool fits = arcs.size() * kBytesOfArc + nodes * kBytesOfNode <= memory && arcs.size() < graph::kMaximalArcs;
  Layout layout;
  if (parts > 1 && !fits)
    return layout_in_passes(arcs, degrees, {.order = {}, .boundaries = even_boundaries(degrees, parts)}, folder);
  if (parts > 1) {
    report_step("looking for parts");
    const graph::FrozenGraph graph = graph_of(arcs, nodes);
    std::vector<Node> clusters = graph::clustering_order(graph);
    if (const auto part_of = detail::metis_parts(graph, parts))
      return layout_of_parts(*part_of, std::move(clusters), parts);
    layout.order = std::move(clusters);
    layout.name = "clustering";
    std::vector<std::uint32_t> ordered(nodes);
    for (std::size_t i = 0; i < nodes; ++i) ordered[i] = degrees[layout.order[i]];
    degrees = std::move(ordered);
  }
  layout.boundaries = even_boundaries(degrees, parts);
  return layout;
}

/// Writes the parts as their arcs arrive, ascending.
class PartWriter {
 public:
  PartWriter(const NetworkToFreeze& network, const Layout& layout, bool is_half, io::SectionWriter& file,
             FrozenCounts& counts)
      : network_(network),
        is_half_(is_half),
        layout_(layout),
        file_(file),
        counts_(counts),
        place_in_halo_(layout.boundaries.back(), kNowhere) {}

  void add(const Arc& arc) {
    while (arc.destination >= layout_.boundaries[part_ + 1]) write_part();
    const bool is_again =
        !arcs_.empty() && arcs_.back().destination == arc.destination && arcs_.back().source == arc.source;
    // Both directions of an undirected self loop are one arc.
    const bool is_same_edge = is_again && arcs_.back().edge == arc.edge;
    if (is_again && network_.duplicates == graph::DuplicateEdges::refuse && !is_same_edge)
      throw graph::EdgeError(arc.edge, "this edge is listed twice");
    if (is_again && (is_same_edge || network_.duplicates != graph::DuplicateEdges::keep_all)) return;
    arcs_.push_back(arc);
  }
  void finish() {
    while (part_ + 1 < layout_.boundaries.size()) write_part();
  }

 private:
  std::string name(std::string_view what) const { return section_of_part(part_, what); }

  void write_part() {
    check_interruption();
    const Node begin = layout_.boundaries[part_], end = layout_.boundaries[part_ + 1];
    const auto is_foreign = [&](const Arc& arc) { return arc.source < begin || arc.source >= end; };
    counts_.arcs += arcs_.size();
    counts_.edges += static_cast<std::uint64_t>(std::ranges::count_if(
        arcs_, [&](const Arc& arc) { return network_.is_directed || arc.source <= arc.destination; }));
    counts_.cut += static_cast<std::uint64_t>(std::ranges::count_if(arcs_, is_foreign));
    const std::vector<Node> halo = take_halo(is_foreign);
    counts_.halo += halo.size();
    parallel_for(arcs_.size(), kArcGrain, [&](std::size_t from, std::size_t to) {
      for (Arc& arc : std::span(arcs_).subspan(from, to - from))
        arc.source = is_foreign(arc) ? place_in_halo_[arc.source] + (end - begin) : arc.source - begin;
    });
    for (const Node node : halo) place_in_halo_[node] = kNowhere;
    write_edges(begin, end);
    file_.add(name("halo"), halo);
    write_features(begin, end);
    arcs_.clear();
    ++part_;
    report_step("freezing", static_cast<double>(part_), static_cast<double>(layout_.boundaries.size() - 1));
  }
  /// The foreign sources, ascending, with their places.
  template <class IsForeign>
  std::vector<Node> take_halo(const IsForeign& is_foreign) {
    std::vector<Node> halo;
    for (const Arc& arc : arcs_) {
      if (!is_foreign(arc) || place_in_halo_[arc.source] != kNowhere) continue;
      place_in_halo_[arc.source] = 0;
      halo.push_back(arc.source);
    }
    std::ranges::sort(halo);
    for (std::size_t i = 0; i < halo.size(); ++i) place_in_halo_[halo[i]] = static_cast<Node>(i);
    return halo;
  }
  void write_edges(Node begin, Node end) {
    std::vector<EdgeIndex> offsets(end - begin + 1, 0);
    for (const Arc& arc : arcs_) ++offsets[arc.destination - begin + 1];
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    own_first(offsets, end - begin);
    std::vector<Node> columns;
    std::vector<float> weights;
    columns.reserve(arcs_.size());
    if (network_.is_weighted) weights.reserve(arcs_.size());
    Matrix features(network_.edge_features.cols() == 0 ? 0 : static_cast<Eigen::Index>(arcs_.size()),
                    network_.edge_features.cols());
    for (const Arc& arc : arcs_) {
      if (features.cols() > 0)
        features.row(static_cast<Eigen::Index>(columns.size())) =
            network_.edge_features.row(static_cast<Eigen::Index>(arc.edge));
      columns.push_back(arc.source);
      if (network_.is_weighted) weights.push_back(arc.weight);
    }
    file_.add(name("offsets"), offsets);
    file_.add(name("columns"), columns);
    if (network_.is_weighted) file_.add(name("weights"), weights);
    if (features.cols() > 0)
      file_.add(name("edge features"),
                std::as_bytes(std::span(features.data(), static_cast<std::size_t>(features.size()))));
  }
  /// In the rows, which ascend by node of the network, puts own sources before those of the halo.
  void own_first(const std::vector<EdgeIndex>& offsets, Node rows) {
    parallel_for(rows, kRowGrain, [&](std::size_t from, std::size_t to) {
      for (std::size_t row = from; row < to; ++row) {
        const auto begin = arcs_.begin() + static_cast<std::ptrdiff_t>(offsets[row]);
        const auto end = arcs_.begin() + static_cast<std::ptrdiff_t>(offsets[row + 1]);
        const auto is_own = [&](const Arc& arc) { return arc.source < rows; };
        const auto own = std::find_if(begin, end, is_own);
        std::rotate(begin, own, std::find_if_not(own, end, is_own));
      }
    });
  }
  void write_features(Node begin, Node end) {
    std::vector<Node> nodes(end - begin);
    std::iota(nodes.begin(), nodes.end(), begin);
    if (!layout_.order.empty())
      for (Node& node : nodes) node = layout_.order[node];
    const Features features = select_rows(network_.features, nodes);
    if (is_half_) return write_half(features.dense);
    if (!features.is_sparse)
      return file_.add(name("features"), std::as_bytes(std::span(features.dense.data(),
                                                                 static_cast<std::size_t>(features.dense.size()))));
    const SparseMatrix& sparse = features.sparse;
    const auto entries = static_cast<std::size_t>(sparse.nonZeros());
    file_.add(name("feature offsets"),
              std::as_bytes(std::span(sparse.outerIndexPtr(), static_cast<std::size_t>(sparse.rows()) + 1)));
    file_.add(name("feature columns"), std::as_bytes(std::span(sparse.innerIndexPtr(), entries)));
    file_.add(name("feature values"), std::as_bytes(std::span(sparse.valuePtr(), entries)));
  }

  void write_half(const Matrix& features) {
    const float largest = features.size() == 0 ? 0 : features.cwiseAbs().maxCoeff();
    if (largest > static_cast<float>(Eigen::NumTraits<Eigen::half>::highest()))
      throw DataError(fmt::format("half precision holds features up to 65504, but one is {}", largest));
    const FrozenFeatures::HalfMatrix half = features.cast<Eigen::half>();
    file_.add(name("features"), std::as_bytes(std::span(half.data(), static_cast<std::size_t>(half.size()))));
  }

  const NetworkToFreeze& network_;
  bool is_half_;
  const Layout& layout_;
  io::SectionWriter& file_;
  FrozenCounts& counts_;
  std::size_t part_ = 0;
  std::vector<Arc> arcs_;
  std::vector<Node> place_in_halo_;  // of each node of the network, while a part is written
};

std::vector<std::string> sections_of(const NetworkToFreeze& network, std::size_t parts) {
  std::vector<std::string> names = {"description", "boundaries", "name offsets", "name characters"};
  const Labels& labels = network.labels;
  if (!labels.names.empty()) names.push_back("roles");
  if (!labels.classes.empty()) names.push_back("classes");
  if (labels.targets.size() > 0) names.push_back("targets");
  if (labels.has_bounds()) names.insert(names.end(), {"lower bounds", "upper bounds"});
  if (!labels.weights.empty()) names.push_back("label weights");
  std::vector<const char*> of_part = {"offsets", "columns", "halo"};
  if (network.is_weighted) of_part.push_back("weights");
  if (network.edge_features.cols() > 0) of_part.push_back("edge features");
  if (network.features.is_sparse)
    of_part.insert(of_part.end(), {"feature offsets", "feature columns", "feature values"});
  else
    of_part.push_back("features");
  for (std::size_t part = 0; part < parts; ++part)
    for (const char* what : of_part) names.push_back(section_of_part(part, what));
  return names;
}

void write_names(const NetworkToFreeze& network, const Layout& layout, io::SectionWriter& file) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<char> characters;
  for (Node place = 0; place < network.names.size(); ++place) {
    const std::string_view name = network.names[layout.order.empty() ? place : layout.order[place]];
    characters.insert(characters.end(), name.begin(), name.end());
    offsets.push_back(characters.size());
  }
  file.add("name offsets", offsets);
  file.add("name characters", characters);
}

void write_labels(const NetworkToFreeze& network, const Layout& layout, io::SectionWriter& file) {
  const Labels& labels = network.labels;
  if (labels.names.empty()) return;
  std::vector<Node> order = layout.order;
  if (!order.empty()) order.resize(network.item_count());
  const auto in_order = [&](const auto& list) {
    auto ordered = list;
    for (std::size_t i = 0; i < order.size(); ++i) ordered[i] = list[order[i]];
    return ordered;
  };
  const auto write_matrix = [&](const char* name, const Matrix& values) {
    if (values.size() == 0) return;
    const Matrix ordered = order.empty() ? values : graph::permute_rows(values, order);
    file.add(name, std::as_bytes(std::span(ordered.data(), static_cast<std::size_t>(ordered.size()))));
  };
  file.add("roles", in_order(network.split));
  if (!labels.classes.empty()) file.add("classes", in_order(labels.classes));
  write_matrix("targets", labels.targets);
  write_matrix("lower bounds", labels.lower_bounds);
  write_matrix("upper bounds", labels.upper_bounds);
  if (!labels.weights.empty()) file.add("label weights", in_order(labels.weights));
}

json::Value describe(const NetworkToFreeze& network, const FrozenCounts& counts) {
  json::Value description = network.description;
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  json::Value numbers = json::Object{{"nodes", number(counts.nodes)},
                                     {"edges", number(counts.edges)},
                                     {"arcs", number(counts.arcs)},
                                     {"parts", number(counts.parts)},
                                     {"cut_arcs", number(counts.cut)},
                                     {"halo_rows", number(counts.halo)},
                                     {"features", number(network.features.columns())},
                                     {"edge_features", static_cast<std::int64_t>(network.edge_features.cols())}};
  if (network.kinds.size() > 1) numbers.set("items", number(network.item_count()));
  description.set("counts", std::move(numbers));
  description.set("order", counts.order);
  description.set("directed", network.is_directed);
  description.set("weighted", network.is_weighted);
  description.set("sparse_features", network.features.is_sparse);
  if (network.labels.names.empty()) return description;
  json::Value labels =
      json::Object{{"task", std::string(network.labels.task.name)}, {"names", network.labels.names}};
  if (network.labels.positive) labels.set("positive", std::int64_t{*network.labels.positive});
  description.set("labels", std::move(labels));
  return description;
}

}  // namespace

void ArcList::add(const Arc& arc) {
  const std::size_t nodes = std::size_t{std::max(arc.destination, arc.source)} + 1;
  if (nodes > degrees_.size()) degrees_.resize(nodes);
  ++degrees_[arc.destination];
  sorter_.add(arc);
}

FrozenCounts freeze_network(const std::string& path, const NetworkToFreeze& network, ArcList arcs,
                            const FreezeNetworkOptions& options) {
  const std::size_t nodes = network.names.size();
  if (nodes == 0) throw DataError(fmt::format("{}: a network without nodes cannot be frozen", path));
  const std::string folder = std::filesystem::path(path).parent_path().string();
  std::vector<std::uint32_t> degrees = arcs.degrees();
  degrees.resize(nodes);
  const std::size_t usual = usual_parts(nodes, arcs.size(), options.memory);
  const std::size_t parts = std::min(options.parts == 0 ? usual : options.parts, nodes);
  Layout layout = find_layout(arcs.sorter(), std::move(degrees), parts, options.memory, folder);
  keep_kinds(network.kinds, layout);
  auto sorted = std::make_unique<ArcList>(std::move(arcs));
  if (!layout.order.empty()) {
    report_step("sorting the edges");
    const std::vector<Node> place = graph::inverse(layout.order);
    auto renumbered = std::make_unique<ArcList>(folder, options.memory / 2);
    sorted->sorter().visit(
        [&](const Arc& arc) { renumbered->add({place[arc.destination], place[arc.source], arc.edge, arc.weight}); });
    sorted = std::move(renumbered);
  }
  FrozenCounts counts{.nodes = nodes, .parts = layout.boundaries.size() - 1, .order = layout.name};
  io::SectionWriter file(path, sections_of(network, counts.parts));
  file.add("boundaries", layout.boundaries);
  write_names(network, layout, file);
  write_labels(network, layout, file);
  const bool is_half = options.half_features && !network.features.is_sparse;
  PartWriter writer(network, layout, is_half, file, counts);
  sorted->sorter().visit_sorted([&](const Arc& arc) { writer.add(arc); });
  writer.finish();
  json::Value described = describe(network, counts);
  described.set("half_features", is_half);
  const std::string description = json::dump(described);
  file.add("description", std::as_bytes(std::span(description)));
  file.finish();
  return counts;
}

}  // namespace edgewise::data
