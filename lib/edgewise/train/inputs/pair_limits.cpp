#include "edgewise/train/inputs/pair_limits.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/train/source/read_edges.hpp"

namespace edgewise::train {
namespace {

struct LargestGraph {
  std::uint64_t nodes = 0;
  std::string where;  ///< "FILE:LINE: " of a graph of a collection.
};

LargestGraph largest_graph(const Dataset& data) {
  const std::vector<graph::Node> offsets = data.offsets();
  LargestGraph largest;
  graph::Node first = 0;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    if (offsets[g + 1] - offsets[g] <= largest.nodes) continue;
    largest.nodes = offsets[g + 1] - offsets[g];
    first = offsets[g];
  }
  if (data.collection) largest.where = to_string(data.node_table().where(first)) + ": ";
  return largest;
}

/// Graphs are computed whole: throws UsageError if the rows of the largest do not fit in memory.
void check_rows(const nn::Model& model, const Dataset& data, const LargestGraph& largest) {
  if (data.frozen) return;
  const double bytes = static_cast<double>(largest.nodes) * static_cast<double>(model.row_numbers() * sizeof(float));
  if (bytes <= static_cast<double>(available_memory())) return;
  if (!data.has_many_graphs())
    throw UsageError(fmt::format(
        "model: the {} nodes would take at least {:.0f} GiB, more memory than is available; freeze the network once, "
        "and train from "
        "the file ({}): {}",
        largest.nodes, std::floor(bytes / (1 << 30)), setting("data.memory"), freeze_command(data.reading)));
  throw UsageError(fmt::format(
      "{}model: the {} nodes of the largest graph would take at least {:.0f} GiB, more memory than is available; "
      "divide the graph, or use a smaller model",
      largest.where, largest.nodes, std::floor(bytes / (1 << 30))));
}

/// What a mask would create for the largest graph, and how much memory it has.
struct Pairs {
  double count = 0;
  double most = 0;  ///< That fit in memory.
  double bytes = 0;
};

/// Per pair: its entries in the rows of both directions, its features, and its weight and gradient, for pairs that do
/// not follow edges in several heads.
Pairs pairs_of(const nn::MaskShape& shape, const Dataset& data, const graph::FrozenGraph& frozen, std::uint64_t nodes) {
  const graph::Mask mask = graph::parse_mask(shape.name);
  const double bytes_of_pair =
      (mask.rule->needs_edges ? 32 : 64) + static_cast<double>(sizeof(float)) * shape.features;
  Pairs pairs{.most = static_cast<double>(available_memory()) / bytes_of_pair};
  if (!mask.rule->needs_edges) {
    pairs.count = mask.slots(nodes);
  } else if (mask.rule->slots_along != nullptr) {
    const std::vector<graph::Node> offsets = data.offsets();
    pairs.count = mask.rule->slots_along({.edges = frozen, .offsets = offsets}, mask.parameters, pairs.most);
  }
  pairs.bytes = pairs.count * bytes_of_pair;
  return pairs;
}

/// "all pairs of the 400 nodes", "at least 1200 pairs of the 400 nodes", "1200 pairs of edges".
std::string describe(const Pairs& pairs, const graph::MaskRule& rule, std::uint64_t nodes) {
  const auto size = static_cast<double>(nodes);
  const std::string count = pairs.count == size * size ? "all"
                            : rule.name == "k_hop"     ? fmt::format("at least {:.0f}", pairs.count)
                                                       : fmt::format("{:.0f}", pairs.count);
  return rule.rows == graph::MaskRows::edges ? fmt::format("{} pairs of edges", count)
                                             : fmt::format("{} pairs of the {} nodes", count, nodes);
}

/// What to use instead of a mask that does not fit in memory.
std::string alternative_to(const graph::MaskRule& rule, const Dataset& data) {
  if (rule.name == "k_hop") return "use fewer hops, or a model that attends along edges";
  return data.graph.edge_count() > 0
             ? "use a model that attends along edges"
             : fmt::format("use a model that attends to nodes nearby, such as {} band:8", setting("model.mask"));
}

}  // namespace

void check_pairs(const nn::Model& model, const Dataset& data, const graph::FrozenGraph& frozen) {
  const LargestGraph largest = largest_graph(data);
  check_rows(model, data, largest);
  for (const nn::MaskShape& shape : model.masks_by_rule()) {
    const Pairs pairs = pairs_of(shape, data, frozen, largest.nodes);
    if (pairs.count <= pairs.most) continue;
    const graph::MaskRule& rule = *graph::parse_mask(shape.name).rule;
    throw UsageError(fmt::format(
        "{}model: attention between {} of the largest graph (\"{}\") would take at least {:.0f} GiB, more than there "
        "is; {}",
        largest.where, describe(pairs, rule, largest.nodes), shape.name, std::floor(pairs.bytes / (1 << 30)),
        alternative_to(rule, data)));
  }
}

}  // namespace edgewise::train
