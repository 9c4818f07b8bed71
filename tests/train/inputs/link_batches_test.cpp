#include "edgewise/train/inputs/link_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <utility>

#include "edgewise/core/parallel.hpp"
#include "edgewise/data/feature_directions.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_links.hpp"

using namespace edgewise;
using train::LinkBatches;
using train::LinkFeatures;

namespace {

/// Ties of circles, split by their number.
struct Job {
  train::Dataset data;
  data::Split split;
  graph::FrozenGraph frozen;

  explicit Job(graph::Direction direction = graph::Direction::undirected, std::size_t nodes = 60)
      : data(test::circles_of_friends(direction, nodes)), frozen(graph::freeze(data.graph, {})) {
    for (std::size_t tie = 0; tie < data.links->size(); ++tie)
      split.push_back(tie % 10 == 0   ? data::Role::validation
                      : tie % 10 == 1 ? data::Role::test
                                      : data::Role::train);
  }
  std::unique_ptr<LinkBatches> batches(const train::LinkOptions& options = {.negatives = 3, .candidates = 20}) {
    auto batches = std::make_unique<LinkBatches>(data, data.features, frozen, split,
                                                 LinkFeatures{data::feature_directions(data.features)}, options);
    batches->fit_numbers(batches->seen().number_names(), 1);
    return batches;
  }
  nn::Model model(LinkBatches& batches, const char* preset) const {
    const train::ModelConfig config(json::Object{{"preset", preset}, {"hidden", 8}, {"dropout", 0}});
    const json::Value blocks = train::blocks_for(config, data, data.features);
    const auto numbers = static_cast<Eigen::Index>(batches.seen().number_names().size());
    return nn::Model(blocks, train::shape_of(data, data.features, frozen, {}, numbers), 1);
  }
  std::vector<graph::Node> ties(data::Role role) const { return data::nodes_with_role(split, role); }
};

}  // namespace

TEST_CASE("what a step asks for does not change with the ties that it asks for", "[train][link_batches]") {
  // The outputs of the ties of a fold and of their negatives must not depend on whether these ties are there: the leak
  // that makes models of ties look good. They are the same if another network lacks them.
  Job job;
  const auto batches = job.batches();
  nn::Model model = job.model(*batches, "gcn");
  const std::vector<graph::Node> fold =
      batches->training_batches(model, job.ties(data::Role::train), 1, 0).front();
  autograd::Tape tape;
  const Matrix outputs = batches->forward(model, {.tape = tape, .is_training = true, .seed = 1}, fold).value();
  data::Split without = job.split;
  for (const graph::Node tie : fold) without[tie] = data::Role::test;
  LinkBatches other(job.data, job.data.features, job.frozen, without,
                    LinkFeatures{data::feature_directions(job.data.features)}, {.negatives = 3, .candidates = 20});
  const train::LinkMap map = [&] {
    LinkBatches same(job.data, job.data.features, job.frozen, job.split,
                     LinkFeatures{data::feature_directions(job.data.features)}, {.negatives = 3, .candidates = 20});
    return same.fit_numbers(same.seen().number_names(), 1);
  }();
  other.set_numbers(map);
  tape.reset(false);
  const Matrix judged = other.forward(model, {.tape = tape}, fold).value();
  CHECK((judged.col(0).array() - map.shift() - outputs.col(0).array()).abs().maxCoeff() < 1e-4F);
}

TEST_CASE("each training tie is asked for once in an epoch, in another order in the next", "[train][link_batches]") {
  Job job;
  const auto batches = job.batches();
  const nn::Model model = job.model(*batches, "mlp");
  const auto first = batches->training_batches(model, job.ties(data::Role::train), 1, 0);
  const auto second = batches->training_batches(model, job.ties(data::Role::train), 1, 1);
  std::vector<graph::Node> all;
  for (const auto& batch : first) all.insert(all.end(), batch.begin(), batch.end());
  std::ranges::sort(all);
  CHECK(all == job.ties(data::Role::train));
  CHECK(first.size() == second.size());
  CHECK(first != second);
}

TEST_CASE("candidates of judged ties are no known ties, and the same for all models", "[train][link_batches]") {
  const auto direction = GENERATE(graph::Direction::undirected, graph::Direction::directed);
  Job job(direction);
  const auto batches = job.batches();
  nn::Model model = job.model(*batches, "mlp");
  const std::vector<graph::Node> ties = job.ties(data::Role::validation);
  autograd::Tape tape(false);
  const Matrix outputs = batches->forward(model, {.tape = tape}, ties).value();
  REQUIRE(outputs.rows() == std::ssize(ties));
  CHECK(outputs.cols() == 1 + 2 * 20);
  CHECK(batches->output_columns(model) == 41);
  const auto again = job.batches();
  tape.reset(false);
  CHECK(again->forward(model, {.tape = tape}, ties).value() == outputs);
}

TEST_CASE("what is judged does not depend on what was judged before", "[train][link_batches]") {
  Job job;
  const auto batches = job.batches(), fresh = job.batches();
  nn::Model model = job.model(*batches, "mlp");
  const std::vector<graph::Node> validation = job.ties(data::Role::validation);
  const std::vector<graph::Node> some = {validation[0], validation[1]}, others = {validation[0], validation[2]};
  autograd::Tape tape(false);
  batches->forward(model, {.tape = tape}, some);
  tape.reset(false);
  const Matrix outputs = batches->forward(model, {.tape = tape}, others).value();
  tape.reset(false);
  CHECK(fresh->forward(model, {.tape = tape}, others).value() == outputs);
}

TEST_CASE("only validation and test ties are predicted", "[train][link_batches]") {
  Job job;
  const auto batches = job.batches();
  CHECK(batches->hides_items());
  for (const graph::Node tie : batches->items_to_predict()) CHECK(job.split[tie] != data::Role::train);
  CHECK(batches->items_to_predict().size() ==
        job.ties(data::Role::validation).size() + job.ties(data::Role::test).size());
}

TEST_CASE("batches of ties have the same bits at any number of threads", "[train][link_batches]") {
  Job job;
  std::vector<Matrix> outputs;
  const int before = threads();
  for (const int count : {1, 2}) {
    set_threads(count);
    const auto batches = job.batches();
    nn::Model model = job.model(*batches, "gat");
    const auto folds = batches->training_batches(model, job.ties(data::Role::train), 1, 0);
    autograd::Tape tape;
    outputs.push_back(batches->forward(model, {.tape = tape, .is_training = true, .seed = 1}, folds.front()).value());
    tape.reset(false);
    outputs.push_back(batches->forward(model, {.tape = tape}, job.ties(data::Role::test)).value());
  }
  set_threads(before);
  CHECK(outputs[0] == outputs[2]);
  CHECK(outputs[1] == outputs[3]);
}

TEST_CASE("ties are learnt beside the pairs that are asked for", "[train][link_batches]") {
  Job job(graph::Direction::undirected, 200);
  const auto common = [&](const std::string& negatives) {
    const auto batches = job.batches();
    std::vector<std::string> notes;
    batches->set_negatives(negatives, [&](const std::string& line) { notes.push_back(line); });
    const std::vector<std::string> names = {"common_neighbours", "preferential_attachment"};
    const train::LinkSample sample = batches->training_sample(names, 4, 100, 1);
    REQUIRE(sample.size() == 500);
    return Matrix(sample.numbers.bottomRows(400));
  };
  const Matrix uniform = common(""), degree = common("degree"), two_steps = common("two_steps");
  CHECK(uniform == common("uniform"));
  CHECK(two_steps.col(0).mean() > 2 * uniform.col(0).mean());
  CHECK(degree.col(1).mean() > 1.02 * uniform.col(1).mean());
}

TEST_CASE("pairs of a file that share an end with a tie come first", "[train][link_batches]") {
  Job job;
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("pairs.csv");
  const graph::Ties known(60, job.data.links->sources, job.data.links->targets, graph::Direction::undirected);
  const auto training = [&](const std::string& text) {
    std::ofstream(path) << text;
    std::vector<Matrix> outputs;
    std::vector<std::string> notes;
    const int before = threads();
    for (const int count : {1, 2}) {
      set_threads(count);
      const auto batches = job.batches();
      batches->set_negatives(path, [&](const std::string& line) { notes.push_back(line); });
      nn::Model model = job.model(*batches, "gcn");
      const auto folds = batches->training_batches(model, job.ties(data::Role::train), 1, 0);
      autograd::Tape tape;
      outputs.push_back(batches->forward(model, {.tape = tape, .is_training = true, .seed = 1}, folds[0]).value());
    }
    set_threads(before);
    CHECK(outputs[0] == outputs[1]);
    return std::pair(outputs[0], notes);
  };
  const auto [one_pair, notes] = training("0,59\n");
  REQUIRE_FALSE(notes.empty());
  CHECK_THAT(notes[0], Catch::Matchers::Contains("training ties share no end with a pair there"));
  CHECK((one_pair.rightCols(3).array() - one_pair(0, 1)).abs().maxCoeff() > 1e-2F);  // told from drawn pairs
  std::string all;
  for (graph::Node u = 0; u < 60; ++u)
    for (graph::Node v = 0; v < u; ++v)
      if (!known.contains(u, v)) all += fmt::format("{},{}\n", u, v);
  const auto [drawn, no_notes] = training(all);
  CHECK(no_notes.empty());
  CHECK((drawn.rightCols(3).array() - drawn(0, 1)).abs().maxCoeff() > 1e-2F);
}

TEST_CASE("a sample of all edges is the network", "[train][link_batches]") {
  Job job(GENERATE(graph::Direction::undirected, graph::Direction::directed));
  const std::string preset = GENERATE("mlp", "gcn", "gat", "sage");
  INFO(preset);
  std::vector<Matrix> outputs;
  std::vector<graph::Node> asked;
  for (const bool is_sampled : {true, false}) {
    const auto batches = job.batches();
    if (is_sampled) batches->set_sampling(graph::NeighbourSampling{.fan_outs = {1000}, .batch_size = 9});
    nn::Model model = job.model(*batches, preset.c_str());
    const auto pieces = batches->training_batches(model, job.ties(data::Role::train), 1, 0);
    if (is_sampled) asked = pieces.front();
    autograd::Tape tape;
    outputs.push_back(batches->forward(model, {.tape = tape, .is_training = true, .seed = 1}, asked).value());
  }
  CHECK(asked.size() == 9);
  CHECK((outputs[0] - outputs[1]).array().abs().maxCoeff() < 1e-4F);
}

TEST_CASE("a tie is ranked once among each of few nodes", "[train][link_batches]") {
  Job job;
  const auto batches = job.batches({.negatives = 1, .candidates = 100});
  nn::Model model = job.model(*batches, "mlp");
  const std::vector<graph::Node> ties = job.ties(data::Role::validation);
  autograd::Tape tape(false);
  const Matrix outputs = batches->forward(model, {.tape = tape}, ties).value();
  const train::LinkItems& links = *job.data.links;
  const graph::Ties known(job.data.graph.node_count(), links.sources, links.targets, links.direction);
  for (std::size_t i = 0; i < ties.size(); ++i) {
    const auto others = static_cast<Eigen::Index>(60 - 1 - known.degree(links.sources[ties[i]]));
    const auto of_target = outputs.row(static_cast<Eigen::Index>(i)).segment(1, 100);
    CHECK((of_target.head(others).array() > -80).all());
    CHECK((of_target.tail(100 - others).array() == -80).all());
  }
}

TEST_CASE("a node that knows everybody has no candidates", "[train][link_batches]") {
  train::Dataset data;
  data.name = "star";
  data.reading.task = train::kLinks;
  graph::EdgeList edges;
  for (graph::Node leaf = 1; leaf < 30; ++leaf) {
    edges.sources.push_back(0);
    edges.targets.push_back(leaf);
  }
  data.graph = graph::Graph(graph::NodeNames::numbered(30), std::move(edges));
  data.features.dense = Matrix::Identity(30, 30);
  train::make_links(data);
  data::Split split(data.links->size(), data::Role::train);
  split[3] = data::Role::validation;
  const graph::FrozenGraph frozen = graph::freeze(data.graph, {});
  LinkBatches batches(data, data.features, frozen, split, {}, {.negatives = 1, .candidates = 5});
  batches.fit_numbers(batches.seen().number_names(), 1);
  const json::Value blocks = train::blocks_for(train::ModelConfig::named("mlp"), data, data.features);
  const auto numbers = static_cast<Eigen::Index>(batches.seen().number_names().size());
  nn::Model model(blocks, train::shape_of(data, data.features, frozen, {}, numbers), 1);
  autograd::Tape tape(false);
  const std::vector<graph::Node> asked = {3};
  const Matrix outputs = batches.forward(model, {.tape = tape}, asked).value();
  CHECK((outputs.row(0).segment(1, 5).array() == -80).all());
  CHECK((outputs.row(0).segment(6, 5).array() > -80).all());
}
