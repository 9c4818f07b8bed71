#include "edgewise/train/targets/targets.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("each target is found by the name of its task", "[train][targets]") {
  for (const Target* target : all_targets()) {
    CHECK(find_target(target->task().name) == target);
    CHECK(*find_task(target->task().name) == target->task());
    CHECK(&target_of(target->task()) == target);
  }
  CHECK(find_target("clairvoyance") == nullptr);
  CHECK(find_task("clairvoyance") == nullptr);
  CHECK_THROWS_AS(target_of(data::Task{"clairvoyance"}), UsageError);
}

TEST_CASE("every shape of labels has its plain task, and every target its metrics", "[train][targets]") {
  for (const data::Task& task : {data::Task::classification, data::Task::multilabel, data::Task::regression})
    CHECK(target_of(task).task().shape == task.shape);
  for (const Target* target : all_targets()) {
    data::Labels labels{.task = target->task(), .names = {"a", "b"}, .classes = {0, 1}, .targets = Matrix::Ones(2, 2)};
    const std::vector<std::string> names = metric_names(labels);
    CAPTURE(target->task().name);
    CHECK(std::ranges::count(names, target->default_metric(labels)) == 1);
  }
}
