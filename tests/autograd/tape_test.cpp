#include "edgewise/autograd/tape.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("a buffer is not reused for less than half its size", "[autograd][tape]") {
  autograd::Tape tape;
  run_pass(tape, 4000);
  const std::size_t large = tape.bytes();
  run_pass(tape, 100);
  CHECK(tape.bytes() > large);
  CHECK(tape.bytes() < large + large / 10);
}
