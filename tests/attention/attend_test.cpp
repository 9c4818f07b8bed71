#include "edgewise/attention/attend.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("attend, by hand", "[attention][attend]") {
  // 0 -> 1, 2 -> 1: node 1 attends to 0 and 2 with scores 0 and log(3), so with weights 1/4 and 3/4.
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 0, 2, 2}, {0, 2}}, 3);
  Matrix query(3, 1), key(3, 1), value(3, 1);
  query << 5, 1, 5;
  key << 0, 9, 1.0986123F;
  value << 4, 100, 8;
  const Matrix out = attention::attend(mask, query, key, value);
  CHECK(out(0, 0) == 0.0F);
  CHECK(out(1, 0) == Approx(7));
  CHECK(out(2, 0) == 0.0F);
}

TEST_CASE("attend names the shape that does not fit", "[attention][attend]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 1}, {1}}, 2);
  const Matrix one = Matrix::Zero(1, 4), two = Matrix::Zero(2, 4);
  CHECK(attention::attend(mask, one, two, two, {.heads = 2}).rows() == 1);
  CHECK_THROWS_WITH(attention::attend(mask, two, two, two), Contains("query has shape [2, 4], expected [1, 4]"));
  CHECK_THROWS_WITH(attention::attend(mask, one, two, one), Contains("value has shape [1, 4], expected [2, 4]"));
  CHECK_THROWS_AS(attention::attend(mask, one, two, two, {.heads = 3}), UsageError);
  CHECK_THROWS_AS(attention::attend(mask, one, two, two, {.heads = 0}), UsageError);
}
