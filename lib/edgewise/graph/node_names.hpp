#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise::graph {

/// Dense index of a node, in the order in which the user's data first named it.
using Node = std::uint32_t;

/// The user's names of nodes (strings or sparse integers, kept as they were written) and their dense indices.
/// An open-addressing table over one arena of characters: about 40 bytes and the name itself for each node.
class NodeNames {
 public:
  /// Names "0" ... "count - 1".
  static NodeNames numbered(std::size_t count);

  std::size_t size() const { return starts_.size() - 1; }
  /// The index of `name`, which is added when it is new. Throws DataError beyond 2^32 - 2 nodes.
  Node add(std::string_view name);
  std::optional<Node> find(std::string_view name) const;
  /// Valid until the next `add`.
  std::string_view operator[](Node node) const {
    return {characters_.data() + starts_[node], starts_[node + 1] - starts_[node]};
  }

 private:
  /// Part of the name's hash is kept with the node, so that most other names are skipped without comparing them.
  struct Slot {
    Node node;
    std::uint32_t hash;
  };
  std::size_t slot_of(std::string_view name, std::size_t hash) const;
  void grow();

  std::vector<char> characters_;
  std::vector<std::uint64_t> starts_ = {0};
  std::vector<Slot> table_;  // nodes, or kEmpty; the size is a power of two
};

}  // namespace edgewise::graph
