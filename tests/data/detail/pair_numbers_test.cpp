#include "edgewise/data/detail/pair_numbers.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace edgewise;

TEST_CASE("each pair of nodes fills a row", "[data][pair_numbers]") {
  const auto of = [](const std::vector<graph::Node>& sources, const std::vector<graph::Node>& targets) {
    return data::detail::pair_numbers("numbers", sources, targets, 3, 2, [](graph::Node u, graph::Node v, auto row) {
      row << static_cast<float>(u), static_cast<float>(10 * v);
    });
  };
  Matrix expected(2, 2);
  expected << 0, 20, 2, 10;
  CHECK(of({0, 2}, {2, 1}) == expected);
  CHECK(of({}, {}).rows() == 0);
  CHECK_THROWS_WITH(of({0, 2}, {2}), "numbers: targets has 1 elements, expected 2");
  CHECK_THROWS_WITH(of({3}, {0}), "numbers: sources contains 3, expected less than 3");
  CHECK_THROWS_WITH(of({0}, {3}), "numbers: targets contains 3, expected less than 3");
}
