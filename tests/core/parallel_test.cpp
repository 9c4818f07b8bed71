#include "edgewise/core/parallel.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>
#include <set>
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

TEST_CASE("chunks are shared among threads", "[core][parallel]") {
  const int before = threads();
  set_threads(2);
  std::mutex mutex;
  std::set<std::thread::id> workers;
  for (int i = 0; i < 100'000 && workers.size() < 2; ++i)  // whenever another thread gets to run
    parallel_chunks(64, [&](std::size_t) {
      std::this_thread::yield();
      const std::lock_guard lock(mutex);
      workers.insert(std::this_thread::get_id());
    });
  set_threads(before);
  CHECK(workers.size() == 2);
}

TEST_CASE("a forked process works although it has no other threads", "[core][parallel]") {
  const int before = threads();
  set_threads(2);
  const auto run = [] {
    std::vector<int> visits(64, 0);
    for (int i = 0; i < 10'000; ++i) parallel_chunks(visits.size(), [&](std::size_t chunk) { ++visits[chunk]; });
    return visits == std::vector<int>(visits.size(), 10'000);
  };
  const auto check_child = [&](const auto& work) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(600);  // ends a child that waits for a thread that it does not have
      _exit(work() ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  };
  CHECK(run());
  for (int i = 0; i < 3; ++i) check_child(run);
  check_child([&] {
    const pid_t grandchild = fork();
    if (grandchild == 0) _exit(run() ? 0 : 1);
    int status = -1;
    return waitpid(grandchild, &status, 0) == grandchild && status == 0;
  });
  std::atomic<bool> is_over{false};
  std::thread other([&] {  // is in a region when the process forks
    while (!is_over) run();
  });
  for (int i = 0; i < 3; ++i) check_child(run);
  is_over = true;
  other.join();
  CHECK(run());
  set_threads(before);
}

// Sanitizers need more address space than the system then allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_CASE("work goes on where the system allows no more threads", "[core][parallel]") {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{rlim_t{3} << 30, rlim_t{3} << 30};  // for some hundred stacks of 8 MiB, not for a thousand
    setrlimit(RLIMIT_AS, &limit);
    execl("/proc/self/exe", "edgewise_tests", "as many threads as there may be", static_cast<char*>(nullptr));
    _exit(2);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}

TEST_CASE("as many threads as there may be", "[.][parallel]") {  // only in a process of its own
  set_threads(kMaxThreads);
  std::vector<int> visits(100, 0);
  for (int i = 0; i < 3; ++i) parallel_chunks(visits.size(), [&](std::size_t chunk) { ++visits[chunk]; });
  CHECK(visits == std::vector<int>(visits.size(), 3));
}

#endif
