#include "edgewise/core/observer.hpp"

#include <utility>

namespace edgewise {
namespace {

thread_local const Observer* current = nullptr;
thread_local const StepPart* innermost = nullptr;

}  // namespace

Observed::Observed(Observer observer)
    : observer_(std::move(observer)), previous_(std::exchange(current, &observer_)) {}

Observed::~Observed() { current = previous_; }

StepPart::StepPart(std::string_view what, std::size_t index, std::size_t count)
    : what_(what),
      index_(static_cast<double>(index)),
      count_(static_cast<double>(count)),
      outer_(std::exchange(innermost, this)) {}

StepPart::~StepPart() { innermost = outer_; }

WorkStep StepPart::outermost(WorkStep step) {
  for (const StepPart* part = innermost; part != nullptr; part = part->outer_) {
    const double share = step.total > 0 ? step.done / step.total : 0;
    step = {part->what_, part->index_ + share, part->count_};
  }
  return step;
}

void check_interruption() {
  if (current != nullptr && current->is_over && current->is_over()) throw Interrupted();
}

void report_step(std::string_view what, double done, double total) {
  if (current != nullptr && current->on_step) current->on_step(StepPart::outermost({what, done, total}));
  check_interruption();
}

}  // namespace edgewise
