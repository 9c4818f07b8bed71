#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

/// @file
/// How long work is watched and ended from outside, whatever function it is in.
namespace edgewise {

/// Thrown out of work that its observer ended. Not an Error: nobody made a mistake, and nobody else should handle it.
class Interrupted {};

/// How far a step of the work is. `total` is 0 if that is not known.
struct WorkStep {
  std::string_view what;  ///< "reading edges.csv"
  double done = 0;
  double total = 0;
};

/// What someone who waits for long work wants: to end it, and to see how far it is. Both may be empty, are called
/// often, and only from the thread that observes.
struct Observer {
  std::function<bool()> is_over = {};  ///< Returning true ends the work: it throws Interrupted at the next opportunity.
  std::function<void(const WorkStep&)> on_step = {};
};

/// While it exists, the work of this thread, with the chunks of `parallel_chunks` that it waits for, is observed. The
/// observer before it returns afterwards. An empty Observer lets a short piece of work finish undisturbed.
class Observed {
 public:
  explicit Observed(Observer observer);
  Observed(const Observed&) = delete;
  Observed& operator=(const Observed&) = delete;
  ~Observed();

 private:
  Observer observer_;
  const Observer* previous_;
};

/// While it exists, the steps that this thread reports are the part `index`, counted from 0, of `count` equal parts of
/// the step `what`.
class StepPart {
 public:
  StepPart(std::string_view what, std::size_t index, std::size_t count);
  StepPart(const StepPart&) = delete;
  StepPart& operator=(const StepPart&) = delete;
  ~StepPart();

  /// The same progress as that of the outermost step.
  static WorkStep outermost(WorkStep step);

 private:
  std::string_view what_;
  double index_;
  double count_;
  const StepPart* outer_;
};

/// Throws Interrupted if the observer of this thread wants the work to end. `parallel_chunks` calls it before each
/// chunk; loops that run for long without it should.
void check_interruption();

/// Tells the observer of this thread about a step of the work, then calls `check_interruption`.
void report_step(std::string_view what, double done = 0, double total = 0);

}  // namespace edgewise
