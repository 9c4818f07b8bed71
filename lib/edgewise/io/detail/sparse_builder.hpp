#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/sparse_features.hpp"

namespace edgewise::io::detail {

/// Gathers (node, feature, value) in any order and makes the matrix of them.
class SparseBuilder {
 public:
  enum class Repeated { refuse, once };

  SparseBuilder(std::string file, const SparseFeaturesOptions& options, Repeated repeated);

  /// The file itself says that its nodes are "0" ... "count - 1"; without effect when the known nodes are given.
  void number_nodes(std::uint64_t count, const TextLocation& where);
  /// The file itself says how many features there are.
  void limit_features(std::uint64_t count, const TextLocation& where);

  /// The row of a node; DataError when it is not known and must be.
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
  std::uint64_t limit_ = 0;  // 0: not known
  std::uint64_t seen_ = 0;   // highest feature + 1
  std::vector<Entry> entries_;
};

}  // namespace edgewise::io::detail
