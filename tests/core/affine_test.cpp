#include "edgewise/core/affine.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using test::random_matrix;

namespace {

/// A map of x [n, k] to [n, m], with all inputs and outputs.
struct Map {
  Map(Eigen::Index n, Eigen::Index k, Eigen::Index m, std::uint64_t seed)
      : weight(random_matrix(k, m, seed)),
        bias(random_matrix(1, m, seed + 1)),
        y_gradient(random_matrix(n, m, seed + 2)) {}

  Matrix weight, bias, y_gradient;
  Matrix y = Matrix::Ones(y_gradient.rows(), weight.cols());
  Matrix weight_gradient = Matrix::Ones(weight.rows(), weight.cols());
  Matrix bias_gradient = Matrix::Ones(1, weight.cols());
};

struct Run {
  std::vector<Map> maps;
  Matrix x_gradient;
};

/// The first of the maps has no bias.
Run run(const Matrix& x, const std::vector<Eigen::Index>& outputs, Result result, int thread_count) {
  set_threads(thread_count);
  Run all{{}, Matrix::Ones(x.rows(), x.cols())};
  for (const Eigen::Index m : outputs) all.maps.emplace_back(x.rows(), x.cols(), m, 3 * all.maps.size() + 2);
  std::vector<AffineMap> maps;
  std::vector<AffineGradients> gradients;
  for (Map& map : all.maps) {
    const bool is_first = maps.empty();
    maps.push_back({map.weight.cols(), map.weight.data(), is_first ? nullptr : map.bias.data(), map.y.data()});
    gradients.push_back({map.weight.cols(), map.weight.data(), map.y_gradient.data(), map.weight_gradient.data(),
                         is_first ? nullptr : map.bias_gradient.data()});
  }
  Workspace workspace;
  affine(x, maps, workspace);
  affine_backward(x, gradients, {all.x_gradient.data(), x.rows(), x.cols()}, result, workspace);
  return all;
}

bool is_near(const Matrix& a, const Matrix& b) {
  return (a - b).cwiseAbs().sum() <= 1e-3F * static_cast<float>(a.size());
}

}  // namespace

TEST_CASE("maps of the same rows equal Eigen's products and do not depend on the threads", "[core][affine]") {
  const auto [n, k, outputs] = GENERATE(table<int, int, std::vector<Eigen::Index>>({{0, 3, {4, 4}},
                                                                                    {1, 1, {1, 2, 3}},
                                                                                    {65, 7, {9}},
                                                                                    {5000, 33, {17, 16, 40}},
                                                                                    {263, 48, {80, 80, 80}},
                                                                                    {5000, 64, {64, 64, 64}},
                                                                                    {130, 64, {7, 70, 1}},
                                                                                    {130, 0, {16, 16}},
                                                                                    {9, 2500, {33, 33}},
                                                                                    {70, 20, {1100, 5}}}));
  const Result result = GENERATE(Result::replace, Result::add);
  const Matrix x = random_matrix(n, k, 1);
  const int before = threads();
  const Run one = run(x, outputs, result, 1), three = run(x, outputs, result, 3);
  set_threads(before);
  Matrix x_gradient = result == Result::add ? Matrix::Ones(n, k) : Matrix::Zero(n, k);
  for (std::size_t i = 0; i < one.maps.size(); ++i) {
    const Map& map = one.maps[i];
    CHECK(map.y == three.maps[i].y);
    CHECK(map.weight_gradient == three.maps[i].weight_gradient);
    CHECK(map.bias_gradient == three.maps[i].bias_gradient);
    const Matrix bias = i == 0 ? Matrix::Zero(1, map.bias.cols()) : map.bias;
    CHECK(is_near(map.y, x * map.weight + bias.replicate(n, 1)));
    CHECK(is_near(map.weight_gradient, Matrix::Ones(k, map.y.cols()) + x.transpose() * map.y_gradient));
    const Matrix sums = map.y_gradient.colwise().sum();
    CHECK(is_near(map.bias_gradient, Matrix::Ones(1, map.y.cols()) + (i == 0 ? 0.0F : 1.0F) * sums));
    x_gradient += map.y_gradient * map.weight.transpose();
  }
  CHECK(one.x_gradient == three.x_gradient);
  CHECK(is_near(one.x_gradient, x_gradient));
}

TEST_CASE("gradients that are not requested are left alone", "[core][affine]") {
  const Matrix x = random_matrix(100, 20, 1);
  Map map(100, 20, 24, 2);
  Workspace workspace;
  const AffineGradients nothing{24, map.weight.data(), map.y_gradient.data(), nullptr, nullptr};
  affine_backward(x, std::span(&nothing, 1), {nullptr, 0, 0}, Result::replace, workspace);
  Matrix x_gradient(100, 20);
  affine_backward(x, std::span(&nothing, 1), {x_gradient.data(), 100, 20}, Result::replace, workspace);
  CHECK(is_near(x_gradient, map.y_gradient * map.weight.transpose()));
}
