#include "edgewise/graph/sampling.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/graph_unions.hpp"
#include "support/node_graph.hpp"
#include "support/random_graph.hpp"
#include "support/range.hpp"

using namespace edgewise;
using namespace edgewise::graph;
using Catch::Matchers::Contains;
using test::range;

namespace {

/// Sum of (found - expected)^2 / expected over cells of equal probability.
double chi_square(const std::map<std::vector<Node>, int>& counts, std::size_t cells) {
  double draws = 0, sum = 0;
  for (const auto& [cell, count] : counts) draws += count;
  const double expected = draws / static_cast<double>(cells);
  for (const auto& [cell, count] : counts) sum += (count - expected) * (count - expected) / expected;
  return sum + expected * static_cast<double>(cells - counts.size());
}

/// Node 0 has the sources 1 ... 6 and, with `has_loop`, itself; node 7 the sources 1 ... 4.
FrozenGraph two_rows(bool has_loop = false) {
  Csr rows;
  for (Node source = has_loop ? 0 : 1; source <= 6; ++source) rows.columns.push_back(source);
  rows.offsets.push_back(rows.columns.size());
  for (int i = 0; i < 6; ++i) rows.offsets.push_back(rows.columns.size());
  for (Node source = 1; source <= 4; ++source) rows.columns.push_back(source);
  rows.offsets.push_back(rows.columns.size());
  return freeze(std::move(rows), 8);
}

/// The sources of a destination of a step, as nodes of the whole graph.
std::vector<Node> sources(const Sample& sample, std::size_t step, std::size_t row) {
  std::vector<Node> nodes;
  for (const Node column : sample.steps[step]->mask.incoming.row(row)) nodes.push_back(sample.nodes[column]);
  return nodes;
}

SampleBatch batch_of(std::vector<Node> nodes) {
  const std::size_t count = nodes.size();
  return {.nodes = std::move(nodes), .item_count = count};
}

/// Checks that a sample is made of edges of the graph, between sets each of which begins with the next.
void check_structure(const FrozenGraph& whole, const Sample& sample, const SampleBatch& batch, std::size_t steps) {
  REQUIRE(sample.steps.size() == steps);
  CHECK(sample.whole->graph() == &whole);
  CHECK(std::set<Node>(sample.nodes.begin(), sample.nodes.end()).size() == sample.nodes.size());
  CHECK(std::ranges::equal(std::span(sample.nodes).first(batch.item_count), batch.items()));
  std::size_t rows = sample.nodes.size();
  for (std::size_t step = 0; step < steps; ++step) {
    const auto& [mask, importance] = *sample.steps[step];
    REQUIRE(mask.source_count() == rows);
    rows = mask.destination_count();
    REQUIRE(rows <= mask.source_count());
    REQUIRE(importance.size() == mask.slot_count());
    for (std::size_t v = 0; v < rows; ++v)
      for (EdgeIndex slot = mask.incoming.offsets[v]; slot < mask.incoming.offsets[v + 1]; ++slot) {
        const Node node = sample.nodes[v], source = sample.nodes[mask.incoming.columns[slot]];
        const std::span<const Node> row = whole.incoming.row(node);
        const auto found = std::ranges::find(row, source);
        REQUIRE(found != row.end());
        const std::size_t in_whole = whole.incoming.offsets[node] + static_cast<std::size_t>(found - row.begin());
        CHECK(importance[slot] > 0);
        if (whole.edge_features.cols() == 0) continue;
        CHECK(mask.edge[slot] == whole.edge[in_whole]);
        CHECK(mask.edge_features.row(static_cast<Eigen::Index>(slot)) ==
              whole.edge_features.row(static_cast<Eigen::Index>(in_whole)));
      }
  }
  CHECK(rows == (steps == 0 ? sample.nodes.size() : batch.item_count));
}

FrozenGraph with_features(FrozenGraph graph) {
  graph.edge_features = test::random_matrix(static_cast<Eigen::Index>(graph.slot_count()), 2, 4);
  return graph;
}

/// A hub, an isolated node, self loops of some nodes.
FrozenGraph awkward_graph() {
  return with_features(freeze(test::random_union({40, 1, 30}, 5, 3).graph, {.self_loops = AddSelfLoops::no}));
}

float number_of(Node node) { return std::sin(1.7F * static_cast<float>(node)) + 0.3F; }

/// The sum over the sources of a node in the whole graph.
double exact_sum(const FrozenGraph& whole, Node node) {
  double sum = 0;
  for (const Node source : whole.incoming.row(node)) sum += number_of(source);
  return sum;
}

/// What the last step of a sample estimates it to be.
double estimated_sum(const Sample& sample, std::size_t row) {
  const auto& [mask, importance] = *sample.steps.back();
  double sum = 0;
  for (EdgeIndex slot = mask.incoming.offsets[row]; slot < mask.incoming.offsets[row + 1]; ++slot)
    sum += importance[slot] * number_of(sample.nodes[mask.incoming.columns[slot]]);
  return sum;
}

struct Moments {
  double sum = 0, squares = 0;
  int count = 0;

  void add(double x) { sum += x, squares += x * x, ++count; }
  double mean() const { return sum / count; }
  double standard_error() const { return std::sqrt(std::max(squares / count - mean() * mean(), 0.0) / count); }
};

}  // namespace

TEST_CASE("fan-outs of relations are for each of them", "[graph][sampling]") {
  // Into node 0: six edges of the first relation, three of the second, one of none, and a loop.
  EdgeList edges;
  for (Node source = 1; source <= 10; ++source) edges.sources.push_back(source);
  edges.sources.push_back(0);
  edges.targets.assign(11, 0);
  edges.features = Matrix::Zero(11, 3);
  for (const int first : {0, 2, 4, 5, 7, 9}) edges.features(first, 0) = 1;
  for (const int second : {1, 3, 6}) edges.features(second, 1) = 1;
  edges.features.col(2).setOnes();
  const FrozenGraph whole =
      freeze(Graph(NodeNames::numbered(11), std::move(edges), {.direction = Direction::directed}));
  const bool replace = GENERATE(false, true);
  const auto sampler = sample_neighbours(whole, {.fan_outs = {2}, .replace = replace, .relations = 2});
  std::map<Node, int> drawn;
  for (std::uint64_t epoch = 0; epoch < 300; ++epoch) {
    const Sample sample = sampler->draw(batch_of({0}), 1, 1, epoch);
    const SampledEdges& step = *sample.steps[0];
    REQUIRE(step.mask.slot_count() == (replace ? 7 : 6));  // the loop, two and two, and that of none
    float of_relation[2] = {0, 0}, all = 0;
    for (EdgeIndex slot = 0; slot < step.mask.slot_count(); ++slot) {
      for (int r = 0; r < 2; ++r)
        of_relation[r] += step.importance[slot] * step.mask.edge_features(static_cast<Eigen::Index>(slot), r);
      all += step.importance[slot];
      ++drawn[sample.nodes[step.mask.incoming.columns[slot]]];
    }
    CHECK(of_relation[0] == 6);
    CHECK(of_relation[1] == 3);
    CHECK(all == 11);
  }
  CHECK(drawn[0] == 300);
  for (const Node first : {1, 3, 5, 6, 8, 10}) CHECK(drawn[first] == Approx(100).margin(30));
  for (const Node second : {2, 4, 7}) CHECK(drawn[second] == Approx(200).margin(40));
  CHECK(drawn[9] == (replace ? 600 : 300));
}

TEST_CASE("sampled neighbours are each set with equal probability", "[graph][sampling]") {
  const FrozenGraph graph = two_rows();
  const auto sampler = sample_neighbours(graph, {.fan_outs = {2}});
  std::map<std::vector<Node>, int> counts;
  for (std::uint64_t epoch = 0; epoch < 60000; ++epoch) {
    std::vector<Node> drawn = sources(sampler->draw(batch_of({0}), 1, 5, epoch), 0, 0);
    std::ranges::sort(drawn);
    REQUIRE(drawn.size() == 2);
    ++counts[drawn];
  }
  CHECK(counts.size() == 15);
  CHECK(chi_square(counts, 15) < 36.1);  // 14 degrees of freedom; exceeded once in a thousand
}

TEST_CASE("sampled neighbours with replacement are independent", "[graph][sampling]") {
  const FrozenGraph graph = two_rows();
  const auto sampler = sample_neighbours(graph, {.fan_outs = {2}, .replace = true});
  std::map<std::vector<Node>, int> counts;
  for (std::uint64_t epoch = 0; epoch < 9000; ++epoch) {
    const Sample sample = sampler->draw(batch_of({0}), 1, 5, epoch);
    ++counts[sources(sample, 0, 0)];
    CHECK(sample.steps[0]->importance == std::vector<float>{3, 3});
  }
  CHECK(counts.size() == 36);
  CHECK(chi_square(counts, 36) < 66.6);  // 35 degrees of freedom
  CHECK(sources(sample_neighbours(graph, {.fan_outs = {9}, .replace = true})->draw(batch_of({7}), 1, 5, 0), 0, 0)
            .size() == 9);
}

TEST_CASE("draws of nodes, steps, epochs and seeds are independent", "[graph][sampling]") {
  const FrozenGraph graph = two_rows();
  const auto sampler = sample_neighbours(graph, {.fan_outs = {1}});
  std::map<std::vector<Node>, int> of_nodes, of_steps, of_epochs, of_seeds;
  const auto first = [&](std::uint64_t seed, std::uint64_t epoch) {
    return sampler->draw(batch_of({7, 0}), 2, seed, epoch);
  };
  for (std::uint64_t epoch = 0; epoch < 5000; ++epoch) {
    const Sample sample = first(1, epoch);
    const Node seven = sources(sample, 1, 0)[0];
    ++of_nodes[{seven, sources(sample, 1, 1)[0]}];
    ++of_steps[{seven, sources(sample, 0, 0)[0]}];
    ++of_epochs[{seven, sources(first(1, epoch + 1), 1, 0)[0]}];
    ++of_seeds[{seven, sources(first(2, epoch), 1, 0)[0]}];
  }
  CHECK(chi_square(of_nodes, 24) < 49.7);  // 23 degrees of freedom
  for (const auto& counts : {of_steps, of_epochs, of_seeds}) CHECK(chi_square(counts, 16) < 37.7);
  // What is drawn for a node does not depend on the others of the batch.
  const std::vector<Node> alone = sources(sampler->draw(batch_of({7}), 1, 3, 4), 0, 0);
  CHECK(alone == sources(sampler->draw(batch_of({0, 7}), 1, 3, 4), 0, 1));
}

TEST_CASE("a node's edge from itself is always sampled", "[graph][sampling]") {
  const FrozenGraph graph = two_rows(true);
  const bool replace = GENERATE(false, true);
  const auto sampler = sample_neighbours(graph, {.fan_outs = {2}, .replace = replace});
  for (std::uint64_t epoch = 0; epoch < 50; ++epoch) {
    const Sample sample = sampler->draw(batch_of({0}), 1, 5, epoch);
    const std::vector<Node> drawn = sources(sample, 0, 0);
    REQUIRE(drawn.size() == 3);
    CHECK(std::ranges::count(drawn, Node{0}) == 1);
    CHECK(drawn.front() == 0);
    CHECK(sample.steps[0]->importance == std::vector<float>{1, 3, 3});
  }
}

TEST_CASE("samples are parts of the graph whose sets of nodes begin with one another", "[graph][sampling]") {
  const FrozenGraph graph = awkward_graph();
  const std::vector<Node> items = {3, 40, 0, 69, 12, 33, 51};  // 40 is isolated
  const std::size_t steps = GENERATE(0U, 1U, 3U);
  const std::unique_ptr<Sampler> samplers[] = {
      sample_neighbours(graph, {.fan_outs = {3}, .batch_size = 4}),
      sample_neighbours(graph, {.fan_outs = {2}, .replace = true, .batch_size = 3}),
      sample_clusters(graph, {.clusters = 9, .at_once = 3}), sample_clusters(graph, {.clusters = 4, .at_once = 1}),
      sample_walks(graph, {.roots = 4, .length = 2})};
  for (const auto& sampler : samplers)
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch)
      for (const SampleBatch& batch : sampler->batches(items, 7, epoch)) {
        CHECK(batch.item_count > 0);
        for (const Node item : batch.items()) CHECK(std::ranges::count(items, item) == 1);
        check_structure(graph, sampler->draw(batch, steps, 7, epoch), batch, steps);
      }
}

TEST_CASE("fan-outs of at least the largest degree take all edges", "[graph][sampling]") {
  const FrozenGraph graph = awkward_graph();
  const auto sampler = sample_neighbours(graph, {.fan_outs = {70}});
  const Sample sample = sampler->draw(batch_of(range(0, 71)), 2, 1, 0);
  for (const auto& step : sample.steps) {
    CHECK(step->mask.slot_count() == graph.slot_count());
    CHECK(std::ranges::all_of(step->importance, [](float weight) { return weight == 1; }));
  }
}

TEST_CASE("an epoch of sampled neighbours has each item once", "[graph][sampling]") {
  const FrozenGraph graph = awkward_graph();
  const std::vector<Node> items = range(5, 45);
  const auto sampler = sample_neighbours(graph, {.fan_outs = {3}, .batch_size = 16});
  const auto batches = sampler->batches(items, 7, 0);
  REQUIRE(batches.size() == 3);
  CHECK(batches[2].item_count == 8);
  std::vector<Node> all;
  for (const SampleBatch& batch : batches) {
    all.insert(all.end(), batch.nodes.begin(), batch.nodes.end());
    CHECK(batch.weights.empty());
  }
  CHECK(all != items);
  CHECK(sampler->batches(items, 7, 1)[0].nodes != batches[0].nodes);
  std::ranges::sort(all);
  CHECK(all == items);
}

TEST_CASE("importance makes sums along sampled edges unbiased", "[graph][sampling]") {
  const FrozenGraph graph = awkward_graph();
  const std::vector<Node> items = range(0, 71);
  const int kind = GENERATE(0, 1, 2);
  CAPTURE(kind);
  const std::unique_ptr<Sampler> sampler =
      kind == 2 ? sample_clusters(graph, {.clusters = 12, .at_once = 3})
                : sample_neighbours(graph, {.fan_outs = {2}, .replace = kind == 1});
  std::map<Node, Moments> sums;
  Moments losses;
  for (std::uint64_t epoch = 0; epoch < 1500; ++epoch) {
    const auto batches = sampler->batches(items, 3, epoch);
    Moments mean;  // over the batches
    for (const SampleBatch& batch : batches) {
      const Sample sample = sampler->draw(batch, 1, 3, epoch);
      double loss = 0;
      for (std::size_t i = 0; i < batch.item_count; ++i) {
        sums[batch.nodes[i]].add(estimated_sum(sample, i));
        loss += (batch.weights.empty() ? 1 : batch.weights[i]) * number_of(batch.nodes[i]);
      }
      mean.add(loss / static_cast<double>(batch.item_count));
    }
    losses.add(mean.mean());
  }
  double expected = 0;
  for (const Node node : items) {
    CAPTURE(node);
    expected += number_of(node) / 71;
    CHECK(std::abs(sums[node].mean() - exact_sum(graph, node)) <= 4.5 * sums[node].standard_error() + 1e-5);
  }
  CHECK(losses.mean() == Approx(expected).margin(1e-5));
}

TEST_CASE("clusters are taken once in an epoch, with all edges among them", "[graph][sampling]") {
  const FrozenGraph graph = awkward_graph();
  const std::vector<Node> items = {3, 12, 40};
  const auto sampler = sample_clusters(graph, {.clusters = 8, .at_once = 2});
  std::set<Node> seen;
  for (const SampleBatch& batch : sampler->batches(items, 3, 1)) {
    const std::set<Node> nodes(batch.nodes.begin(), batch.nodes.end());
    seen.insert(batch.items().begin(), batch.items().end());
    CHECK(nodes.size() == batch.nodes.size());
    CHECK(nodes.size() >= 16);
    CHECK(nodes.size() <= 18);
    const Sample sample = sampler->draw(batch, 2, 3, 1);
    for (std::size_t i = 0; i < batch.nodes.size(); ++i) {
      std::vector<Node> expected;
      for (const Node source : graph.incoming.row(batch.nodes[i]))
        if (nodes.contains(source)) expected.push_back(source);
      CHECK(sources(sample, 0, i) == expected);
    }
  }
  CHECK(seen == std::set<Node>(items.begin(), items.end()));
  CHECK(sample_clusters(graph, {.clusters = 8, .at_once = 8})->batches(items, 3, 1).size() == 1);
  CHECK_THROWS_WITH(sample_clusters(graph, {.clusters = 72, .at_once = 1}), Contains("but there are 71 nodes"));
  CHECK_THROWS_WITH(sample_clusters(graph, {.clusters = 8, .at_once = 3}), Contains("got 8 and 3"));
}

TEST_CASE("random walks visit nodes with their exact probability", "[graph][sampling]") {
  const FrozenGraph graph = freeze(test::random_union({12, 2}, 3, 3).graph);
  const std::vector<Node> items = {0, 3, 5, 7, 12};
  constexpr std::size_t kRoots = 2, kLength = 2;
  // The probability that a walk visits a node: over all walks.
  std::vector<double> visits(14, 0);
  const std::function<void(std::vector<Node>, double)> walk = [&](const std::vector<Node>& path, double probability) {
    const std::span<const Node> row = graph.incoming.row(path.back());
    if (path.size() > kLength || row.empty()) {
      for (const Node node : std::set<Node>(path.begin(), path.end())) visits[node] += probability;
      return;
    }
    for (const Node source : row) {
      std::vector<Node> longer = path;
      longer.push_back(source);
      walk(longer, probability / static_cast<double>(row.size()));
    }
  };
  for (const Node item : items) walk({item}, 1.0 / static_cast<double>(items.size()));

  const auto sampler = sample_walks(graph, {.roots = kRoots, .length = kLength, .coverage = 20000});
  std::map<Node, double> counts;
  std::map<Node, float> weights;
  std::map<Node, Moments> sums;
  Moments losses;
  double drawn = 0;
  for (std::uint64_t epoch = 0; epoch < 4000; ++epoch)
    for (const SampleBatch& batch : sampler->batches(items, 3, epoch)) {
      ++drawn;
      for (const Node node : batch.nodes) ++counts[node];
      const Sample sample = sampler->draw(batch, 1, 3, epoch);
      double loss = 0;
      for (std::size_t i = 0; i < batch.item_count; ++i) {
        weights[batch.nodes[i]] = batch.weights[i] / static_cast<float>(batch.item_count);
        sums[batch.nodes[i]].add(estimated_sum(sample, i));
        loss += batch.weights[i] * number_of(batch.nodes[i]);
      }
      losses.add(loss / static_cast<double>(batch.item_count));
    }
  for (Node node = 0; node < 14; ++node) {
    CAPTURE(node);
    const double probability = 1 - std::pow(1 - visits[node], kRoots);
    const double expected = drawn * probability, deviation = std::sqrt(expected * (1 - probability));
    CHECK(std::abs(counts[node] - expected) <= 4.5 * deviation + 1e-9);
  }
  double expected = 0;
  for (const Node item : items) {
    CAPTURE(item);
    expected += number_of(item) / 5;
    const double probability = 1 - std::pow(1 - visits[item], kRoots);
    CHECK(weights[item] == Approx(1 / (5 * probability)).epsilon(0.02));
    CHECK(sums[item].mean() == Approx(exact_sum(graph, item)).margin(4.5 * sums[item].standard_error() + 0.02));
  }
  CHECK(losses.mean() == Approx(expected).margin(4.5 * losses.standard_error() + 0.005));
}

TEST_CASE("samples are the same at any number of threads", "[graph][sampling]") {
  const FrozenGraph graph = test::random_mask(3000, 3000, 12, 5);
  const std::vector<Node> items = range(0, 1500);
  const auto make = [&](int kind) -> std::unique_ptr<Sampler> {
    if (kind == 0) return sample_neighbours(graph, {.fan_outs = {5, 4}, .batch_size = 1200});
    if (kind == 1) return sample_clusters(graph, {.clusters = 10, .at_once = 5});
    return sample_walks(graph, {.roots = 300, .length = 2, .coverage = 1});
  };
  const int kind = GENERATE(0, 1, 2), before = threads();
  std::vector<std::vector<Sample>> samples;
  for (const int count : {1, 2}) {
    set_threads(count);
    const auto sampler = make(kind);
    samples.emplace_back();
    for (const SampleBatch& batch : sampler->batches(items, 3, 1))
      samples.back().push_back(sampler->draw(batch, 2, 3, 1));
  }
  set_threads(before);
  REQUIRE(samples[0].size() == samples[1].size());
  for (std::size_t i = 0; i < samples[0].size(); ++i) {
    const Sample &one = samples[0][i], &two = samples[1][i];
    CHECK(one.nodes == two.nodes);
    for (std::size_t step = 0; step < 2; ++step) {
      CHECK(one.steps[step]->importance == two.steps[step]->importance);
      CHECK(one.steps[step]->mask.incoming.offsets == two.steps[step]->mask.incoming.offsets);
      CHECK(one.steps[step]->mask.incoming.columns == two.steps[step]->mask.incoming.columns);
    }
  }
}

TEST_CASE("without items there are no batches", "[graph][sampling]") {
  const FrozenGraph graph = two_rows();
  CHECK(sample_neighbours(graph, {.fan_outs = {2}})->batches({}, 1, 0).empty());
  CHECK(sample_clusters(graph, {.clusters = 2, .at_once = 1})->batches({}, 1, 0).empty());
  CHECK(sample_walks(graph, {})->batches({}, 1, 0).empty());
}

TEST_CASE("samples are refused of two node sets, and in another number of steps", "[graph][sampling]") {
  const FrozenGraph between = freeze(Csr{.offsets = {0, 2, 3}, .columns = {1, 4, 0}}, 5);
  CHECK_THROWS_WITH(sample_neighbours(between, {.fan_outs = {2}}),
                    "sample: expected a graph among the same nodes, got 2 destinations and 5 sources");
  CHECK_THROWS_AS(sample_clusters(between, {}), UsageError);
  CHECK_THROWS_AS(sample_walks(between, {}), UsageError);
  const FrozenGraph graph = two_rows();
  CHECK_THROWS_AS(sample_walks(graph, {.roots = 0}), UsageError);
  CHECK_THROWS_WITH(sample_neighbours(graph, {.fan_outs = {2}, .batch_size = 0}), Contains("batches of at least 1"));
  CHECK_THROWS_WITH(sample_neighbours(graph, {.fan_outs = {2, 3}})->draw(batch_of({0}), 3, 1, 0),
                    "sample: expected fan-outs of 3 steps, got 2");
}
