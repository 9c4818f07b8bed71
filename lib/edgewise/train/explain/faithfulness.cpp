#include "edgewise/train/explain/faithfulness.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/train/explain/effects.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/explain/node_attention.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr std::size_t kDraws = 10;
constexpr std::size_t kFewestParts = 3;

/// The attention that the parts of items get, if the model attends.
class AttentionOfParts {
 public:
  explicit AttentionOfParts(ModelData& loaded) : loaded_(loaded) {}

  /// One value per node of `parts`; nothing if the model does not attend.
  std::optional<std::vector<double>> of(const Subject& subject, Node item, std::span<const Node> parts) {
    if (!attends_) return std::nullopt;
    try {
      return loaded_.data.graphs ? of_graph(item, parts) : of_node(subject, item, parts);
    } catch (const ModelError&) {
      attends_ = false;
      return std::nullopt;
    }
  }

 private:
  std::vector<double> of_graph(Node item, std::span<const Node> parts) {
    const GraphAttention attention = attention_of_graph("", loaded_, item, [](const std::string&) {});
    std::vector<double> values;
    for (const Node part : parts) values.push_back(attention.summary.nodes.at(part));
    return values;
  }

  /// Means over layers and heads.
  std::vector<double> of_node(const Subject& subject, Node item, std::span<const Node> parts) {
    if (!nodes_) nodes_ = attention_of_nodes("", loaded_, [](const std::string&) {});
    std::map<Node, double> sums;
    for (const nn::AttentionRecord& record : nodes_->records) {
      const graph::FrozenGraph& mask = nodes_->batches->mask(record.mask);
      for (graph::EdgeIndex slot = mask.incoming.offsets[item]; slot < mask.incoming.offsets[item + 1]; ++slot)
        sums[mask.incoming.columns[slot]] += record.weights.row(static_cast<Eigen::Index>(slot)).mean();
    }
    std::vector<double> values;
    for (const Node part : parts) values.push_back(sums[subject.nodes()[part]]);
    return values;
  }

  ModelData& loaded_;
  std::optional<NodeAttention> nodes_;
  bool attends_ = true;
};

/// The `count` parts with the largest values, those of equal value in order.
Deletion largest(std::span<const Node> parts, const std::vector<double>& values, std::size_t count) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  Deletion deletion;
  for (std::size_t i = 0; i < count; ++i) deletion.nodes.push_back(parts[order[i]]);
  std::ranges::sort(deletion.nodes);
  return deletion;
}

/// How far the prediction for one item goes.
struct Moves {
  std::size_t parts = 0;
  double by_deletion = 0;
  double at_random = 0;
  std::optional<double> by_attention = {};
};

/// The parts that are single nodes, with their effects; of numbers, with their sizes.
std::pair<std::vector<Node>, std::vector<double>> node_effects(const Effects& effects, bool has_sign) {
  std::vector<Node> nodes;
  std::vector<double> values;
  for (const PartEffect& part : effects.parts) {
    if (part.deletion.nodes.size() != 1) continue;
    nodes.push_back(part.deletion.nodes.front());
    values.push_back(has_sign ? part.effect : std::abs(part.effect));
  }
  return {std::move(nodes), std::move(values)};
}

/// Nothing if the item has too few parts.
std::optional<Moves> moves_of(ModelData& loaded, Node item, AttentionOfParts& attention) {
  const bool has_sign = !loaded.trained.task.has_numbers();
  const Effects effects = effects_of(loaded, item);
  const auto [parts, values] = node_effects(effects, has_sign);
  if (parts.size() < kFewestParts) return std::nullopt;
  const std::size_t count = (parts.size() + 9) / 10;
  std::vector<Deletion> deletions = {largest(parts, values, count)};
  constexpr std::uint64_t kSeed = 0;
  Random random(kSeed, Stream::shuffle, item);
  std::vector<double> drawn(parts.size());
  for (std::size_t draw = 0; draw < kDraws; ++draw) {
    std::ranges::generate(drawn, [&] { return random.uniform(); });
    deletions.push_back(largest(parts, drawn, count));
  }
  Subject subject(loaded, item);
  const std::optional<std::vector<double>> shares = attention.of(subject, item, parts);
  if (shares) deletions.push_back(largest(parts, *shares, count));
  const Matrix left = subject.predict(deletions);
  const auto answer = static_cast<Eigen::Index>(effects.answer);
  const auto moved = [&](std::size_t deletion) {
    const double fall = effects.prediction(0, answer) - left(static_cast<Eigen::Index>(deletion), answer);
    return has_sign ? fall : std::abs(fall);
  };
  Moves moves{.parts = parts.size(), .by_deletion = moved(0)};
  for (std::size_t draw = 1; draw <= kDraws; ++draw) moves.at_random += moved(draw) / kDraws;
  if (shares) moves.by_attention = moved(kDraws + 1);
  return moves;
}

}  // namespace

FaithfulnessResult faithfulness(ModelData& loaded, std::span<const Node> items) {
  AttentionOfParts attention(loaded);
  FaithfulnessResult result;
  Moves sums{.by_attention = 0};
  for (const Node item : items) {
    const std::optional<Moves> moves = moves_of(loaded, item, attention);
    if (!moves) continue;
    ++result.items;
    sums.parts += moves->parts;
    sums.by_deletion += moves->by_deletion;
    sums.at_random += moves->at_random;
    if (sums.by_attention && moves->by_attention)
      *sums.by_attention += *moves->by_attention;
    else
      sums.by_attention.reset();
  }
  if (result.items == 0) return result;
  const auto count = static_cast<double>(result.items);
  result.parts = static_cast<double>(sums.parts) / count;
  result.ways.push_back({"deletion", sums.by_deletion / count});
  if (sums.by_attention) result.ways.push_back({"attention", *sums.by_attention / count});
  result.ways.push_back({"random", sums.at_random / count});
  return result;
}

}  // namespace edgewise::train
