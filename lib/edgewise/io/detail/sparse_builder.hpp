#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/sparse_features.hpp"

namespace edgewise::io::detail {

/// Collects (node, feature, value) entries in any order and builds the matrix.
class SparseBuilder {
 public:
  enum class Repeated { refuse, once };

  SparseBuilder(std::string file, const SparseFeaturesOptions& options, Repeated repeated);

  /// The file declares its nodes to be "0" ... "count - 1". No effect if the known nodes are given.
  void number_nodes(std::uint64_t count, const TextLocation& where);
  /// The file declares the number of features.
  void limit_features(std::uint64_t count, const TextLocation& where);

  /// The row of a node; DataError if it is unknown but must be known.
  graph::Node node(std::string_view name, const TextLocation& where);
  void add(graph::Node node, std::uint64_t feature, float value, const TextLocation& where);

  std::size_t size() const { return entries_.size(); }
  SparseFeatures finish();

 private:
  struct Entry {
    graph::Node node;
    std::int32_t feature;
    float value;
    std::uint64_t line;
  };

  void sort_by_row();

  std::string file_;
  Repeated repeated_;
  graph::NodeNames names_;
  bool may_add_ = true;
  std::uint64_t limit_ = 0;  // 0: unknown
  std::uint64_t seen_ = 0;   // highest feature + 1
  std::vector<Entry> entries_;
};

}  // namespace edgewise::io::detail
