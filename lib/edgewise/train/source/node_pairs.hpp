#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/node_names.hpp"

namespace edgewise::train {

/// Pairs of nodes, each a source and a target.
struct NodePairs {
  std::vector<graph::Node> sources, targets;

  std::size_t size() const { return sources.size(); }
  void add(graph::Node source, graph::Node target) {
    sources.push_back(source);
    targets.push_back(target);
  }
  void add(const NodePairs& from, std::size_t pair) { add(from.sources[pair], from.targets[pair]); }
};

/// What the nodes of pairs are called: as in the network or, at the ends of a relation between kinds of nodes, as in
/// their kinds. Holds a reference to the names.
class PairNames {
 public:
  PairNames(const graph::NodeNames& names) : names_(&names) {}
  /// Of a network with two sides (graph::LinkCandidates): a node of one is not found at the other end of a pair. The
  /// sides must outlive this.
  PairNames(const graph::NodeNames& names, std::span<const std::uint8_t> sides) : names_(&names), sides_(sides) {}
  /// Nodes of the network are called KIND:NAME; those of a pair are of these kinds.
  PairNames(const graph::NodeNames& names, std::string_view source_kind, std::string_view target_kind)
      : names_(&names), source_(std::string(source_kind) + ":"), target_(std::string(target_kind) + ":") {}

  /// Also by the name in the network, if it is of the kind.
  std::optional<graph::Node> source(std::string_view name) const;
  std::optional<graph::Node> target(std::string_view name) const;
  std::string_view of_source(graph::Node node) const { return (*names_)[node].substr(source_.size()); }
  std::string_view of_target(graph::Node node) const { return (*names_)[node].substr(target_.size()); }
  /// The columns of both ends in a header that names their kinds, if pairs are of kinds.
  std::optional<std::pair<std::size_t, std::size_t>> find_columns(std::span<const std::string> header) const;
  /// For messages: "one of the 7 nodes", "one of the people".
  std::string one_of_sources() const { return one_of(source_, "from"); }
  std::string one_of_targets() const { return one_of(target_, "to"); }

 private:
  std::optional<graph::Node> find(const std::string& kind, std::string_view name, std::uint8_t other_side) const;
  std::string one_of(const std::string& kind, const char* direction) const;

  const graph::NodeNames* names_;
  std::span<const std::uint8_t> sides_;  // empty: each node can stand at both ends
  std::string source_, target_;  // "people:"; empty: as in the network
};

/// The same for a pair and, unless pairs have a direction, its reverse.
std::uint64_t pair_key(graph::Node source, graph::Node target, bool is_directed);

/// The name of a tie or edge, as two fields of a CSV file: "ada,bob".
std::string name_of_link(const PairNames& nodes, graph::Node source, graph::Node target);

/// The ends of a tie or edge that is called so. Throws UsageError that starts with `what` and names the node, if there
/// is none of that name.
std::pair<graph::Node, graph::Node> ends_of_link(const PairNames& nodes, std::string_view link, std::string_view what);

/// A row of a file of pairs.
struct NodePairRow {
  graph::Node source = 0, target = 0;
  std::string third;  ///< The third column, if it is asked for.
  TextLocation where;
};

/// Reads pairs of nodes from a CSV file: its columns source and target, those named after the kinds of both ends or
/// with other usual names (io::find_ends), or the first two; the header may be left out. With `third`, such as "split",
/// also the column of this name, or the third. Throws DataError with file and line for an unknown node, a node beside
/// itself unless `can_be_loops`, a row of too few fields, and for a file without a pair.
std::vector<NodePairRow> read_node_pair_rows(const std::string& path, const PairNames& names,
                                             const std::string& third = "", bool can_be_loops = false);

/// What the items of a split are.
struct PairSplit {
  const char* noun;  ///< "ties"
  bool is_directed = true;
  bool can_be_loops = true;  ///< From a node to itself.
};

/// Reads the parts of items, of which item i is between nodes with the key keys[i], from a CSV file of source, target
/// and split; items that it does not name have none. A pair has one row for all items with its key, or one for each, in
/// their order. Throws as read_node_pair_rows, and DataError with file and line for pairs that are no items, for
/// another number of rows, and for other words than those of data::parse_role.
data::Split read_pair_split(const std::string& path, const PairNames& nodes, std::span<const std::uint64_t> keys,
                            const PairSplit& options);

NodePairs read_node_pairs(const std::string& path, const PairNames& names);

}  // namespace edgewise::train
