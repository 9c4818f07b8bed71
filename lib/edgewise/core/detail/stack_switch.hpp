#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

/// @file
/// Tells the sanitizers which stack a thread runs on; without them, nothing.
namespace edgewise::detail {

#if defined(__SANITIZE_ADDRESS__)

/// One of a fiber with its own stack, told before and after each switch to it and from it.
class StackSwitch {
 public:
  StackSwitch(const void* bottom, std::size_t bytes) : own_{bottom, bytes} {}
  StackSwitch(const StackSwitch&) = delete;
  StackSwitch& operator=(const StackSwitch&) = delete;
  ~StackSwitch() { forget_frames(); }  // of a fiber that never began

  void before_resume() { __sanitizer_start_switch_fiber(&resumer_.fake, own_.bottom, own_.bytes); }
  void after_resume() { __sanitizer_finish_switch_fiber(resumer_.fake, nullptr, nullptr); }
  void after_begin() { __sanitizer_finish_switch_fiber(nullptr, &resumer_.bottom, &resumer_.bytes); }
  void before_pause() { __sanitizer_start_switch_fiber(&own_.fake, resumer_.bottom, resumer_.bytes); }
  void after_pause() { __sanitizer_finish_switch_fiber(own_.fake, &resumer_.bottom, &resumer_.bytes); }
  void before_end() {
    forget_frames();
    __sanitizer_start_switch_fiber(nullptr, resumer_.bottom, resumer_.bytes);
  }

 private:
  /// The last frames of a fiber are never left: what is next in their memory would lie within their guarded zones.
  void forget_frames() { __asan_unpoison_memory_region(own_.bottom, own_.bytes); }

  struct Stack {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake = nullptr;
  };
  Stack own_, resumer_;
};

#elif defined(__SANITIZE_THREAD__)

class StackSwitch {
 public:
  StackSwitch(const void*, std::size_t) {}
  StackSwitch(const StackSwitch&) = delete;
  StackSwitch& operator=(const StackSwitch&) = delete;
  ~StackSwitch() { __tsan_destroy_fiber(own_); }

  void before_resume() {
    resumer_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(own_, 0);
  }
  void after_resume() {}
  void after_begin() {}
  void before_pause() { __tsan_switch_to_fiber(resumer_, 0); }
  void after_pause() {}
  void before_end() { before_pause(); }

 private:
  void* own_ = __tsan_create_fiber(0);
  void* resumer_ = nullptr;
};

#else

class StackSwitch {
 public:
  StackSwitch(const void*, std::size_t) {}

  void before_resume() {}
  void after_resume() {}
  void after_begin() {}
  void before_pause() {}
  void after_pause() {}
  void before_end() {}
};

#endif

}  // namespace edgewise::detail
