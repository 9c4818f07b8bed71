#include "edgewise/autograd/leading_rows.hpp"

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/error.hpp"
#include "support/gradient_check.hpp"
#include "support/random_sparse.hpp"

using namespace edgewise;
using namespace edgewise::autograd;
using Variables = std::span<const Variable>;

TEST_CASE("leading rows are the first rows in the same memory", "[autograd][leading_rows]") {
  Tape tape;
  const Matrix x = test::random_matrix(4, 3, 1);
  const Variable all = tape.constant(x), first = leading_rows(all, 2);
  REQUIRE(first.rows() == 2);
  CHECK(first.value() == x.topRows(2));
  CHECK(first.value().data() == x.data());
  CHECK(leading_rows(all, 0).rows() == 0);
  CHECK(leading_rows(all, 4).value().data() == all.value().data());
  CHECK_THROWS_WITH(leading_rows(all, 5), "leading_rows: expected a matrix of at least 5 rows, got 4");
}

TEST_CASE("leading rows of selected rows are selected rows", "[autograd][leading_rows]") {
  Tape tape;
  const Matrix table = test::random_matrix(5, 3, 1);
  const std::vector<std::uint32_t> rows = {4, 0, 2};
  const DenseRows all = tape.selected_rows({table.data(), 5, 3}, rows), first = leading_rows(all, 2);
  CHECK(first.table() == table.data());
  CHECK(all.table() == table.data());
  CHECK(Variable(first).value().row(0) == table.row(4));
  CHECK(Variable(first).value().row(1) == table.row(0));
  CHECK(leading_rows(all, 3).table() == table.data());
  CHECK_THROWS_AS(leading_rows(all, 4), UsageError);
}

TEST_CASE("gradients of leading rows match central differences", "[autograd][leading_rows]") {
  const Eigen::Index rows = GENERATE(0, 3, 5);
  test::check_gradient([&](Tape&, Variables v) { return leading_rows(v[0], rows); }, {test::random_matrix(5, 4, 1)});
  // More than one part of the same rows, of a result that is itself computed.
  test::check_gradient(
      [&](Tape&, Variables v) {
        const Variable x = scale(v[0], 2);
        const Variable twice = add(leading_rows(x, 3), leading_rows(leading_rows(x, 4), 3));
        return add(leading_rows(twice, rows < 3 ? rows : 3), leading_rows(x, rows < 3 ? rows : 3));
      },
      {test::random_matrix(5, 4, 1)});
}

TEST_CASE("leading rows of sparse features see the same dropout as all", "[autograd][leading_rows]") {
  const int dropouts = GENERATE(0, 1, 2);
  const int heads = GENERATE(1, 2);
  const SparseInput input(test::random_sparse(12, 30, 0.3));
  const Matrix weight = test::random_matrix(30, 4, 2);
  const auto dropped = [&](Tape& tape) {
    SparseFeatures x{&input};
    if (dropouts > 1) x = sparse_dropout(tape, x, {0.4F, 7});
    if (dropouts > 0) x = sparse_dropout(tape, x, {0.5F, 8, heads});
    return x;
  };
  Tape tape;
  const Matrix expected = sparse_linear(dropped(tape), tape.constant(weight)).value().topRows(5);
  const SparseFeatures first = leading_rows(tape, dropped(tape), 5);
  CHECK(first.input->rows() == 5);
  CHECK(sparse_linear(first, tape.constant(weight)).value() == expected);
  test::check_gradient(
      [&](Tape& on, Variables v) { return sparse_linear(leading_rows(on, dropped(on), 5), v[0]); }, {weight});
  CHECK(leading_rows(tape, {&input}, 12).input == &input);
  CHECK_THROWS_AS(leading_rows(tape, {&input}, 13), UsageError);
}
