#include "edgewise/core/fiber.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "edgewise/core/parallel.hpp"

namespace edgewise {
namespace {

TEST_CASE("fibers take turns", "[core][fiber]") {
  std::string trace;
  const auto talk = [&trace](char name) {
    return [&trace, name] {
      for (int i = 0; i < 2; ++i) {
        trace += name;
        Fiber::pause();
      }
    };
  };
  Fiber a(talk('a')), b(talk('b'));
  while (!a.is_done() || !b.is_done()) {
    if (!a.is_done()) a.resume();
    if (!b.is_done()) b.resume();
  }
  CHECK(trace == "abab");
}

TEST_CASE("a fiber passes on what it throws, and may work in parallel", "[core][fiber]") {
  Fiber fiber([] {
    std::vector<int> squares(1000);
    parallel_for(squares.size(), 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) squares[i] = static_cast<int>(i * i);
    });
    Fiber::pause();
    throw std::runtime_error(std::to_string(squares[30]));
  });
  fiber.resume();
  CHECK_THROWS_WITH(fiber.resume(), "900");
  CHECK(fiber.is_done());
}

TEST_CASE("a fiber that is not resumed to its end is unwound", "[core][fiber]") {
  struct Count {
    int& count;
    ~Count() { ++count; }
  };
  int ended = 0;
  {
    Fiber begun([&ended] {
      const Count inner{ended};
      Fiber::pause();
      ended += 100;
    });
    begun.resume();
    const Fiber never_begun([&ended] { ended += 100; });
  }
  CHECK(ended == 1);
}

TEST_CASE("a fiber may resume another", "[core][fiber]") {
  std::string trace;
  Fiber outer([&trace] {
    Fiber inner([&trace] {
      trace += "i";
      Fiber::pause();
      trace += "I";
    });
    inner.resume();
    trace += "o";
    Fiber::pause();
    inner.resume();
  });
  outer.resume();
  outer.resume();
  CHECK(trace == "ioI");
}

}  // namespace
}  // namespace edgewise
