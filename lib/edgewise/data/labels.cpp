#include "edgewise/data/labels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace edgewise::data {

std::string_view name_of(LabelShape shape) {
  switch (shape) {
    case LabelShape::classes: return "classes";
    case LabelShape::flags: return "flags";
    case LabelShape::numbers: break;
  }
  return "numbers";
}

std::string Task::expected() const {
  const char* kind = are_whole ? "a whole number" : "a number";
  return std::isinf(least) ? kind : fmt::format("{} of at least {}", kind, least);
}

const Task* find_plain_task(std::string_view name) {
  static constexpr const Task* kTasks[] = {&Task::classification, &Task::multilabel, &Task::regression};
  const auto found = std::ranges::find(kTasks, name, &Task::name);
  return found == std::end(kTasks) ? nullptr : *found;
}

}  // namespace edgewise::data
