#include "edgewise/core/lazy.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

using namespace edgewise;

TEST_CASE("a lazy value is computed once for all copies", "[core][lazy]") {
  const Lazy<int> lazy;
  const Lazy<int> copy = lazy;
  int made = 0;
  CHECK_THROWS(lazy.get([&]() -> int { throw std::runtime_error("not now"); }));
  CHECK(copy.get([&] { return ++made + 41; }) == 42);
  CHECK(lazy.get([&] { return ++made; }) == 42);
  CHECK(made == 1);
}
