#include "edgewise/attention/attend.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("attend, by hand", "[attention][attend]") {
  // 0 -> 1, 2 -> 1: node 1 attends to 0 and 2 with scores 0 and log(3), hence weights 1/4 and 3/4.
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 0, 2, 2}, {0, 2}}, 3);
  Matrix query(3, 1), key(3, 1), value(3, 1);
  query << 5, 1, 5;
  key << 0, 9, 1.0986123F;
  value << 4, 100, 8;
  const Matrix out = attention::attend(mask, {query, key, value});
  CHECK(out(0, 0) == 0.0F);
  CHECK(out(1, 0) == Approx(7));
  CHECK(out(2, 0) == 0.0F);
}

TEST_CASE("attend names the shape that does not fit", "[attention][attend]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 1}, {1}}, 2);
  const Matrix one = Matrix::Zero(1, 4), two = Matrix::Zero(2, 4);
  CHECK(attention::attend(mask, {one, two, two}, {.heads = 2}).rows() == 1);
  CHECK_THROWS_WITH(attention::attend(mask, {two, two, two}), Contains("query has shape [2, 4], expected [1, 4]"));
  CHECK_THROWS_WITH(attention::attend(mask, {one, two, one}), Contains("value has shape [1, 4], expected [2, 4]"));
  CHECK_THROWS_AS(attention::attend(mask, {one, two, two}, {.heads = 3}), UsageError);
  CHECK_THROWS_AS(attention::attend(mask, {one, two, two}, {.heads = 0}), UsageError);
  CHECK_THROWS_WITH(attention::attend(mask, {one, two, two, &two}, {.score = attention::Score::gatv2}),
                    Contains("attention_vector has shape [2, 4], expected [1, 4]"));
  CHECK_THROWS_WITH(attention::attend(mask, {one, two, two, &one}), Contains("dot_product has no attention vector"));
  CHECK_THROWS_WITH(attention::attend(mask, {one, two, two}, {.heads = 2, .score = attention::Score::gat}),
                    Contains("query has shape [1, 4], expected [1, 2]"));
}

TEST_CASE("attend over an empty graph gives no rows", "[attention][attend]") {
  const Matrix none(0, 4);
  CHECK(attention::attend(graph::FrozenGraph{}, {none, none, none}, {.heads = 2}).rows() == 0);
}

TEST_CASE("a score that is not a number is not hidden by a normaliser", "[attention][attend]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 2}, {0, 1}}, 2);
  const Matrix one = Matrix::Ones(2, 16);
  Matrix key = one;
  key(1, 3) = std::nanf("");
  using attention::Normaliser;
  for (const auto normaliser : {Normaliser::none, Normaliser::relu, Normaliser::softmax})
    CHECK(std::isnan(attention::attend(mask, {one.topRows(1), key, one}, {.normaliser = normaliser})(0, 0)));
}

TEST_CASE("attend takes any score and normaliser", "[attention][attend]") {
  // Node 0 attends to 0 and 1 with the scores tanh(1 + 1) and tanh(1 - 3).
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 2}, {0, 1}}, 2);
  Matrix query(1, 1), key(2, 1), value(2, 1), vector(1, 1);
  query << 1;
  key << 1, -3;
  value << 10, 20;
  vector << -2;
  const auto of = [&](attention::Normaliser normaliser, const Matrix* attention_vector) {
    return attention::attend(mask, {query, key, value, attention_vector},
                             {.score = attention::Score::bahdanau, .normaliser = normaliser})(0, 0);
  };
  const double t = std::tanh(2.0);
  CHECK(of(attention::Normaliser::relu, nullptr) == Approx(10 * t / 2));
  CHECK(of(attention::Normaliser::relu, &vector) == Approx(20 * 2 * t / 2));
  CHECK(of(attention::Normaliser::none, nullptr) == Approx(10 * t - 20 * t));
  const attention::AttendOptions plain{.normaliser = attention::Normaliser::none, .scale = false};
  CHECK(attention::attend(mask, {query, key, value}, plain)(0, 0) == Approx(10 - 60));
}
