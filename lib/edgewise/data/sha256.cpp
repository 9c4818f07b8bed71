#include "edgewise/data/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

// OpenSSL's functions for this hash alone, which version 3 deprecates. Those for any hash bring along all hashes and
// ciphers: where OpenSSL is linked statically, 1.6 MB compressed in place of 10 kB.
#define OPENSSL_API_COMPAT 10101
#include <openssl/sha.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::data {
namespace {

/// Incremental hash of a byte stream.
class Hash {
 public:
  Hash() { SHA256_Init(&context_); }

  void update(std::string_view bytes) { SHA256_Update(&context_, bytes.data(), bytes.size()); }

  std::string finish() {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_Final(digest, &context_);
    return fmt::format("{:02x}", fmt::join(digest, ""));
  }

 private:
  SHA256_CTX context_;
};

}  // namespace

std::string sha256(std::string_view bytes) {
  Hash hash;
  hash.update(bytes);
  return hash.finish();
}

std::string sha256_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw DataError(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  Hash hash;
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hash.update({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) throw DataError(fmt::format("{}: reading failed", path));
  return hash.finish();
}

}  // namespace edgewise::data
