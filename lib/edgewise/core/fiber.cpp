#include "edgewise/core/fiber.hpp"

#include <cxxabi.h>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <utility>

#include "edgewise/core/detail/stack_switch.hpp"

namespace edgewise {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = std::size_t{4} << 20;  // unused pages cost nothing

/// Thrown where a fiber paused that is no longer wanted.
struct Unwanted {};

/// The exceptions that a stack is handling and throwing, which the runtime keeps for the thread.
struct ExceptionState {
  void* caught = nullptr;
  unsigned int uncaught = 0;

  void exchange_with_thread() {
    void* const of_thread = abi::__cxa_get_globals();  // begins with these two members (Itanium C++ ABI, 2.2.2)
    ExceptionState other;
    std::memcpy(static_cast<void*>(&other), of_thread, sizeof(other));
    std::memcpy(of_thread, this, sizeof(other));
    *this = other;
  }
};

}  // namespace

struct Fiber::State {
  State(std::function<void()> function, context::protected_fixedsize_stack stacks, context::stack_context stack)
      : run(std::move(function)),
        stacks_switched(static_cast<std::byte*>(stack.sp) - stack.size, stack.size),
        own(std::allocator_arg, context::preallocated(stack.sp, stack.size, stack), stacks,
            [this](context::fiber&& from) { return enter(std::move(from)); }) {}

  std::function<void()> run;
  detail::StackSwitch stacks_switched;
  context::fiber own, resumer;  // the one that does not run
  ExceptionState exceptions;    // likewise
  bool has_begun = false, is_done = false, is_unwanted = false;
  std::exception_ptr error;

  static thread_local State* running;

  context::fiber enter(context::fiber&& from) {
    stacks_switched.after_begin();
    resumer = std::move(from);
    try {
      run();
    } catch (const Unwanted&) {
    } catch (...) {
      error = std::current_exception();
    }
    is_done = true;
    stacks_switched.before_end();
    return std::move(resumer);
  }
};

thread_local Fiber::State* Fiber::State::running = nullptr;

Fiber::Fiber(std::function<void()> run) {
  context::protected_fixedsize_stack stacks(kStackBytes);
  state_ = std::make_unique<State>(std::move(run), stacks, stacks.allocate());
}

Fiber::~Fiber() {
  if (!state_->has_begun || state_->is_done) return;
  state_->is_unwanted = true;
  switch_to();
}

void Fiber::switch_to() {
  State* const outer = std::exchange(State::running, state_.get());
  state_->exceptions.exchange_with_thread();
  state_->stacks_switched.before_resume();
  state_->own = std::move(state_->own).resume();
  state_->stacks_switched.after_resume();
  state_->exceptions.exchange_with_thread();
  State::running = outer;
}

void Fiber::resume() {
  assert(!state_->is_done);
  state_->has_begun = true;
  switch_to();
  if (state_->error != nullptr) std::rethrow_exception(std::exchange(state_->error, nullptr));
}

bool Fiber::is_done() const { return state_->is_done; }

void Fiber::pause() {
  State& state = *State::running;
  // A `catch (...)` that does not rethrow may have kept the fiber from ending.
  if (!state.is_unwanted) {
    state.stacks_switched.before_pause();
    state.resumer = std::move(state.resumer).resume();
    state.stacks_switched.after_pause();
  }
  if (state.is_unwanted) throw Unwanted{};
}

}  // namespace edgewise
