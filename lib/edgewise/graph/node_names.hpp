#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace edgewise::graph {

/// Dense index of a node, in the order in which the user's data first mentions it.
using Node = std::uint32_t;

/// Maps the user's node names (strings or sparse integers, exactly as written) to dense indices. An open-addressing
/// hash table over a character arena: about 40 bytes per node plus the name. Copies share it until one of them changes.
class NodeNames {
 public:
  /// The names "0" ... "count - 1".
  static NodeNames numbered(std::size_t count);

  std::size_t size() const { return held_->starts.size() - 1; }
  /// The index of `name`, added if new. Throws DataError beyond 2^32 - 2 nodes.
  Node add(std::string_view name) { return add(name, hash_of(name)); }
  std::optional<Node> find(std::string_view name) const { return find(name, hash_of(name)); }

  /// The same in steps, for many names at a time: with each step taken for all of them before the next, the memory of
  /// one is fetched while the others are looked at.
  static std::size_t hash_of(std::string_view name);
  void prefetch_slot(std::size_t hash) const;
  void prefetch_start(std::size_t hash) const;
  void prefetch_characters(std::size_t hash) const;
  Node add(std::string_view name, std::size_t hash);
  std::optional<Node> find(std::string_view name, std::size_t hash) const;

  /// Valid until the next `add`.
  std::string_view operator[](Node node) const {
    return {held_->characters.data() + held_->starts[node], held_->starts[node + 1] - held_->starts[node]};
  }

 private:
  /// Part of the hash is stored with the node, so most mismatches are rejected without comparing names.
  struct Slot {
    Node node;
    std::uint32_t hash;
  };
  struct Held {
    std::vector<char> characters;
    std::vector<std::uint64_t> starts = {0};
    std::vector<Slot> table;  // nodes, or kEmpty; the size is a power of two
  };
  std::size_t slot_of(std::string_view name, std::size_t hash) const;
  /// That of the slot where the search for a name with this hash begins, or kEmpty.
  Node first_node(std::size_t hash) const;
  /// For changes: no copy sees them.
  Held& own();
  void grow();

  std::shared_ptr<Held> held_ = std::make_shared<Held>();
};

}  // namespace edgewise::graph
