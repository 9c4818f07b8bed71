#include "edgewise/core/parallel.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "edgewise/core/error.hpp"

using namespace edgewise;

TEST_CASE("parallel_for covers each index once", "[core][parallel]") {
  const std::size_t count = GENERATE(0, 1, 7, 64, 65, 1000);
  std::vector<int> visits(count, 0);
  parallel_for(count, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++visits[i];
  });
  CHECK(visits == std::vector<int>(count, 1));
}

TEST_CASE("an exception leaves the parallel region", "[core][parallel]") {
  const int before = threads();
  set_threads(3);
  for (int i = 0; i < 100; ++i)
    CHECK_THROWS_AS(parallel_chunks(100, [](std::size_t chunk) { if (chunk == 50) throw std::domain_error("50"); }),
                    std::domain_error);
  set_threads(before);
}

TEST_CASE("each chunk runs once, in repeated regions, at any number of threads", "[core][parallel]") {
  const int before = threads();
  std::vector<int> visits(37, 0);
  int regions = 0;
  for (const int count : {2, 5, 1, 3, 2})
    for (int i = 0; i < 400; ++i, ++regions) {
      set_threads(count);
      parallel_chunks(visits.size(), [&](std::size_t chunk) { ++visits[chunk]; });
    }
  set_threads(before);
  CHECK(visits == std::vector<int>(visits.size(), regions));
}

TEST_CASE("parallel regions may be nested, and started by several threads", "[core][parallel]") {
  const int before = threads();
  set_threads(3);
  std::vector<std::vector<int>> visits(4, std::vector<int>(30, 0));
  std::vector<std::thread> callers;
  for (std::vector<int>& own : visits)
    callers.emplace_back([&own] {
      for (int i = 0; i < 100; ++i)
        parallel_chunks(3, [&](std::size_t outer) {
          parallel_chunks(10, [&](std::size_t inner) { ++own[10 * outer + inner]; });
        });
    });
  for (std::thread& caller : callers) caller.join();
  set_threads(before);
  CHECK(visits == std::vector<std::vector<int>>(4, std::vector<int>(30, 100)));
}

TEST_CASE("the number of threads is at least one", "[core][parallel]") {
  CHECK_THROWS_AS(set_threads(0), UsageError);
  CHECK(threads() >= 1);
}

TEST_CASE("a forked process has threads of its own", "[core][parallel]") {
  const int before = threads();
  set_threads(2);
  const auto run = [] {
    std::atomic<int> started{0};
    parallel_chunks(2, [&](std::size_t) {
      for (++started; started < 2;) std::this_thread::yield();  // for the chunk of the other thread
    });
  };
  run();
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // ends a child that waits for a thread that it does not have
      run();
      _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  run();
  set_threads(before);
}
