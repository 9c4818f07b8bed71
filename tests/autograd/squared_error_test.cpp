#include "edgewise/autograd/squared_error.hpp"

#include "support/gradient_check.hpp"

using namespace edgewise;
using namespace edgewise::autograd;

TEST_CASE("squared_error is the mean over known targets", "[autograd][squared_error]") {
  Tape tape;
  Matrix prediction(3, 1), targets(3, 1);
  prediction << 1, 2, 3;
  targets << 2, std::numeric_limits<float>::quiet_NaN(), 6;
  const std::vector<std::uint32_t> nodes = {0, 1, 2};
  CHECK(squared_error(tape.constant(prediction), targets, nodes).value()(0, 0) == Approx((1 + 9) / 2.0));
  CHECK(squared_error(tape.constant(prediction), targets, std::span(nodes).subspan(1, 1)).value()(0, 0) == 0);
  CHECK(squared_error(tape.constant(prediction), targets, {}).value()(0, 0) == 0);
  test::check_gradient([&](Tape&, std::span<const Variable> v) { return squared_error(v[0], targets, nodes); },
                       {prediction});
}
