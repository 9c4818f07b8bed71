#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace edgewise::detail {

/// Memory for RapidJSON. Its own allocator returns null when memory runs out, which its readers do not check.
struct JsonAllocator {
  static constexpr bool kNeedFree = true;

  void* Malloc(std::size_t size) { return Realloc(nullptr, 0, size); }
  void* Realloc(void* old, std::size_t, std::size_t size) {
    if (size == 0) {
      std::free(old);
      return nullptr;
    }
    void* const memory = std::realloc(old, size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  static void Free(void* memory) { std::free(memory); }
};

}  // namespace edgewise::detail
