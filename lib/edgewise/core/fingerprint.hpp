#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace edgewise {

/// A short fingerprint of bytes (FNV-1a, 64 bits), to check later whether other bytes are the same. It does not protect
/// against an attacker.
class Fingerprint {
 public:
  void add(std::string_view bytes);
  /// 16 hexadecimal digits.
  std::string text() const;

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace edgewise
