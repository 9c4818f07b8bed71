#pragma once

#include <cstddef>

namespace edgewise::fuzz {

/// The peak of C++ allocations during the lifetime of this object, relative to its start; 0 under a sanitizer, which
/// has its own allocator.
class Allocations {
 public:
  Allocations();
  std::size_t peak() const;

 private:
  std::size_t start_;
};

}  // namespace edgewise::fuzz
