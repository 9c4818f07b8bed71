#include "edgewise/train/choose/progress_trace.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace edgewise::train;

namespace {

constexpr std::int64_t kMaxEpochs = 1000;
const Sample kValidation{.items = 400};  // a standard error of 2 points around 0.8

using Curve = std::function<double(std::int64_t)>;

/// A trace over this many epochs.
ProgressTrace trace_of(std::int64_t epochs, const Curve& metric, const Curve& loss,
                       const std::string& name = "accuracy") {
  ProgressTrace trace(name, kMaxEpochs, kValidation);
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
    trace.observe({.epoch = epoch, .validation_loss = loss(epoch), .validation_metric = metric(epoch)});
  return trace;
}

double falling(std::int64_t epoch) { return 1.0 / static_cast<double>(epoch); }
double rising(std::int64_t epoch) { return static_cast<double>(epoch); }

}  // namespace

TEST_CASE("a model is given up if it is clearly behind at a rung", "[train][progress_trace]") {
  const ProgressTrace leader = trace_of(200, [](std::int64_t) { return 0.8; }, falling);
  const auto behind = [&](std::int64_t epochs, double metric) {
    return trace_of(epochs, [&](std::int64_t) { return metric; }, falling).is_behind(leader);
  };
  CHECK_FALSE(behind(39, 0.5));  // too early to tell
  CHECK(behind(40, 0.5));
  CHECK_FALSE(behind(40, 0.75));  // may be chance
  CHECK_FALSE(behind(300, 0.75));
  CHECK_FALSE(behind(40, 0.9));
}

TEST_CASE("a slow starter is compared with the start of the leader", "[train][progress_trace]") {
  const Curve slow = [](std::int64_t epoch) { return epoch < 200 ? 0.5 : 0.9; };
  const ProgressTrace leader = trace_of(300, slow, falling);
  CHECK_FALSE(trace_of(100, [](std::int64_t) { return 0.6; }, falling).is_behind(leader));
  CHECK(trace_of(320, [](std::int64_t) { return 0.6; }, falling).is_behind(leader));
}

TEST_CASE("a model is given up if it is behind and no longer learns", "[train][progress_trace]") {
  const ProgressTrace leader = trace_of(200, [](std::int64_t) { return 0.8; }, falling);
  const auto level = [](double metric) { return [metric](std::int64_t) { return metric; }; };
  CHECK_FALSE(trace_of(20, level(0.77), rising).is_behind(leader));
  CHECK(trace_of(21, level(0.77), rising).is_behind(leader));
  CHECK_FALSE(trace_of(100, level(0.77), falling).is_behind(leader));  // the loss still falls
  CHECK_FALSE(trace_of(100, level(0.79), rising).is_behind(leader));   // may be chance
  CHECK_FALSE(trace_of(100, level(0.81), rising).is_behind(leader));
}

TEST_CASE("the smaller error is ahead", "[train][progress_trace]") {
  const ProgressTrace leader = trace_of(200, [](std::int64_t) { return 1.0; }, falling, "rmse");
  CHECK(trace_of(40, [](std::int64_t) { return 2.0; }, falling, "rmse").is_behind(leader));
  CHECK_FALSE(trace_of(100, [](std::int64_t) { return 0.5; }, rising, "rmse").is_behind(leader));
}

TEST_CASE("rungs come early if there are few epochs", "[train][progress_trace]") {
  const auto short_trace = [](double metric) {
    ProgressTrace trace("accuracy", 40, kValidation);
    for (std::int64_t epoch = 1; epoch <= 5; ++epoch)
      trace.observe({.epoch = epoch, .validation_loss = std::nullopt, .validation_metric = metric});
    return trace;
  };
  CHECK(short_trace(0.5).is_behind(short_trace(0.8)));
}
