#include "edgewise/autograd/poisson_error.hpp"

#include <cmath>
#include <limits>

#include "edgewise/core/json.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

namespace {

const float kUnknownCount = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("poisson_error is the mean over known targets", "[autograd][poisson_error]") {
  Tape tape(false);
  Matrix prediction(2, 2), targets(2, 2);
  prediction << 0, std::log(2.0F), 5, std::log(3.0F);
  targets << 4, 0, kUnknownCount, 2;
  const std::vector<std::uint32_t> nodes = {0, 1};
  const double last = 3 - 2 * std::log(3.0);
  CHECK(poisson_error(tape.constant(prediction), targets, nodes).value()(0, 0) == Approx((1 + 2 + last) / 3));
  const std::vector<float> rows = {1, 4}, columns = {1, 0.5F};
  CHECK(poisson_error(tape.constant(prediction), targets, nodes, {rows, columns}).value()(0, 0) ==
        Approx((1 + 0.5 * 2 + 2 * last) / 3.5));
  CHECK(poisson_error(tape.constant(prediction), targets, {}).value()(0, 0) == 0);
  CHECK_THROWS_WITH(poisson_error(tape.constant(prediction), Matrix::Zero(2, 1), nodes),
                    Catch::Matchers::Contains("poisson_error: targets"));
}

TEST_CASE("poisson_error has the gradient of its value", "[autograd][poisson_error]") {
  Matrix targets = 3 * test::random_matrix(5, 3, 2).cwiseAbs();
  targets(3, 1) = kUnknownCount;
  const std::vector<std::uint32_t> nodes = {0, 2, 3};
  const std::vector<float> rows = {1, 9, 0.5F, 2, 9};
  test::check_gradient(
      [&](Tape&, std::span<const Variable> v) { return poisson_error(v[0], targets, nodes, {.rows = rows}); },
      {test::random_matrix(5, 3, 1)});
}

TEST_CASE("poisson_error is that of PyTorch", "[autograd][poisson_error]") {
  const json::Value golden = json::parse_file(EDGEWISE_SOURCE_DIR "/tests/golden/counts.json");
  const auto matrix_of = [&](const char* name) {
    const json::Array& rows = golden.at(name).as_array();
    Matrix matrix(static_cast<Eigen::Index>(rows.size()), 2);
    for (Eigen::Index row = 0; row < matrix.rows(); ++row)
      for (Eigen::Index column = 0; column < 2; ++column)
        matrix(row, column) = static_cast<float>(
            rows[static_cast<std::size_t>(row)].as_numbers()[static_cast<std::size_t>(column)]);
    return matrix;
  };
  const Matrix targets = matrix_of("counts");
  std::vector<std::uint32_t> nodes;
  for (Eigen::Index row = 0; row < targets.rows(); ++row) nodes.push_back(static_cast<std::uint32_t>(row));
  Parameter logs("logs", matrix_of("logs"));
  Tape tape;
  const Variable loss = poisson_error(tape.parameter(logs), targets, nodes);
  tape.backward(loss);
  CHECK(loss.value()(0, 0) == Approx(golden.at("loss").as_number()));
  CHECK(logs.gradient.isApprox(matrix_of("gradient"), 1e-5F));
}
