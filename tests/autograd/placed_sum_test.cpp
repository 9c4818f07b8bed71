#include "edgewise/autograd/placed_sum.hpp"

#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

const std::vector<graph::Node> kFirstPlaces = {0, 2, 4}, kSecondPlaces = {2, 1};

Variable sum_of_two(Tape& tape, Variables v) {
  const PlacedRows parts[] = {{v[0], kFirstPlaces}, {v[1], kSecondPlaces}};
  return placed_sum(tape, 5, 2, parts);
}

}  // namespace

TEST_CASE("placed_sum adds rows to their places", "[autograd][placed_sum]") {
  Matrix first(3, 2), second(2, 2), expected(5, 2);
  first << 1, 2, 3, 4, 5, 6;
  second << 10, 20, 30, 40;
  expected << 1, 2, 30, 40, 13, 24, 0, 0, 5, 6;
  Tape tape;
  const Variable rows[] = {tape.constant(first), tape.constant(second)};
  CHECK(sum_of_two(tape, rows).value() == expected);
  CHECK(placed_sum(tape, 3, 2, {}).value().isZero(0));
}

TEST_CASE("gradients of placed_sum match central differences", "[autograd][placed_sum]") {
  test::check_gradient(sum_of_two, {test::random_matrix(3, 2, 1), test::random_matrix(2, 2, 2)});
}

TEST_CASE("placed_sum refuses rows without a place", "[autograd][placed_sum]") {
  Tape tape;
  const Matrix x = test::random_matrix(3, 2, 1), narrow = test::random_matrix(3, 1, 1);
  const PlacedRows outside[] = {{tape.constant(x), kFirstPlaces}}, few[] = {{tape.constant(x), kSecondPlaces}},
                   other[] = {{tape.constant(narrow), kFirstPlaces}};
  CHECK_THROWS_AS(placed_sum(tape, 4, 2, outside), UsageError);
  CHECK_THROWS_AS(placed_sum(tape, 5, 2, few), UsageError);
  CHECK_THROWS_AS(placed_sum(tape, 5, 2, other), UsageError);
}
