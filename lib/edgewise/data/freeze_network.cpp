#include "edgewise/data/freeze_network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
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

graph::FrozenGraph graph_of(ArcSorter& arcs, std::size_t nodes) {
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

Layout find_layout(ArcSorter& arcs, std::vector<std::uint32_t> degrees, std::size_t parts, std::uint64_t memory) {
  const std::size_t nodes = degrees.size();
  const bool fits = arcs.size() * kBytesOfArc + nodes * kBytesOfNode <= memory && arcs.size() < graph::kMaximalArcs;
  Layout layout;
  if (parts > 1 && fits) {
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
  PartWriter(const NetworkToFreeze& network, const Layout& layout, io::SectionWriter& file, FrozenCounts& counts)
      : network_(network), layout_(layout), file_(file), counts_(counts) {}

  void add(const Arc& arc) {
    while (arc.destination >= layout_.boundaries[part_ + 1]) write_part();
    const bool is_again = !arcs_.empty() && arcs_.back().destination == arc.destination && arcs_.back().source == arc.source;
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
    std::vector<Node> halo;
    for (const Arc& arc : arcs_)
      if (arc.source < begin || arc.source >= end) halo.push_back(arc.source);
    counts_.cut += halo.size();
    std::ranges::sort(halo);
    halo.erase(std::ranges::unique(halo).begin(), halo.end());
    counts_.halo += halo.size();
    counts_.arcs += arcs_.size();
    counts_.edges += static_cast<std::uint64_t>(std::ranges::count_if(
        arcs_, [&](const Arc& arc) { return network_.is_directed || arc.source <= arc.destination; }));
    for (Arc& arc : arcs_) arc.source = local(arc.source, begin, end, halo);
    for (auto row = arcs_.begin(); row != arcs_.end();) {
      const auto next = std::find_if(row, arcs_.end(), [&](const Arc& arc) { return arc.destination != row->destination; });
      std::sort(row, next);
      row = next;
    }
    write_edges(begin, end);
    file_.add(name("halo"), halo);
    write_features(begin, end);
    arcs_.clear();
    ++part_;
    report_step("freezing", static_cast<double>(part_), static_cast<double>(layout_.boundaries.size() - 1));
  }
  static Node local(Node node, Node begin, Node end, const std::vector<Node>& halo) {
    if (node >= begin && node < end) return node - begin;
    return static_cast<Node>(end - begin + (std::ranges::lower_bound(halo, node) - halo.begin()));
  }
  void write_edges(Node begin, Node end) {
    std::vector<EdgeIndex> offsets(end - begin + 1, 0);
    std::vector<Node> columns;
    std::vector<float> weights;
    Matrix features(network_.edge_features.cols() == 0 ? 0 : static_cast<Eigen::Index>(arcs_.size()),
                    network_.edge_features.cols());
    for (const Arc& arc : arcs_) {
      ++offsets[arc.destination - begin + 1];
      if (features.cols() > 0)
        features.row(static_cast<Eigen::Index>(columns.size())) =
            network_.edge_features.row(static_cast<Eigen::Index>(arc.edge));
      columns.push_back(arc.source);
      if (network_.is_weighted) weights.push_back(arc.weight);
    }
    std::partial_sum(offsets.begin(), offsets.end(), offsets.begin());
    file_.add(name("offsets"), offsets);
    file_.add(name("columns"), columns);
    if (network_.is_weighted) file_.add(name("weights"), weights);
    if (features.cols() > 0)
      file_.add(name("edge features"), std::as_bytes(std::span(features.data(), static_cast<std::size_t>(features.size()))));
  }
  void write_features(Node begin, Node end) {
    std::vector<Node> nodes(end - begin);
    std::iota(nodes.begin(), nodes.end(), begin);
    if (!layout_.order.empty())
      for (Node& node : nodes) node = layout_.order[node];
    const Features features = select_rows(network_.features, nodes);
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

  const NetworkToFreeze& network_;
  const Layout& layout_;
  io::SectionWriter& file_;
  FrozenCounts& counts_;
  std::size_t part_ = 0;
  std::vector<Arc> arcs_;
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
  const auto in_order = [&](const auto& list) {
    auto ordered = list;
    for (std::size_t i = 0; i < layout.order.size(); ++i) ordered[i] = list[layout.order[i]];
    return ordered;
  };
  const auto write_matrix = [&](const char* name, const Matrix& values) {
    if (values.size() == 0) return;
    const Matrix ordered = layout.order.empty() ? values : graph::permute_rows(values, layout.order);
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
  description.set("counts", json::Object{{"nodes", number(counts.nodes)},
                                         {"edges", number(counts.edges)},
                                         {"arcs", number(counts.arcs)},
                                         {"parts", number(counts.parts)},
                                         {"cut_arcs", number(counts.cut)},
                                         {"halo_rows", number(counts.halo)},
                                         {"features", number(network.features.columns())},
                                         {"edge_features", static_cast<std::int64_t>(network.edge_features.cols())}});
  description.set("order", counts.order);
  description.set("directed", network.is_directed);
  description.set("weighted", network.is_weighted);
  description.set("sparse_features", network.features.is_sparse);
  if (network.labels.names.empty()) return description;
  const char* kTasks[] = {"classification", "multilabel", "regression"};
  json::Value labels = json::Object{{"task", kTasks[static_cast<int>(network.labels.task)]},
                                    {"names", network.labels.names}};
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
  const Layout layout = find_layout(arcs.sorter(), std::move(degrees), parts, options.memory);
  auto sorted = std::make_unique<ArcSorter>(std::move(arcs.sorter()));
  if (!layout.order.empty()) {
    const std::vector<Node> place = graph::inverse(layout.order);
    auto renumbered = std::make_unique<ArcSorter>(folder, options.memory / 2);
    sorted->visit_sorted([&](const Arc& arc) {
      renumbered->add({place[arc.destination], place[arc.source], arc.edge, arc.weight});
    });
    sorted = std::move(renumbered);
  }
  FrozenCounts counts{.nodes = nodes, .parts = layout.boundaries.size() - 1, .order = layout.name};
  io::SectionWriter file(path, sections_of(network, counts.parts));
  file.add("boundaries", layout.boundaries);
  write_names(network, layout, file);
  write_labels(network, layout, file);
  PartWriter writer(network, layout, file, counts);
  sorted->visit_sorted([&](const Arc& arc) { writer.add(arc); });
  writer.finish();
  const std::string description = json::dump(describe(network, counts));
  file.add("description", std::as_bytes(std::span(description)));
  file.finish();
  return counts;
}

}  // namespace edgewise::data
