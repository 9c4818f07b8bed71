#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/explain/effects.hpp"
#include "edgewise/train/run/link_baselines.hpp"
#include "edgewise/train/run/run_result.hpp"
#include "edgewise/train/use/link_prediction.hpp"
#include "train/toy_links.hpp"

using namespace edgewise;
using namespace edgewise::train;
using graph::Node;

namespace {

ModelData trained_on_circles(const char* model, graph::Direction direction = graph::Direction::undirected) {
  Dataset data = test::circles_of_friends(direction);
  Config config;
  config.data.task = kLinks;
  config.model = ModelConfig(json::Object{{"preset", model}});
  Run run;
  for (std::size_t tie = 0; tie < data.links->size(); ++tie)
    run.split.push_back(tie % 10 == 0 ? data::Role::validation : data::Role::train);
  run_link_baseline(config, data, {}, run);
  std::vector<ModelInput> inputs = make_inputs(*run.trained, data);
  return {.trained = std::move(*run.trained), .data = std::move(data), .inputs = std::move(inputs)};
}

double probability(ModelData& loaded, Node source, Node target) {
  NodePairs pair;
  pair.add(source, target);
  return LinkScorer(loaded).probabilities(pair).front();
}

/// The first pair without a tie whose ends have so many neighbours in common.
std::pair<Node, Node> pair_with(const graph::Ties& ties, std::size_t common) {
  for (Node a = 0; a < ties.node_count(); ++a)
    for (Node b = a + 1; b < ties.node_count(); ++b) {
      std::size_t count = 0;
      for (const Node c : ties.neighbours(a)) count += std::ranges::count(ties.neighbours(b), c);
      if (count == common && !ties.contains(a, b)) return {a, b};
    }
  throw UsageError("no such pair");
}

}  // namespace

TEST_CASE("without a common neighbour a pair is one with fewer", "[train][link_effects]") {
  ModelData loaded = trained_on_circles("common_neighbours");
  const LinkScorer scorer(loaded);
  const auto [source, target] = pair_with(scorer.ties(), 2);
  const auto [fewer, other] = pair_with(scorer.ties(), 1);
  const Effects effects = effects_of_link(loaded, source, target);
  CHECK(effects.prediction(0, 0) == Approx(probability(loaded, source, target)));
  const double without = probability(loaded, fewer, other);
  std::size_t common = 0;
  for (const PartEffect& part : effects.parts) {
    if (part.kind == "common neighbour") {
      ++common;
      CHECK(part.without == Approx(without));
      CHECK(part.effect == Approx(effects.prediction(0, 0) - without).margin(1e-6));
    } else {
      CHECK(part.effect == 0);  // other ties and features do not count
    }
  }
  CHECK(common == 2);
}

TEST_CASE("trees of ties use the features of both ends, which are put back", "[train][link_effects]") {
  ModelData loaded = trained_on_circles("link_trees");
  const LinkScorer scorer(loaded);
  const auto [source, target] = pair_with(scorer.ties(), 2);
  const double before = probability(loaded, source, target);
  const Effects effects = effects_of_link(loaded, source, target);
  CHECK(std::ranges::any_of(effects.parts, [](const PartEffect& part) {
    return part.kind == "feature" && part.effect != 0;
  }));
  CHECK(probability(loaded, source, target) == before);
}

TEST_CASE("the tie in the other direction is evidence, as in predictions", "[train][link_effects]") {
  ModelData loaded = trained_on_circles("link_trees", graph::Direction::directed);
  const LinkItems& links = *loaded.data.links;
  std::size_t tie = 0;
  while (has_tie(loaded.data, links.targets[tie], links.sources[tie])) ++tie;
  const Node source = links.targets[tie], target = links.sources[tie];  // known the other way round alone
  const Effects effects = effects_of_link(loaded, source, target);
  CHECK(effects.prediction(0, 0) == Approx(probability(loaded, source, target)));
  const std::string name = fmt::format("{} - {}", target, source);
  CHECK(std::ranges::any_of(effects.parts, [&](const PartEffect& part) { return part.name == name; }));
}

TEST_CASE("the tie that is explained is not among its own evidence", "[train][link_effects]") {
  ModelData loaded = trained_on_circles("adamic_adar");
  const Node source = loaded.data.links->sources.front(), target = loaded.data.links->targets.front();
  CHECK(has_tie(loaded.data, target, source));
  const Effects effects = effects_of_link(loaded, source, target);
  for (const PartEffect& part : effects.parts)
    if (part.kind == "tie") CHECK(part.effect == Approx(0).margin(1e-6));
  CHECK_THROWS_AS(effects_of_link(loaded, source, source), UsageError);
}
