#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/edge_rows.hpp"
#include "edgewise/graph/frozen_graph.hpp"
#include "edgewise/io/section_file.hpp"

/// @file
/// A network that is frozen in a file, cut into parts: ranges of its nodes, each with the edges that its nodes attend
/// along. An edge that comes from another part has its source in the part's *halo*.
namespace edgewise::data {

/// A part, within the file.
struct FrozenPart {
  graph::Node begin = 0, end = 0;                 ///< Its nodes.
  std::span<const graph::EdgeIndex> offsets;      ///< Of the rows of `columns`: one row per node.
  std::span<const graph::Node> columns;           ///< Sources: own nodes, counted from `begin`, then those of the halo.
  std::span<const graph::Node> halo;              ///< Nodes of other parts, ascending.
  std::span<const float> weights;                 ///< Per edge; empty if all are 1.
  ConstMatrixMap edge_features{nullptr, 0, 0};    ///< [edges, features]

  std::size_t rows() const { return end - begin; }
};

/// The features of the nodes of a part, within the file: dense, dense with half precision, or sparse.
struct FrozenFeatures {
  using HalfMatrix = Eigen::Matrix<Eigen::half, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  ConstMatrixMap dense{nullptr, 0, 0};               ///< [nodes, features]
  Eigen::Map<const HalfMatrix> half{nullptr, 0, 0};  ///< [nodes, features]
  std::span<const std::int32_t> offsets, columns;    ///< Of sparse rows.
  std::span<const float> values;

  bool is_half() const { return half.data() != nullptr; }
  std::size_t dense_bytes() const;
  const void* dense_data() const;
  /// Writes a row, with full precision, unless they are sparse.
  void copy_row(Eigen::Index row, float* to) const;
};

class FrozenNetwork {
 public:
  /// Throws DataError as io::SectionFile does; so do all members that read a section for the first time.
  explicit FrozenNetwork(const std::string& path);

  const std::string& path() const { return file_.path(); }
  /// What was frozen; see freeze_network.hpp.
  const json::Value& description() const { return description_; }
  std::size_t node_count() const { return boundaries_.back(); }
  /// The first so many nodes have the labels: all, or those of the first of several kinds.
  std::size_t item_count() const { return items_; }
  std::uint64_t edge_count() const { return edges_; }
  std::uint64_t arc_count() const { return arcs_; }
  std::size_t part_count() const { return boundaries_.size() - 1; }
  /// Part p has the nodes boundaries[p] ... boundaries[p + 1] - 1.
  const std::vector<graph::Node>& boundaries() const { return boundaries_; }
  std::size_t part_of(graph::Node node) const;
  bool is_directed() const { return is_directed_; }
  Eigen::Index edge_feature_count() const { return edge_features_; }
  bool is_weighted() const { return is_weighted_; }

  FrozenPart part(std::size_t index) const;
  /// FrozenPart::halo, without reading more.
  std::span<const graph::Node> halo(std::size_t part) const;
  bool has_sparse_features() const { return has_sparse_features_; }
  Eigen::Index feature_count() const { return features_; }
  FrozenFeatures features(std::size_t part) const;

  graph::NodeNames names() const;
  /// Names are empty if there is nothing to learn. `find_task` gives nullptr for a task that there is not.
  Labels labels(FindTask find_task = find_plain_task) const;
  /// Nothing without labels.
  std::optional<Split> split() const;

 private:
  /// Throws DataError: the section does not hold what it should.
  [[noreturn]] void refuse(std::string_view section) const;
  /// `columns` values for each item; nothing without such a section.
  template <class T>
  std::vector<T> list_of_items(std::string_view section, std::size_t columns = 1) const;
  Matrix matrix(std::string_view section, Eigen::Index columns) const;
  void read_label_names(const json::Value& given, FindTask find_task, Labels& labels) const;

  io::SectionFile file_;
  json::Value description_;
  std::vector<graph::Node> boundaries_;
  std::size_t items_ = 0;
  std::uint64_t edges_ = 0, arcs_ = 0;
  bool is_directed_ = false, is_weighted_ = false, has_sparse_features_ = false, has_half_features_ = false;
  Eigen::Index features_ = 0, edge_features_ = 0;
};

enum class MaskUse {
  forward,  ///< Without the transpose: graph/forward_mask.hpp.
  both_ways,
};

/// The mask from the nodes of a part and its halo to the nodes of the part. The flow is always that of the file.
graph::FrozenGraph mask_of(const FrozenPart& part, const graph::FreezeOptions& options, MaskUse use);

/// The edges of all parts, where they are in the file. The network must outlive them.
graph::EdgeRows edge_rows_of(const FrozenNetwork& network, const graph::FreezeOptions& options);

/// "part 3 columns"
std::string section_of_part(std::size_t part, std::string_view what);

}  // namespace edgewise::data
