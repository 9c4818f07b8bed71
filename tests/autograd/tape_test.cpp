#include "edgewise/autograd/tape.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <memory>

#include "support/gradient_check.hpp"

using namespace edgewise;

namespace {

/// A pass over `rows` rows, with a few results of 64 and 16 columns.
void run_pass(autograd::Tape& tape, Eigen::Index rows) {
  tape.reset(true);
  for (const Eigen::Index columns : {64, 16, 64, 64, 16})
    tape.make(rows, columns, false).value().setConstant(static_cast<float>(rows));
}

}  // namespace

TEST_CASE("passes over batches of all sizes share the buffers of the largest", "[autograd][tape]") {
  autograd::Tape largest;
  run_pass(largest, 1400);
  autograd::Tape tape;
  for (const Eigen::Index rows : {800, 1100, 900, 1400, 1000, 1250, 850}) run_pass(tape, rows);
  CHECK(tape.bytes() <= largest.bytes() * 5 / 4);
  const std::size_t before = tape.allocations();
  for (const Eigen::Index rows : {1000, 800, 1400, 950, 1300}) run_pass(tape, rows);
  CHECK(tape.allocations() == before);
}

TEST_CASE("results that are not needed give up their memory, but for those kept", "[autograd][tape]") {
  autograd::Tape tape(false);
  const autograd::Variable before = tape.make(500, 4, false);
  const std::size_t first = tape.size();
  tape.make(500, 4, false);
  const autograd::Variable kept = tape.make(500, 4, false);
  kept.value().setConstant(3);
  const autograd::Variable part_of_kept = tape.first_rows(kept, 10);
  std::vector<autograd::Buffer> taken = tape.take_buffers(first, std::array{part_of_kept});
  REQUIRE(taken.size() == 1);
  CHECK(tape.take_buffers(first, std::array{part_of_kept}).empty());
  tape.let_go(std::move(taken.front()));
  const std::size_t allocations = tape.allocations();
  tape.make(500, 4, false).value().setConstant(5);
  CHECK(tape.allocations() == allocations);
  CHECK((kept.value().array() == 3).all());
  CHECK(tape.take_buffers(0, {}).size() == 3);
  CHECK(before.rows() == 500);
}

TEST_CASE("a tape refuses the losses of others, and losses without a record", "[autograd][tape]") {
  autograd::Parameter weight("w", Matrix::Ones(1, 1));
  autograd::Tape tape, other, still(false);
  CHECK_THROWS_WITH(tape.backward(other.parameter(weight)),
                    "backward: expected a loss on this tape, got one on another");
  CHECK_THROWS_WITH(still.backward(still.parameter(weight)),
                    "backward: expected a tape that records, got one without gradients");
  const Matrix constant = Matrix::Ones(1, 1);
  tape.backward(tape.constant(constant));
  CHECK(weight.gradient.isZero(0));
  tape.backward(tape.parameter(weight));
  CHECK(weight.gradient(0, 0) == 1);
}

TEST_CASE("a tape refuses parameters whose gradient has another shape", "[autograd][tape]") {
  autograd::Parameter weight("w", Matrix::Ones(2, 2));
  weight.value = Matrix::Ones(3, 2);
  autograd::Tape tape;
  CHECK_THROWS_WITH(tape.parameter(weight), "parameter: gradient has shape [2, 2], expected [3, 2]");
}

TEST_CASE("a tape keeps values until it is reset", "[autograd][tape]") {
  autograd::Tape tape;
  const std::weak_ptr<int> kept = tape.keep(std::make_shared<int>(3));
  CHECK_FALSE(kept.expired());
  tape.reset();
  CHECK(kept.expired());
}

TEST_CASE("a buffer is not reused for less than half its size", "[autograd][tape]") {
  autograd::Tape tape;
  run_pass(tape, 4000);
  const std::size_t large = tape.bytes();
  run_pass(tape, 100);
  CHECK(tape.bytes() > large);
  CHECK(tape.bytes() < large + large / 10);
}

TEST_CASE("selected rows are copied for what takes a variable", "[autograd][tape]") {
  autograd::Tape tape;
  const Matrix table = test::random_matrix(5, 3, 1);
  const std::vector<std::uint32_t> rows = {4, 0, 4};
  const autograd::DenseRows x = tape.selected_rows({table.data(), 5, 3}, rows);
  CHECK(x.rows() == 3);
  CHECK(x.cols() == 3);
  CHECK_FALSE(x.needs_gradient());
  CHECK(x.table() == table.data());
  const autograd::Variable copied = x;
  CHECK(copied.value() == table(rows, Eigen::all));
  CHECK(x.table() == nullptr);
  CHECK(autograd::Variable(x).value().data() == copied.value().data());
  CHECK(autograd::Variable(tape.selected_rows({table.data(), 5, 3}, {})).value().rows() == 0);
  const std::size_t allocations = tape.allocations();
  tape.reset();
  CHECK(autograd::Variable(tape.selected_rows({table.data(), 5, 3}, rows)).value() == table(rows, Eigen::all));
  CHECK(autograd::DenseRows(tape.constant(table)).table() == nullptr);
  CHECK(tape.allocations() == allocations);
}
