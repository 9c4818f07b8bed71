#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace edgewise {

/// A short mark of bytes, by which later ones are known to be the same or others (FNV-1a, 64 bits): no protection
/// against those who mean harm.
class Mark {
 public:
  void add(std::string_view bytes);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace edgewise
