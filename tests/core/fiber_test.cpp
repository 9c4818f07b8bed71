#include "edgewise/core/fiber.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <exception>
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

TEST_CASE("the memory of an ended fiber can be used again", "[core][fiber]") {
  for (const int resumes : {0, 1, 2}) {
    for (int i = 0; i < 8; ++i) {
      Fiber fiber([] { Fiber::pause(); });
      for (int resume = 0; resume < resumes; ++resume) fiber.resume();
    }
    constexpr std::size_t kBytes = std::size_t{64} << 20;  // lies where their stacks were
    void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    std::memset(memory, 1, kBytes);  // the address sanitizer checks it
    munmap(memory, kBytes);
  }
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

TEST_CASE("each fiber handles its own exception while others throw theirs", "[core][fiber]") {
  const auto handle = [](const char* what) {
    return [what] {
      try {
        throw std::runtime_error(what);
      } catch (const std::runtime_error& caught) {
        Fiber::pause();
        CHECK(std::string(caught.what()) == what);
        CHECK(std::current_exception() != nullptr);
        CHECK_THROWS_WITH(throw, what);
      }
      CHECK(std::current_exception() == nullptr);
      CHECK(std::uncaught_exceptions() == 0);
    };
  };
  Fiber a(handle("a")), b(handle("b"));
  a.resume();
  CHECK(std::current_exception() == nullptr);
  b.resume();
  a.resume();
  b.resume();
  CHECK(a.is_done());
  CHECK(b.is_done());
}

TEST_CASE("a fiber may pause while an exception unwinds its stack", "[core][fiber]") {
  struct Pause {
    ~Pause() { Fiber::pause(); }
  };
  Fiber fiber([] {
    const Pause pause;
    throw std::runtime_error("after the pause");
  });
  fiber.resume();
  CHECK(std::uncaught_exceptions() == 0);
  CHECK_THROWS_WITH(fiber.resume(), "after the pause");
}

TEST_CASE("an unwanted fiber ends where it catches everything, and what it throws then is dropped", "[core][fiber]") {
  struct Count {
    int& count;
    ~Count() { ++count; }
  };
  int ended = 0, caught = 0;
  {
    Fiber stubborn([&] {
      const Count outer{ended};
      for (int i = 0; i < 3; ++i) try {
          const Count inner{ended};
          Fiber::pause();
        } catch (...) {
          ++caught;
        }
    });
    stubborn.resume();
    Fiber throwing([&] {
      try {
        Fiber::pause();
      } catch (...) {
        throw std::runtime_error("dropped");
      }
    });
    throwing.resume();
    Fiber handling([&] {
      const Count outer{ended};
      try {
        throw std::runtime_error("handled");
      } catch (const std::runtime_error&) {
        Fiber::pause();
      }
    });
    handling.resume();
  }
  CHECK(caught == 3);
  CHECK(ended == 5);
}

}  // namespace
}  // namespace edgewise
