#pragma once

#include <cstdint>
#include <optional>

namespace edgewise::app {

/// Has the allocator keep what is freed for what is asked for next, where it would else return large blocks to the
/// system and get new pages, zeroed, again. For work that goes through many pieces of the same size.
void keep_freed_memory();

/// How far the resident memory of this process rises above where it was when this was made. Linux only.
class PeakMemory {
 public:
  /// Gives free memory back to the system, then resets the system's high-water mark.
  PeakMemory();
  /// Bytes since then; nothing where the system cannot reset its mark.
  std::optional<std::int64_t> bytes() const;

 private:
  std::optional<std::int64_t> start_;
};

}  // namespace edgewise::app
