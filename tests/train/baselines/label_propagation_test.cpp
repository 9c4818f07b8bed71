#include "edgewise/train/baselines/label_propagation.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "support/graph_of.hpp"

using namespace edgewise;
using namespace edgewise::train;
using data::Role;
using test::graph_of;

namespace {

data::Labels two_classes(std::vector<std::int32_t> classes) {
  return {.task = data::Task::classification, .names = {"a", "b"}, .classes = std::move(classes), .targets = {}};
}

const data::Split kSplit = {Role::train, Role::test, Role::test, Role::train, Role::test};

}  // namespace

TEST_CASE("clamped propagation finds the harmonic function", "[train][label_propagation]") {
  // The path 0 - 1 - 2 - 3 with ends a and b: the probabilities of a in between are 2/3 and 1/3. Node 4 is isolated.
  for (const graph::Direction direction : {graph::Direction::directed, graph::Direction::undirected}) {
    const graph::Graph path = graph_of(5, {0, 1, 2}, {1, 2, 3}, direction);
    const Matrix result = label_propagation(path, two_classes({0, 1, 1, 1, 1}), kSplit,
                                            {.rule = Propagation::clamped, .iterations = 1000, .tolerance = 1e-7});
    CHECK(result(0, 0) == 1);
    CHECK(result(1, 0) == Approx(2.0 / 3).margin(1e-4));
    CHECK(result(2, 0) == Approx(1.0 / 3).margin(1e-4));
    CHECK(result(3, 1) == 1);
    CHECK(result(4, 0) == 0.5F);  // class frequencies of the training nodes
  }
}

TEST_CASE("propagation uses the weights", "[train][label_propagation]") {
  const graph::Graph star = graph_of(5, {0, 3}, {1, 1}, graph::Direction::directed, {3, 1});
  const data::Labels labels = two_classes({0, -1, -1, 1, -1});
  CHECK(label_propagation(star, labels, kSplit, {.rule = Propagation::clamped})(1, 0) == Approx(0.75));
  CHECK(label_propagation(star, labels, kSplit, {.rule = Propagation::clamped, .use_weights = false})(1, 0) == 0.5F);
}

TEST_CASE("spreading solves its fixed point", "[train][label_propagation]") {
  // F = (1 - alpha) (I - alpha S)^-1 Y on a triangle with a tail, degrees 2 2 3 1, solved with numpy.linalg.solve.
  const graph::Graph graph = graph_of(5, {0, 1, 2, 2}, {1, 2, 0, 3});
  const Matrix p = label_propagation(graph, two_classes({0, -1, -1, 1, -1}), kSplit,
                                     {.alpha = 0.5, .iterations = 1000, .tolerance = 1e-8});
  CHECK(p(0, 0) == Approx(0.922357).margin(1e-5));
  CHECK(p(1, 0) == Approx(0.786186).margin(1e-5));
  CHECK(p(2, 0) == Approx(0.485281).margin(1e-5));
  CHECK(p(3, 0) == Approx(0.081210).margin(1e-5));
  CHECK(p.rowwise().sum().isApproxToConstant(1.0F));
}

TEST_CASE("propagation has the same bits at any number of threads", "[train][label_propagation]") {
  Random random(1, Stream::generate);
  std::vector<graph::Node> sources, targets;
  for (int i = 0; i < 20000; ++i) {
    sources.push_back(static_cast<graph::Node>(random.below(3000)));
    targets.push_back(static_cast<graph::Node>(random.below(3000)));
  }
  const graph::Graph graph = graph_of(3000, sources, targets, graph::Direction::directed);
  data::Labels labels = two_classes(std::vector<std::int32_t>(3000));
  data::Split split(3000, Role::test);
  for (std::size_t i = 0; i < 3000; ++i) {
    labels.classes[i] = static_cast<std::int32_t>(random.below(2));
    if (i < 100) split[i] = Role::train;
  }
  const int before = threads();
  set_threads(1);
  const Matrix one = label_propagation(graph, labels, split);
  set_threads(3);
  const Matrix three = label_propagation(graph, labels, split);
  set_threads(before);
  CHECK(one == three);
}

TEST_CASE("propagation refuses invalid input", "[train][label_propagation]") {
  const graph::Graph graph = graph_of(5, {0}, {1}, graph::Direction::directed, {-1});
  const data::Labels labels = two_classes({0, -1, -1, 1, -1});
  CHECK_THROWS_WITH(label_propagation(graph, labels, kSplit), Catch::Matchers::Contains("negative weight -1"));
  CHECK_THROWS_AS(label_propagation(graph, labels, data::Split(5, Role::test)), DataError);
  CHECK_THROWS_AS(label_propagation(graph, labels, data::Split(4, Role::train)), UsageError);
  CHECK_THROWS_AS(label_propagation(graph, labels, kSplit, {.alpha = 1}), UsageError);
  data::Labels numbers = labels;
  numbers.task = data::Task::regression;
  CHECK_THROWS_AS(label_propagation(graph, numbers, kSplit), UsageError);
  const graph::Graph none = graph_of(5, {}, {});
  CHECK(label_propagation(none, labels, kSplit)(2, 0) == 0.5F);
}
