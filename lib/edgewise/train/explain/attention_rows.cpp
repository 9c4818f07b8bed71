#include "edgewise/train/explain/attention_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/suggestion.hpp"
#include "edgewise/graph/masks/rules.hpp"

namespace edgewise::train {

std::string choose_mask(const std::string& requested, const AttentionRecords& records) {
  std::vector<std::string> masks;
  for (const nn::AttentionRecord& record : records) {
    const bool is_between_nodes = graph::parse_mask(record.mask).rule->is_between_nodes();
    if (is_between_nodes && std::ranges::find(masks, record.mask) == masks.end()) masks.push_back(record.mask);
  }
  if (masks.empty()) throw UsageError(fmt::format("{}: no layer of the model attends between nodes", setting("out")));
  const std::string wanted = requested.empty() ? "edges" : requested;
  if (std::ranges::find(masks, wanted) != masks.end()) return wanted;
  if (requested.empty()) return masks.front();
  throw UsageError(fmt::format("{}: expected one that the model attends over, {}, got \"{}\"{}", setting("mask"),
                               fmt::join(masks, ", "), requested, did_you_mean(requested, masks)));
}

AttentionRecords records_over(const std::string& mask, const AttentionRecords& records) {
  AttentionRecords found;
  std::ranges::copy_if(records, std::back_inserter(found), [&](const auto& record) { return record.mask == mask; });
  return found;
}

io::AttentionTable collect_rows(const graph::FrozenGraph& mask, const AttentionRecords& records,
                                std::optional<graph::Node> only) {
  io::AttentionTable attention;
  std::vector<Eigen::Index> slots;
  const bool has_edges = records.front().mask == "edges";
  for (graph::Node target = 0; target < mask.destination_count(); ++target) {
    if (only && target != *only) continue;
    for (graph::EdgeIndex slot = mask.incoming.offsets[target]; slot < mask.incoming.offsets[target + 1]; ++slot) {
      attention.sources.push_back(mask.incoming.columns[slot]);
      attention.targets.push_back(target);
      attention.edges.push_back(has_edges ? mask.edge[slot] : graph::kAddedSelfLoop);
      slots.push_back(static_cast<Eigen::Index>(slot));
    }
  }
  for (const nn::AttentionRecord& record : records) attention.layers.push_back(record.weights(slots, Eigen::all));
  return attention;
}

std::vector<std::string> tokens_of(const Dataset& data, graph::Node first, std::size_t count) {
  std::vector<std::string> tokens;
  if (!data.collection || data.collection->tokens.empty()) return tokens;
  const io::Column& column = data.node_table().at(data.collection->tokens.front());
  for (std::size_t i = 0; i < count; ++i) tokens.push_back(column.text(first + i));
  return tokens;
}

}  // namespace edgewise::train
