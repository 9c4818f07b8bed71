#pragma once

#include <string>
#include <string_view>

namespace edgewise::data {

/// SHA-256 (FIPS 180-4): 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);
/// SHA-256 of the file's bytes on disk. Throws DataError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace edgewise::data
