#include "edgewise/data/sha256.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::data {
namespace {

/// Incremental hash of a byte stream.
class Hash {
 public:
  Hash() { check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }

  void update(std::string_view bytes) { check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1); }

  std::string finish() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    check(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    return fmt::format("{:02x}", fmt::join(std::span(digest, size), ""));
  }

 private:
  /// Hashing can only fail for lack of memory.
  static void check(bool is_good) {
    if (!is_good) throw std::bad_alloc();
  }

  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
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
