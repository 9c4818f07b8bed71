#include "edgewise/core/fingerprint.hpp"

#include <fmt/format.h>

namespace edgewise {

void Fingerprint::add(std::string_view bytes) {
  for (const char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
}

std::string Fingerprint::text() const { return fmt::format("{:016x}", hash_); }

}  // namespace edgewise
