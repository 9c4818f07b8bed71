#include "edgewise/autograd/squared_error.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

TEST_CASE("squared_error is the mean over known targets", "[autograd][squared_error]") {
  Tape tape;
  Matrix prediction(3, 1), targets(3, 1);
  prediction << 1, 2, 3;
  targets << 2, std::numeric_limits<float>::quiet_NaN(), 6;
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  CHECK(squared_error(tape.constant(prediction), targets, nodes).value()(0, 0) == Approx((1 + 9) / 2.0));
  CHECK(squared_error(tape.constant(prediction), targets, std::span(nodes).subspan(1, 1)).value()(0, 0) == 0);
  CHECK(squared_error(tape.constant(prediction), targets, {}).value()(0, 0) == 0);
  test::check_gradient([&](Tape&, std::span<const Variable> v) { return squared_error(v[0], targets, nodes); },
                       {prediction});
}

TEST_CASE("the penalty of Huber is linear for large errors", "[autograd][squared_error]") {
  Tape tape;
  Matrix prediction(4, 1), targets(4, 1);
  prediction << 0.5F, 3, -4, 1;
  targets << 0, 0, 0, std::numeric_limits<float>::quiet_NaN();
  const std::vector<std::uint32_t> nodes = {0, 1, 2, 3};
  const auto huber = [&](Variable x) { return squared_error(x, targets, nodes, {}, Penalty::huber); };
  CHECK(huber(tape.constant(prediction)).value()(0, 0) == Approx((0.25 + 5 + 7) / 3));
  test::check_gradient([&](Tape&, std::span<const Variable> v) { return huber(v[0]); }, {prediction});
}

TEST_CASE("rows and columns of squared_error have weights", "[autograd][squared_error]") {
  Tape tape;
  Matrix prediction(3, 2), targets(3, 2);
  prediction << 0.5F, 2, 3, 4, 5, 6;
  targets << 0, 0, std::numeric_limits<float>::quiet_NaN(), 0, 0, 0;
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  const std::vector<float> rows = {1, 2, 0}, columns = {3, 0.5F}, none = {0, 0, 0}, few = {1};
  const EntryWeights weights{.rows = rows, .columns = columns};
  CHECK(squared_error(tape.constant(prediction), targets, nodes, weights).value()(0, 0) ==
        Approx((3 * 0.25 + 0.5 * 4 + 2 * 0.5 * 16) / (3 + 0.5 + 1)));
  CHECK(squared_error(tape.constant(prediction), targets, nodes, {.rows = none}).value()(0, 0) == 0);
  CHECK_THROWS_WITH(squared_error(tape.constant(prediction), targets, nodes, {.rows = few}),
                    Catch::Matchers::Contains("row weights"));
  for (const Penalty penalty : {Penalty::square, Penalty::huber})
    test::check_gradient(
        [&](Tape&, std::span<const Variable> v) { return squared_error(v[0], targets, nodes, weights, penalty); },
        {prediction});
}
