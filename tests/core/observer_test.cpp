#include "edgewise/core/observer.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include <string>
#include <thread>
#include <vector>

#include "edgewise/core/parallel.hpp"

using namespace edgewise;

TEST_CASE("parallel work ends when its observer wants it to", "[core][observer]") {
  const int before = threads();
  for (const int count : {1, 3}) {
    set_threads(count);
    int asked = 0;
    const Observed observed({.is_over = [&] { return ++asked > 2; }});
    int last = 0;
    const auto work = [](std::size_t) { std::this_thread::sleep_for(std::chrono::microseconds(10)); };
    CHECK_THROWS_AS(parallel_chunks(1'000'000, work), Interrupted);
    {
      const Observed undisturbed({});
      std::vector<int> visits(1000, 0);
      parallel_chunks(visits.size(), [&](std::size_t chunk) { ++visits[chunk]; });
      for (const int visit : visits) last += visit;
    }
    CHECK(last == 1000);
    CHECK_THROWS_AS(check_interruption(), Interrupted);
  }
  set_threads(before);
  CHECK_NOTHROW(check_interruption());
}

TEST_CASE("steps are parts of the steps around them", "[core][observer]") {
  std::vector<std::string> seen;
  const Observed observed({.on_step = [&](const WorkStep& step) {
    seen.push_back(std::string(step.what) + " " + std::to_string(step.done / step.total));
  }});
  report_step("alone", 1, 2);
  {
    const StepPart outer("outer", 1, 2);
    const StepPart inner("inner", 0, 4);
    report_step("rounds", 1, 2);
    report_step("no end known");
  }
  report_step("alone", 2, 2);
  CHECK(seen == std::vector<std::string>{"alone 0.500000", "outer 0.562500", "outer 0.500000", "alone 1.000000"});
}
