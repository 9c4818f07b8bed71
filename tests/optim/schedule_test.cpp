#include "edgewise/optim/schedule.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using optim::Schedule;
using optim::ScheduleKind;

TEST_CASE("constant stays the same after the warm-up", "[optim][schedule]") {
  const Schedule schedule({.warmup = 4});
  CHECK(schedule.multiplier(0) == Approx(0.25));
  CHECK(schedule.multiplier(2) == Approx(0.75));
  CHECK(schedule.multiplier(3) == 1);
  CHECK(schedule.multiplier(1000) == 1);
  CHECK(Schedule().multiplier(0) == 1);
}

TEST_CASE("cosine rises, falls along half a cosine and stays at the minimum", "[optim][schedule]") {
  const Schedule schedule({.kind = ScheduleKind::cosine, .warmup = 2, .steps = 10, .minimum = 0.1});
  CHECK(schedule.multiplier(0) == 0.5);
  CHECK(schedule.multiplier(2) == 1);
  CHECK(schedule.multiplier(6) == Approx(0.55));
  CHECK(schedule.multiplier(10) == Approx(0.1));
  CHECK(schedule.multiplier(99) == Approx(0.1));
}

TEST_CASE("plateau falls after patience without improvement, and continues after a restore", "[optim][schedule]") {
  Schedule schedule({.kind = ScheduleKind::plateau, .minimum = 0.2, .factor = 0.5, .patience = 2});
  schedule.observe(1.0);
  schedule.observe(0.9);
  schedule.observe(0.9);
  CHECK(schedule.multiplier(3) == 1);
  Schedule restored({.kind = ScheduleKind::plateau, .minimum = 0.2, .factor = 0.5, .patience = 2});
  restored.restore(json::parse(json::dump(schedule.state()), "state"));
  for (Schedule* each : {&schedule, &restored}) {
    each->observe(0.95);
    CHECK(each->multiplier(4) == 0.5);
    for (int i = 0; i < 8; ++i) each->observe(2);
    CHECK(each->multiplier(12) == 0.2);
    each->observe(0.1);
    CHECK(each->multiplier(13) == 0.2);
  }
}

TEST_CASE("schedules have names and refuse invalid options", "[optim][schedule]") {
  CHECK(optim::schedule_kind_names().at(static_cast<std::size_t>(ScheduleKind::plateau)) == "plateau");
  CHECK_THROWS_AS(Schedule({.kind = ScheduleKind::cosine, .warmup = 5, .steps = 5}), UsageError);
  CHECK_THROWS_AS(Schedule({.warmup = -1}), UsageError);
  CHECK_THROWS_AS(Schedule({.factor = 1}), UsageError);
  CHECK_THROWS_AS(Schedule({.minimum = 2}), UsageError);
  CHECK_THROWS_AS(Schedule({.patience = 0}), UsageError);
}
