#include "edgewise/train/baselines/correct_and_smooth.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using train::CorrectAndSmoothOptions;

namespace {

Matrix matrix_of(const json::Value& rows) {
  Matrix matrix(static_cast<Eigen::Index>(rows.as_array().size()),
                static_cast<Eigen::Index>(rows.as_array()[0].as_array().size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j)
      matrix(i, j) = static_cast<float>(
          rows.as_array()[static_cast<std::size_t>(i)].as_array()[static_cast<std::size_t>(j)].as_number());
  return matrix;
}

template <class Integer>
std::vector<Integer> integers(const json::Value& value) {
  std::vector<Integer> result;
  for (const json::Value& one : value.as_array()) result.push_back(static_cast<Integer>(one.as_integer()));
  return result;
}

}  // namespace

TEST_CASE("correct and smooth equals PyTorch Geometric's", "[train][correct_and_smooth]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/correct_and_smooth.json");
  graph::EdgeList edges;
  edges.sources = integers<graph::Node>(golden.at("sources"));
  edges.targets = integers<graph::Node>(golden.at("targets"));
  const Matrix probabilities = matrix_of(golden.at("probabilities"));
  const auto known = integers<std::int32_t>(golden.at("known"));
  const graph::Graph graph(graph::NodeNames::numbered(known.size()), std::move(edges), {});
  for (const json::Value& one : golden.at("cases").as_array()) {
    const CorrectAndSmoothOptions options{.correction = one.at("correction").as_number(),
                                          .smoothing = one.at("smoothing").as_number()};
    const Matrix expected = matrix_of(one.at("result"));
    set_threads(1);
    const Matrix found = train::correct_and_smooth(graph, probabilities, known, options);
    CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-5);
    set_threads(2);
    CHECK(train::correct_and_smooth(graph, probabilities, known, options) == found);
  }
  CHECK_THROWS_AS(train::correct_and_smooth(graph, probabilities, known, {.correction = 1}), UsageError);
  CHECK_THROWS_AS(train::correct_and_smooth(graph, probabilities.topRows(3), known), UsageError);
}

TEST_CASE("without known labels correct and smooth only smooths", "[train][correct_and_smooth]") {
  graph::EdgeList edges;
  edges.sources = {0};
  edges.targets = {1};
  const graph::Graph graph(graph::NodeNames::numbered(3), std::move(edges), {});
  Matrix probabilities(3, 2);
  probabilities << 1, 0, 0, 1, 0.25F, 0.75F;
  const Matrix smooth = train::correct_and_smooth(graph, probabilities, std::vector<std::int32_t>(3, -1));
  CHECK(smooth(0, 0) == Approx(1 / 1.8).epsilon(1e-3));  // H = (1 - b) (1 + b S + b^2 S^2 + ...) H0
  CHECK(smooth.row(2) == probabilities.row(2));          // an isolated node
}
