#include "fuzz/allocations.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::size_t> live{0};
std::atomic<std::size_t> most{0};

}  // namespace

#ifndef __SANITIZE_ADDRESS__
namespace {

void* take(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  const std::size_t now = live += ::malloc_usable_size(memory);
  for (std::size_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
  }
  return memory;
}

void give(void* memory) {
  live -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(std::size_t size) { return take(std::malloc(size == 0 ? 1 : size)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  return take(std::aligned_alloc(unit, (size + unit) / unit * unit));
}
void operator delete(void* memory) noexcept { give(memory); }
void operator delete(void* memory, std::size_t) noexcept { give(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { give(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { give(memory); }
#endif

namespace edgewise::fuzz {

Allocations::Allocations() : start_(live) { most = start_; }

std::size_t Allocations::peak() const { return most - start_; }

}  // namespace edgewise::fuzz
