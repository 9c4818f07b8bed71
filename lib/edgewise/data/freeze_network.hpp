#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/record_sorter.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/graph.hpp"

/// @file
/// Writes a network to a file in parts; see frozen_network.hpp. Edges are sorted on the disk, so that no more of them
/// are held in memory than is allowed, and those of one part or of 65,536 nodes.
namespace edgewise::data {

/// An edge along which `destination` attends to `source`.
struct Arc {
  graph::Node destination = 0, source = 0;
  graph::StoredEdge edge = 0;  ///< The user's, modulo 2^32: to tell edges of a row apart.
  float weight = 1;

  graph::Node row() const { return destination; }
  /// By row, then by column, the edge listed first before others.
  friend bool operator<(const Arc& a, const Arc& b) {
    return std::tie(a.destination, a.source, a.edge) < std::tie(b.destination, b.source, b.edge);
  }
};

/// Edges in any order, of which no more than fit into `memory` bytes are held there.
class ArcList {
 public:
  ArcList(const std::string& folder, std::uint64_t memory) : sorter_(folder, memory) {}
  void add(const Arc& arc);
  std::uint64_t size() const { return sorter_.size(); }
  /// Of the rows of the destinations, as far as there are any.
  const std::vector<std::uint32_t>& degrees() const { return degrees_; }
  const RecordSorter<Arc>& sorter() const { return sorter_; }

 private:
  RecordSorter<Arc> sorter_;
  std::vector<std::uint32_t> degrees_;
};

/// All nodes are in the user's order.
struct NetworkToFreeze {
  const graph::NodeNames& names;
  const Features& features;
  const Labels& labels;        ///< Names are empty if there is nothing to learn.
  const Split& split;          ///< Empty without labels.
  const Matrix& edge_features;  ///< By the user's edge; no columns if there are none.
  bool is_directed = false;
  bool is_weighted = false;
  graph::DuplicateEdges duplicates = graph::DuplicateEdges::keep_first;
  /// The first node of each kind, if there are several: they stay ranges of the nodes, in this order, and the labels
  /// are those of the first.
  std::vector<graph::Node> kinds = {};

  /// How many nodes have the labels.
  std::size_t item_count() const { return kinds.size() > 1 ? kinds[1] : names.size(); }
  /// Added to the description, beside "counts", "directed", "weighted", "sparse_features" and "labels".
  json::Value description = json::Object{};
};

struct FreezeNetworkOptions {
  std::size_t parts = 0;  ///< 0: some that suit the size.
  std::uint64_t memory = std::uint64_t{1} << 30;  ///< For finding parts, and for sorting by them.
  bool half_features = false;                     ///< Dense features get 16 bits; refused if one exceeds their range.
};

/// What cutting the network into parts costs.
struct FrozenCounts {
  std::uint64_t nodes = 0, arcs = 0, parts = 0;
  std::uint64_t edges = 0;  ///< Those of both directions count once unless the network is directed.
  std::uint64_t cut = 0;   ///< Arcs whose ends are in two parts.
  std::uint64_t halo = 0;  ///< Rows that parts need of others.
  std::string order;       ///< How nodes were ordered: metis, clustering, propagation or none.
};

/// `arcs` are used up. Parts are METIS's if it is built in, else neighbouring clusters; if the edges do not fit the
/// memory, they are packed from clusters that passes over the edges find (detail/clusters_in_passes.hpp), or ranges of
/// the nodes in their order if fewer edges are between those. Throws DataError if the file cannot be written, an edge
/// is listed twice although that is refused, or there is no node. With nodes of several kinds each part is cut into one
/// for each kind.
FrozenCounts freeze_network(const std::string& path, const NetworkToFreeze& network, ArcList arcs,
                            const FreezeNetworkOptions& options = {});

}  // namespace edgewise::data
