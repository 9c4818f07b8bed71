#include "edgewise/graph/node_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kEmpty = std::numeric_limits<Node>::max();

}  // namespace

NodeNames NodeNames::numbered(std::size_t count) {
  NodeNames names;
  names.own().table.assign(std::bit_ceil(std::max<std::size_t>(16, 2 * (count + 1))), {kEmpty, 0});
  for (std::size_t i = 0; i < count; ++i) names.add(fmt::format_int(i).c_str());
  return names;
}

std::size_t NodeNames::hash_of(std::string_view name) { return std::hash<std::string_view>{}(name); }

void NodeNames::prefetch_slot(std::size_t hash) const {
  if (!held_->table.empty()) __builtin_prefetch(&held_->table[hash & (held_->table.size() - 1)]);
}

void NodeNames::prefetch_start(std::size_t hash) const {
  if (const Node node = first_node(hash); node != kEmpty) __builtin_prefetch(&held_->starts[node]);
}

void NodeNames::prefetch_characters(std::size_t hash) const {
  if (const Node node = first_node(hash); node != kEmpty)
    __builtin_prefetch(held_->characters.data() + held_->starts[node]);
}

Node NodeNames::first_node(std::size_t hash) const {
  return held_->table.empty() ? kEmpty : held_->table[hash & (held_->table.size() - 1)].node;
}

Node NodeNames::add(std::string_view name, std::size_t hash) {
  Held& held = own();
  if (2 * (size() + 1) > held.table.size()) grow();
  Slot& slot = held.table[slot_of(name, hash)];
  if (slot.node != kEmpty) return slot.node;
  if (size() >= kEmpty) throw DataError("more than 2^32 - 2 nodes: node indices have 32 bits");
  slot = {static_cast<Node>(size()), static_cast<std::uint32_t>(hash >> 32)};
  held.characters.insert(held.characters.end(), name.begin(), name.end());
  held.starts.push_back(held.characters.size());
  return slot.node;
}

std::optional<Node> NodeNames::find(std::string_view name, std::size_t hash) const {
  if (held_->table.empty()) return std::nullopt;
  const Node node = held_->table[slot_of(name, hash)].node;
  return node == kEmpty ? std::nullopt : std::optional<Node>(node);
}

std::size_t NodeNames::slot_of(std::string_view name, std::size_t hash) const {
  const std::size_t mask = held_->table.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  std::size_t slot = hash & mask;
  while (held_->table[slot].node != kEmpty &&
         (held_->table[slot].hash != tag || (*this)[held_->table[slot].node] != name))
    slot = (slot + 1) & mask;
  return slot;
}

NodeNames::Held& NodeNames::own() {
  if (held_.use_count() > 1) held_ = std::make_shared<Held>(*held_);
  return *held_;
}

void NodeNames::grow() {
  const std::size_t mask = (held_->table.empty() ? 16 : 2 * held_->table.size()) - 1;
  held_->table.assign(mask + 1, {kEmpty, 0});
  for (Node node = 0; node < size(); ++node) {
    const std::size_t hash = hash_of((*this)[node]);
    std::size_t slot = hash & mask;
    while (held_->table[slot].node != kEmpty) slot = (slot + 1) & mask;
    held_->table[slot] = {node, static_cast<std::uint32_t>(hash >> 32)};
  }
}

}  // namespace edgewise::graph
