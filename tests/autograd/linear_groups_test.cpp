#include "edgewise/autograd/linear_groups.hpp"

#include "edgewise/autograd/concat.hpp"
#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

namespace {

const std::vector<graph::Node> kRows = {0, 2, 3, 1, 2};
const std::vector<std::size_t> kBegins = {0, 3, 3, 5};  // three groups, of which the second is empty
const RowGroups kGroups{kRows, kBegins};

/// x, then weight and bias of two maps of each group.
std::vector<Matrix> inputs_of_groups() {
  std::vector<Matrix> inputs = {test::random_matrix(4, 3, 1)};
  for (std::uint64_t g = 0; g < 3; ++g)
    for (const Eigen::Index width : {2, 5})
      for (const Eigen::Index rows : {3, 1}) inputs.push_back(test::random_matrix(rows, width, 10 * g + inputs.size()));
  return inputs;
}

std::array<Variable, kMaxMaps> map_groups(Variables v) {
  std::vector<LinearFactor> factors;
  for (std::size_t i = 1; i < v.size(); i += 2) factors.push_back({v[i], v[i + 1]});
  return linear_groups(v[0], kGroups, factors);
}

}  // namespace

TEST_CASE("linear_groups maps the rows of each group with its own factors", "[autograd][linear_groups]") {
  Tape tape;
  const std::vector<Matrix> inputs = inputs_of_groups();
  std::vector<Variable> variables;
  for (const Matrix& input : inputs) variables.push_back(tape.constant(input));
  const auto [first, second, none] = map_groups(variables);
  REQUIRE(first.rows() == 5);
  REQUIRE(second.cols() == 5);
  CHECK(!none.is_set());
  for (Eigen::Index i = 0; i < 5; ++i) {
    const std::size_t g = i < 3 ? 0 : 2;
    const Matrix x = inputs[0].row(kRows[static_cast<std::size_t>(i)]);
    CHECK(first.value().row(i).isApprox(x * inputs[1 + 4 * g] + inputs[2 + 4 * g], 1e-5F));
    CHECK(second.value().row(i).isApprox(x * inputs[3 + 4 * g] + inputs[4 + 4 * g], 1e-5F));
  }
}

TEST_CASE("gradients of linear_groups match central differences", "[autograd][linear_groups]") {
  test::check_gradient(
      [](Tape&, Variables v) {
        const auto results = map_groups(v);
        return concat_columns(std::span(results).first(2));
      },
      inputs_of_groups());
}

TEST_CASE("linear_groups refuses factors that do not fit", "[autograd][linear_groups]") {
  Tape tape;
  const Matrix x = test::random_matrix(4, 3, 1), narrow = test::random_matrix(2, 2, 2);
  const std::vector<LinearFactor> few(2, {tape.constant(x), {}}), wrong(3, {tape.constant(narrow), {}});
  CHECK_THROWS_AS(linear_groups(tape.constant(x), kGroups, few), UsageError);
  CHECK_THROWS_AS(linear_groups(tape.constant(x), kGroups, wrong), UsageError);
}
