#include "edgewise/data/labels.hpp"

#include <algorithm>

namespace edgewise::data {

const Task* find_plain_task(std::string_view name) {
  static constexpr const Task* kTasks[] = {&Task::classification, &Task::multilabel, &Task::regression};
  const auto found = std::ranges::find(kTasks, name, &Task::name);
  return found == std::end(kTasks) ? nullptr : *found;
}

}  // namespace edgewise::data
