#pragma once

#include <cstddef>

namespace edgewise::fuzz {

/// How much memory C++ takes while this lives, at most, above what it had; 0 under a sanitizer, which has its own.
class Allocations {
 public:
  Allocations();
  std::size_t peak() const;

 private:
  std::size_t start_;
};

}  // namespace edgewise::fuzz
