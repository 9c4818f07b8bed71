#include "edgewise/graph/node_names.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>

#include "edgewise/core/error.hpp"

namespace edgewise::graph {
namespace {

constexpr Node kEmpty = std::numeric_limits<Node>::max();

}  // namespace

NodeNames NodeNames::numbered(std::size_t count) {
  NodeNames names;
  for (std::size_t i = 0; i < count; ++i) names.add(fmt::format_int(i).c_str());
  return names;
}

Node NodeNames::add(std::string_view name) {
  if (2 * (size() + 1) > table_.size()) grow();
  const std::size_t slot = slot_of(name);
  if (table_[slot] != kEmpty) return table_[slot];
  if (size() >= kEmpty) throw DataError("more than 2^32 - 2 nodes: node indices have 32 bits");
  const Node node = static_cast<Node>(size());
  table_[slot] = node;
  characters_.insert(characters_.end(), name.begin(), name.end());
  starts_.push_back(characters_.size());
  return node;
}

std::optional<Node> NodeNames::find(std::string_view name) const {
  if (table_.empty()) return std::nullopt;
  const Node node = table_[slot_of(name)];
  return node == kEmpty ? std::nullopt : std::optional<Node>(node);
}

std::size_t NodeNames::slot_of(std::string_view name) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = std::hash<std::string_view>{}(name)&mask;
  while (table_[slot] != kEmpty && (*this)[table_[slot]] != name) slot = (slot + 1) & mask;
  return slot;
}

void NodeNames::grow() {
  table_.assign(table_.empty() ? 16 : 2 * table_.size(), kEmpty);
  for (std::size_t node = 0; node < size(); ++node)
    table_[slot_of((*this)[static_cast<Node>(node)])] = static_cast<Node>(node);
}

}  // namespace edgewise::graph
