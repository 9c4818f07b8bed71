#include "edgewise/train/loop/pair_batches.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <set>

#include "edgewise/core/error.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using train::PairSide;

namespace {

PairSide side_in(const io::Safetensors& file, const std::string& name, int columns) {
  PairSide side{.columns = columns};
  const std::vector<float>& tokens = file.find(name + "s")->values;
  std::size_t at = 0;
  for (const float size : file.find(name + "_sizes")->values) {
    std::vector<std::int32_t> text;
    for (int i = 0; i < static_cast<int>(size); ++i) text.push_back(static_cast<std::int32_t>(tokens[at++]));
    side.add(text);
  }
  return side;
}

PairSide drawn_side(int columns, std::size_t pairs, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  PairSide side{.columns = columns};
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::vector<std::int32_t> text(1 + random.below(6));
    for (std::int32_t& token : text)
      token = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(columns)));
    side.add(text);
  }
  return side;
}

nn::Model small_pair_model(const PairSide& source, const PairSide& target) {
  return {json::parse(R"({"preset": "transformer_pair", "hidden": 8, "heads": 2, "layers": 1})", "test"),
          train::pair_shape(source, target), 1};
}

}  // namespace

TEST_CASE("presets for pairs give the values and gradients of PyTorch", "[train][pair_batches][golden]") {
  const std::string name = GENERATE("transformer_pair", "lstm_attention_pair", "lstm_pair");
  INFO(name);
  const io::Safetensors file = test::golden(name);
  const PairSide source = side_in(file, "source", 6), target = side_in(file, "target", 5);
  nn::Model model(json::parse(*file.find_metadata("model"), name), train::pair_shape(source, target), 1);
  for (autograd::Parameter* parameter : model.parameters()) parameter->value = test::matrix(file, parameter->name);
  train::PairBatches batches(source, target);
  batches.check_fits(model);
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape;
  const autograd::Variable y = batches.forward(model, {.tape = tape}, items);
  test::check_near("y", y.value(), test::matrix(file, "y"));
  const Matrix r = test::matrix(file, "r");
  tape.backward(test::weighted_sum(y, r));
  for (const autograd::Parameter* parameter : model.parameters())
    test::check_near(parameter->name, parameter->gradient, test::matrix(file, "grad." + parameter->name));
}

TEST_CASE("batches of pairs have each item once, within their bounds", "[train][pair_batches]") {
  const PairSide source = drawn_side(5, 40, 1), target = drawn_side(4, 40, 2);
  const nn::Model model = small_pair_model(source, target);
  train::PairBatches batches(source, target, {.batch_size = 7, .batch_slots = 300, .batch_outputs = 60});
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  const auto steps = batches.training_batches(model, items, 3, 0);
  std::multiset<graph::Node> seen;
  for (const auto& step : steps) {
    seen.insert(step.begin(), step.end());
    CHECK((step.size() * 4 <= 60 || step.size() <= 6));
  }
  CHECK(seen == std::multiset<graph::Node>(items.begin(), items.end()));
  CHECK(batches.training_batches(model, items, 3, 0) == steps);
  CHECK(batches.training_batches(model, items, 3, 1) != steps);
}

TEST_CASE("a pair has the same outputs in any batch", "[train][pair_batches]") {
  const PairSide source = drawn_side(5, 9, 1), target = drawn_side(4, 9, 2);
  nn::Model model = small_pair_model(source, target);
  train::PairBatches batches(source, target);
  std::vector<graph::Node> items(batches.item_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  autograd::Tape tape(false);
  const Matrix all = batches.forward(model, {.tape = tape}, items).value();
  for (const graph::Node item : {graph::Node{0}, target.offsets[4], static_cast<graph::Node>(items.back())}) {
    tape.reset();
    const Matrix one = batches.forward(model, {.tape = tape}, std::span(&item, 1)).value();
    CHECK((one - all.row(item)).cwiseAbs().maxCoeff() < 1e-5F);
  }
}

TEST_CASE("rows of numbers are sources, too", "[train][pair_batches]") {
  PairSide source{.offsets = {0, 3, 5}, .rows = test::random_matrix(5, 2, 1), .columns = 2};
  const PairSide target = drawn_side(4, 2, 2);
  nn::Model model = small_pair_model(source, target);
  train::PairBatches batches(source, target);
  const std::vector<graph::Node> items = {target.offsets[1]};
  autograd::Tape tape(false);
  const Matrix before = batches.forward(model, {.tape = tape}, items).value();
  source.rows(0, 0) += 1;  // of the other pair
  tape.reset();
  CHECK(batches.forward(model, {.tape = tape}, items).value() == before);
  source.rows(4, 1) += 1;
  tape.reset();
  CHECK(batches.forward(model, {.tape = tape}, items).value() != before);
  const PairSide third = drawn_side(4, 3, 2);
  CHECK_THROWS_AS(train::PairBatches(source, third), UsageError);
}
