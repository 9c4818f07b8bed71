#include "edgewise/core/check.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/matrix.hpp"

using namespace edgewise;

TEST_CASE("checks let through what fits", "[core][check]") {
  check_shape("op", "x", shape_of(Matrix(3, 8)), {3, 8});
  check_count("op", "x", 4, 4);
  check_index("op", "x", 4, 5);
  check_indices("op", "x", std::vector<int>{}, 0);
  check_indices("op", "x", std::vector<int>{0, 4}, 5);
  check_offsets("op", "nodes", std::vector<std::size_t>{0, 2, 2, 5}, 5);
  check_heads("op", 1, 7);
  check_heads("op", kMaxHeads, 2 * kMaxHeads);
  check_probability("op", 0);
  check_probability("op", 0.999F);
  SUCCEED();
}

TEST_CASE("checks name the operation, the argument, what was found and what was expected", "[core][check]") {
  CHECK_THROWS_WITH(check_shape("linear", "weight", shape_of(Matrix(3, 8)), {4, 8}),
                    "linear: weight has shape [3, 8], expected [4, 8]");
  CHECK_THROWS_WITH(check_count("cross_entropy", "classes", 3, 4), "cross_entropy: classes has 3 elements, expected 4");
  CHECK_THROWS_WITH(check_index("select_rows", "rows", 5, 5), "select_rows: rows contains 5, expected less than 5");
  CHECK_THROWS_WITH(check_indices("select_rows", "rows", std::vector<int>{1, 7, 9}, 5),
                    "select_rows: rows contains 7, expected less than 5");
  CHECK_THROWS_AS(check_indices("select_rows", "rows", std::vector<int>{-1}, 5), UsageError);
  for (const std::vector<std::size_t>& offsets : {std::vector<std::size_t>{}, {0}, {1, 5}, {0, 6}, {0, 3, 2, 5}})
    CHECK_THROWS_WITH(check_offsets("flip_signs", "nodes", offsets, 5),
                      "flip_signs: expected offsets that ascend from 0 to the number of nodes, 5");
  for (const int heads : {4, 0, -1, kMaxHeads + 1})
    CHECK_THROWS_WITH(check_heads("attend", heads, 10),
                      "attend: expected 1 to 512 heads that divide 10 columns, got " + std::to_string(heads));
  CHECK_THROWS_WITH(check_probability("dropout", 1.5F),
                    "dropout: expected a probability of at least 0 and below 1, got 1.5");
  for (const float probability : {1.0F, -0.1F, std::numeric_limits<float>::quiet_NaN()})
    CHECK_THROWS_AS(check_probability("dropout", probability), UsageError);
}
