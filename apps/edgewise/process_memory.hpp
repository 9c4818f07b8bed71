#pragma once

#include <cstdint>
#include <optional>

namespace edgewise::app {

/// Makes the allocator keep freed memory for reuse. By default it returns large blocks to the system and gets new,
/// zeroed pages for the next ones. Useful for work on many pieces of the same size.
void keep_freed_memory();

/// How far the resident memory of this process rises above its size at construction. Linux only.
class PeakMemory {
 public:
  /// Returns free memory to the system, then resets the system's high-water mark.
  PeakMemory();
  /// The peak increase in bytes; nothing if the system cannot reset its mark.
  std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> start_;
};

}  // namespace edgewise::app
