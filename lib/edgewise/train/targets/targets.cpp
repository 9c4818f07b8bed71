#include "edgewise/train/targets/targets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/kinds.hpp"

namespace edgewise::train {

const std::vector<const Target*>& all_targets() {
  static const std::vector<const Target*> targets = [] {
    std::vector<const Target*> made;
    for (const auto& kind : kTargetKinds) made.push_back(&kind());
    return made;
  }();
  return targets;
}

const Target* find_target(std::string_view name) {
  const auto found = std::ranges::find(all_targets(), name, [](const Target* target) { return target->task().name; });
  return found == all_targets().end() ? nullptr : *found;
}

const data::Task* find_task(std::string_view name) {
  const Target* target = find_target(name);
  return target == nullptr ? nullptr : &target->task();
}

const Target& target_of(const data::Task& task) {
  if (const Target* found = find_target(task.name)) return *found;
  throw UsageError(fmt::format("there is no task \"{}\"", task.name));
}

const Target& target_of(const data::Labels& labels) { return target_of(labels.task); }

}  // namespace edgewise::train
