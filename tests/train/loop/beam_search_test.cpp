// A model for pairs writes with what it kept of earlier steps as it would after reading all anew.
#include "edgewise/train/loop/beam_search.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using train::Hypothesis;
using train::PairSide;

namespace {

constexpr int kSources = 7, kTargets = 5;

PairSide side_of(int columns, const std::vector<std::vector<std::int32_t>>& texts) {
  PairSide side{.columns = columns};
  for (const std::vector<std::int32_t>& text : texts) side.add(text);
  return side;
}

PairSide some_sources() {
  return side_of(kSources, {{2, 3, 4}, {5}, {6, 6, 2, 3, 5, 4, 2}, {3, 2}, {4, 4, 4, 4}});
}

json::Value config_of(const std::string& name) {
  if (name == "linear attention")
    return json::parse(
        R"({"blocks": [{"type": "node_set", "set": "source", "blocks": [{"type": "linear", "width": 8},
            {"type": "linear_attention", "width": 4, "heads": 2}]},
            {"type": "linear", "width": 8}, {"type": "positions"},
            {"type": "linear_attention", "width": 4, "heads": 2, "causal": true},
            {"type": "dot_product", "width": 8, "mask": "source", "residual": true},
            {"type": "linear", "width": "outputs"}]})", "test");
  return json::parse(R"({"preset": ")" + name + R"(", "hidden": 16, "layers": 2)" +
                         (name == "transformer_pair" ? R"(, "heads": 2, "tied": true})" : "}"), "test");
}

/// With larger weights than usual, so that outputs differ from source to source.
nn::Model pair_model(const std::string& name) {
  nn::Model model(config_of(name), train::pair_shape({.columns = kSources}, {.columns = kTargets}), 5);
  for (autograd::Parameter* parameter : model.parameters())
    parameter->value += 0.5F * test::random_matrix(parameter->value.rows(), parameter->value.cols(), 3);
  return model;
}

/// The outputs for one source and a target, which begins with the mark: [tokens, kTargets].
Matrix outputs_of(nn::Model& model, const PairSide& source, const std::vector<std::int32_t>& tokens) {
  const PairSide target = side_of(kTargets, {tokens});
  train::PairBatches batches(source, target);
  std::vector<graph::Node> items(tokens.size());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  return batches.forward(model, {.tape = tape}, items).value();
}

/// The log probabilities of what follows the last token.
Eigen::RowVectorXf next_of(nn::Model& model, const PairSide& source, const std::vector<std::int32_t>& tokens) {
  Eigen::RowVectorXf row = outputs_of(model, source, tokens).bottomRows(1);
  const float most = row.maxCoeff();
  row.array() -= most + std::log((row.array() - most).exp().sum());
  return row;
}

Hypothesis greedy(nn::Model& model, const PairSide& source, std::size_t longest) {
  Hypothesis written;
  std::vector<std::int32_t> tokens = {0};
  while (written.tokens.size() < longest) {
    const Eigen::RowVectorXf next = next_of(model, source, tokens);
    Eigen::Index best = 0;
    written.log_probability += static_cast<double>(next.maxCoeff(&best));
    if (best == 0) return written;
    tokens.push_back(static_cast<std::int32_t>(best));
    written.tokens.push_back(tokens.back());
  }
  written.log_probability += static_cast<double>(next_of(model, source, tokens)(0));
  return written;
}

PairSide only(const PairSide& sources, graph::Node pair) { return sources.select({&pair, 1}); }

const std::vector<std::string> kPairPresets = {"transformer_pair", "lstm_attention_pair", "lstm_pair",
                                               "linear attention"};

/// All texts of up to `longest` tokens that end, and their log probabilities, by full passes.
void add_all(nn::Model& model, const PairSide& source, std::size_t longest, const Hypothesis& begin,
             std::vector<Hypothesis>& all) {
  std::vector<std::int32_t> tokens = begin.tokens;
  tokens.insert(tokens.begin(), 0);
  const Eigen::RowVectorXf next = next_of(model, source, tokens);
  for (std::int32_t token = 0; token < kTargets; ++token) {
    Hypothesis one = begin;
    one.log_probability += static_cast<double>(next(token));
    if (token > 0) one.tokens.push_back(token);
    one.score = one.log_probability / static_cast<double>(one.tokens.size() + 1);
    if (token == 0)
      all.push_back(one);
    else if (one.tokens.size() <= longest)
      add_all(model, source, longest, one, all);
  }
}

}  // namespace

TEST_CASE("a beam of one is greedy, and what is kept equals a full pass", "[train][beam_search]") {
  const std::string preset = GENERATE(from_range(kPairPresets));
  INFO(preset);
  nn::Model model = pair_model(preset);
  const PairSide sources = some_sources();
  const auto found = train::search(model, sources, {.beam = 1, .longest = 9});
  REQUIRE(found.size() == sources.size());
  std::size_t longest = 0;
  for (graph::Node pair = 0; pair < sources.size(); ++pair) {
    const Hypothesis expected = greedy(model, only(sources, pair), 9);
    REQUIRE(found[pair].size() == 1);
    CHECK(found[pair][0].tokens == expected.tokens);
    // The exponentials of linear attention are taken of whole vectors, whose last bits depend on where rows are in
    // them.
    CHECK(std::abs(found[pair][0].log_probability - expected.log_probability) <=
          (preset == "linear attention" ? 1e-5 : 0.0));
    longest = std::max(longest, expected.tokens.size());
  }
  CHECK(longest > 2);
}

TEST_CASE("a wide beam finds what an exhaustive search finds", "[train][beam_search]") {
  const std::string preset = GENERATE(from_range(kPairPresets));
  INFO(preset);
  nn::Model model = pair_model(preset);
  const PairSide sources = some_sources();
  const auto found = train::search(model, sources, {.beam = 1000, .longest = 3});
  for (graph::Node pair = 0; pair < sources.size(); ++pair) {
    std::vector<Hypothesis> all;
    add_all(model, only(sources, pair), 3, {}, all);
    std::ranges::sort(all, std::ranges::greater(), &Hypothesis::score);
    REQUIRE(found[pair].size() == all.size());
    CHECK(found[pair][0].tokens == all[0].tokens);
    for (const std::size_t rank : {0U, 1U, 10U})
      CHECK(found[pair][rank].score == Approx(all[rank].score).epsilon(1e-5));
  }
}

TEST_CASE("a target is read beside others as alone", "[train][beam_search]") {
  const std::string preset = GENERATE(from_range(kPairPresets));
  INFO(preset);
  nn::Model model = pair_model(preset);
  const PairSide sources = some_sources();
  const PairSide targets = side_of(kTargets, {{0, 1}, {0, 2, 3}, {0}, {0, 4}, {0, 1, 2, 3, 4}});
  train::PairBatches batches(sources, targets);
  std::vector<graph::Node> items(targets.tokens.size());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  const Matrix together = batches.forward(model, {.tape = tape}, items).value();
  for (graph::Node pair = 0; pair < sources.size(); ++pair) {
    const std::span tokens = std::span(targets.tokens).subspan(targets.offsets[pair], targets.size_of(pair));
    const Matrix alone = outputs_of(model, only(sources, pair), {tokens.begin(), tokens.end()});
    CHECK((together.middleRows(targets.offsets[pair], alone.rows()) - alone).cwiseAbs().maxCoeff() < 1e-4F);
  }
}

TEST_CASE("sources are searched side by side as alone", "[train][beam_search]") {
  const std::string preset = GENERATE(from_range(kPairPresets));
  nn::Model model = pair_model(preset);
  const auto together = train::search(model, some_sources(), {.beam = 3, .longest = 8});
  const auto alone = train::search(model, some_sources(), {.beam = 3, .longest = 8, .at_once = 1});
  for (std::size_t pair = 0; pair < together.size(); ++pair)
    for (std::size_t rank = 0; rank < together[pair].size(); ++rank)
      CHECK(together[pair][rank].tokens == alone[pair][rank].tokens);
}

TEST_CASE("a changed later token changes no earlier output", "[train][beam_search]") {
  const std::string preset = GENERATE(from_range(kPairPresets));
  INFO(preset);
  nn::Model model = pair_model(preset);
  const PairSide source = only(some_sources(), 2);
  const Matrix before = outputs_of(model, source, {0, 2, 3, 4, 2}), after = outputs_of(model, source, {0, 2, 3, 1, 2});
  CHECK(before.topRows(3) == after.topRows(3));
  CHECK(before.row(3) != after.row(3));
}

TEST_CASE("search refuses what it cannot do", "[train][beam_search]") {
  nn::Model model = pair_model("transformer_pair");
  CHECK_THROWS_AS(train::search(model, some_sources(), {.beam = 0}), UsageError);
  CHECK_THROWS_AS(train::search(model, some_sources(), {.at_once = 0}), UsageError);
  CHECK_THROWS_AS(train::search(model, {.columns = 3}, {}), ModelError);
  const json::Value sees_all = json::parse(
      R"({"blocks": [{"type": "node_set", "set": "source", "blocks": [{"type": "linear", "width": 4}]},
          {"type": "linear", "width": 4}, {"type": "dot_product", "width": 4, "mask": "complete"},
          {"type": "linear", "width": "outputs"}]})", "test");
  nn::Model other(sees_all, model.shape(), 1);
  CHECK_THROWS_WITH(train::search(other, some_sources(), {}), Catch::Matchers::Contains("\"complete\""));
  const json::Value both = json::parse(
      R"({"blocks": [{"type": "linear", "width": 4}, {"type": "lstm", "width": 4},
          {"type": "linear", "width": "outputs"}]})", "test");
  nn::Model backwards(both, model.shape(), 1);
  CHECK_THROWS_WITH(train::search(backwards, some_sources(), {}), Catch::Matchers::Contains("writes forward"));
  const json::Value not_causal = json::parse(
      R"({"blocks": [{"type": "linear", "width": 4}, {"type": "linear_attention", "width": 4},
          {"type": "linear", "width": "outputs"}]})", "test");
  nn::Model all_at_once(not_causal, model.shape(), 1);
  CHECK_THROWS_WITH(train::search(all_at_once, some_sources(), {}), Catch::Matchers::Contains("writes forward"));
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    nn::Model broken = pair_model("lstm_pair");
    broken.parameters().back()->value(0, 0) = bad;
    CHECK_THROWS_AS(train::search(broken, some_sources(), {.beam = 2}), NumericalError);
  }
}
