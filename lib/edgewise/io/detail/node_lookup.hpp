#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/graph/node_names.hpp"

namespace edgewise::io::detail {

/// Looks up the nodes of a batch of rows by name, fetching the memory of all before it looks at the first. Plain
/// integers are mostly dense, so a table indexed by value, which never exceeds a fixed multiple of the number of names
/// seen, saves the way through the hash table.
class NodeLookup {
 public:
  /// A name that waits for the others of its batch.
  struct Key {
    std::uint32_t value;  // or kNoInteger
    std::size_t hash;     // only if it is no integer
    std::size_t begin;
    std::size_t size;
  };

  NodeLookup(graph::NodeNames& names, bool may_add) : names_(names), may_add_(may_add) {}

  Key push(std::string_view name) {
    Key key{small_integer(name), 0, characters_.size(), name.size()};
    characters_.append(name);
    if (key.value == kNoInteger) {
      key.hash = graph::NodeNames::hash_of(name);
      names_.prefetch_slot(key.hash);
    } else if (key.value < by_value_.size()) {
      __builtin_prefetch(by_value_.data() + key.value);
    }
    return key;
  }
  void prefetch_start(const Key& key) const {
    if (key.value == kNoInteger) names_.prefetch_start(key.hash);
  }
  void prefetch_characters(const Key& key) const {
    if (key.value == kNoInteger) names_.prefetch_characters(key.hash);
  }
  std::string_view name(const Key& key) const { return std::string_view(characters_).substr(key.begin, key.size); }
  /// Nothing if the node is unknown but must be known.
  std::optional<graph::Node> find(const Key& key) {
    if (key.value < by_value_.size() && by_value_[key.value] != kUnknown) return by_value_[key.value];
    const bool is_integer = key.value != kNoInteger;
    const std::size_t hash = is_integer ? graph::NodeNames::hash_of(name(key)) : key.hash;
    const std::optional<graph::Node> node = may_add_ ? names_.add(name(key), hash) : names_.find(name(key), hash);
    if (node && is_integer) remember(key.value, *node);
    return node;
  }
  void end_batch() { characters_.clear(); }

 private:
  static constexpr graph::Node kUnknown = ~graph::Node{0};
  static constexpr std::uint32_t kNoInteger = ~std::uint32_t{0};

  /// The value of an integer of up to nine digits without a leading zero, so that values and names correspond one to
  /// one; otherwise kNoInteger.
  static std::uint32_t small_integer(std::string_view name) {
    if (name.empty() || name.size() > 9 || (name[0] == '0' && name.size() > 1)) return kNoInteger;
    std::uint32_t value = 0;
    for (const char character : name) {
      const auto digit = static_cast<unsigned char>(character - '0');
      if (digit > 9) return kNoInteger;
      value = 10 * value + digit;
    }
    return value;
  }

  void remember(std::uint32_t value, graph::Node node) {
    if (value >= by_value_.size()) {
      const std::size_t limit = 1024 + 8 * names_.size();
      if (value >= limit) return;
      by_value_.resize(std::min(limit, std::max<std::size_t>(value + 1, 2 * by_value_.size())), kUnknown);
    }
    by_value_[value] = node;
  }

  graph::NodeNames& names_;
  bool may_add_;
  std::vector<graph::Node> by_value_;
  std::string characters_;  // the names of the batch
};

}  // namespace edgewise::io::detail
