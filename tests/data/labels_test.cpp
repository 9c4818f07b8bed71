#include "edgewise/data/labels.hpp"

#include <catch2/catch.hpp>
#include <limits>

using edgewise::data::Labels;
using edgewise::data::Task;

namespace {

constexpr float kUnknownNumber = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("labels of any shape say how many there are and which are known", "[data][labels]") {
  Labels classes{.names = {"a", "b"}, .classes = {1, -1, 0}, .targets = {}};
  CHECK(classes.item_count() == 3);
  CHECK(classes.target_count() == 1);
  CHECK((classes.is_known(0) && classes.has_value(0) && classes.has_value(2, 0)));
  CHECK_FALSE((classes.is_known(1) || classes.has_value(1)));

  Labels numbers{.task = Task::regression, .names = {"x", "y"}, .classes = {}, .targets = {}};
  numbers.targets.resize(3, 2);
  numbers.targets << 1, kUnknownNumber, kUnknownNumber, kUnknownNumber, kUnknownNumber, kUnknownNumber;
  CHECK(numbers.item_count() == 3);
  CHECK(numbers.target_count() == 2);
  CHECK((numbers.is_known(0) && numbers.has_value(0) && numbers.has_value(0, 0)));
  CHECK_FALSE((numbers.has_value(0, 1) || numbers.is_known(1)));
  numbers.lower_bounds.setConstant(3, 2, kUnknownNumber);
  numbers.upper_bounds = numbers.lower_bounds;
  numbers.upper_bounds(2, 1) = 5;
  CHECK((numbers.is_known(2) && numbers.is_known(2, 1)));
  CHECK_FALSE((numbers.is_known(2, 0) || numbers.has_value(2) || numbers.is_known(1)));
}

TEST_CASE("a task is its name, and says what labels it needs", "[data][labels]") {
  CHECK((Task::classification.has_classes() && Task::multilabel.has_flags() && Task::regression.has_numbers()));
  CHECK_FALSE((Task::classification.has_numbers() || Task::regression.has_flags() || Task::multilabel.has_classes()));
  for (const Task& task : {Task::classification, Task::multilabel, Task::regression})
    CHECK(*edgewise::data::find_plain_task(task.name) == task);
  CHECK(edgewise::data::find_plain_task("clairvoyance") == nullptr);
  CHECK_FALSE(Task::regression == Task{"rates", edgewise::data::LabelShape::numbers});
}

TEST_CASE("a task says which numbers it takes", "[data][labels]") {
  const Task counts{.name = "counts", .shape = edgewise::data::LabelShape::numbers, .are_whole = true, .least = 0};
  CHECK((counts.takes(0) && counts.takes(7)));
  CHECK_FALSE((counts.takes(-1) || counts.takes(0.5F)));
  CHECK(counts.expected() == "a whole number of at least 0");
  CHECK(Task::regression.takes(-0.5F));
  CHECK(Task::regression.expected() == "a number");
}
