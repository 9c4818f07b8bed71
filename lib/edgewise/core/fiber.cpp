#include "edgewise/core/fiber.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <cassert>
#include <cstddef>
#include <new>
#include <utility>

namespace edgewise {
namespace {

constexpr std::size_t kStackBytes = std::size_t{4} << 20;  // unused pages cost nothing
constexpr std::size_t kGuardBytes = std::size_t{1} << 12;

/// Thrown where a fiber paused that is no longer wanted.
struct Unwanted {};

}  // namespace

struct Fiber::State {
  std::function<void()> run;
  ucontext_t own = {}, resumer = {};
  void* stack = MAP_FAILED;
  bool has_begun = false, is_done = false, is_unwanted = false;
  std::exception_ptr error;

  static thread_local State* running;
  static void enter() noexcept {
    State& state = *running;
    try {
      state.run();
    } catch (const Unwanted&) {
    } catch (...) {
      state.error = std::current_exception();
    }
    state.is_done = true;
    setcontext(&state.resumer);
  }
};

thread_local Fiber::State* Fiber::State::running = nullptr;

Fiber::Fiber(std::function<void()> run) : state_(std::make_unique<State>()) {
  state_->run = std::move(run);
  state_->stack =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (state_->stack == MAP_FAILED) throw std::bad_alloc();
  mprotect(state_->stack, kGuardBytes, PROT_NONE);  // stacks grow downwards
  getcontext(&state_->own);
  state_->own.uc_stack.ss_sp = state_->stack;
  state_->own.uc_stack.ss_size = kStackBytes;
  makecontext(&state_->own, State::enter, 0);
}

Fiber::~Fiber() {
  if (state_->has_begun && !state_->is_done) {
    state_->is_unwanted = true;
    resume();
  }
  munmap(state_->stack, kStackBytes);
}

void Fiber::resume() {
  assert(!state_->is_done);
  state_->has_begun = true;
  State* const outer = std::exchange(State::running, state_.get());
  swapcontext(&state_->resumer, &state_->own);
  State::running = outer;
  if (state_->error != nullptr) std::rethrow_exception(std::exchange(state_->error, nullptr));
}

bool Fiber::is_done() const { return state_->is_done; }

void Fiber::pause() {
  State& state = *State::running;
  swapcontext(&state.own, &state.resumer);
  if (state.is_unwanted) throw Unwanted{};
}

}  // namespace edgewise
