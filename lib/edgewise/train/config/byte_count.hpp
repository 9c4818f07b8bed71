#pragma once

#include <cstdint>
#include <string>

namespace edgewise::train {

/// The bytes in a size such as "4G", "512M" or "1.5T" (of 1024 each). Throws UsageError, which starts with `where`, for
/// another text.
std::uint64_t bytes_of_size(const std::string& where, const std::string& size);

}  // namespace edgewise::train
