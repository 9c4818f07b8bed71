#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace edgewise {

/// A file without a name, which ends with the process however that ends. All functions throw DataError, with the folder
/// and the reason, such as a full disk.
class SpillFile {
 public:
  /// In `folder`; "" is the current one.
  explicit SpillFile(const std::string& folder);
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  ~SpillFile();

  std::uint64_t size() const { return size_; }
  /// Returns where the bytes begin.
  std::uint64_t append(const void* data, std::size_t bytes);
  void read(std::uint64_t begin, void* data, std::size_t bytes) const;
  /// Starts to read bytes that `read` will be asked for.
  void request(std::uint64_t begin, std::size_t bytes) const;
  /// New bytes at the end of the file, mapped: pages that are not needed can be given back (`give_back_pages`) and
  /// return when they are read again. Space on the disk is taken at once. Valid as long as this lives.
  std::byte* map(std::size_t bytes);

 private:
  struct Mapping {
    void* data;
    std::size_t bytes;
  };
  [[noreturn]] void fail(const char* what) const;

  std::string folder_;
  int file_ = -1;
  std::uint64_t size_ = 0;
  std::vector<Mapping> mappings_;
};

/// Of a mapped file: starts to write what has changed, and takes the pages out of the memory of this process.
void give_back_pages(const void* data, std::size_t bytes);
/// Starts to read them.
void request_pages(const void* data, std::size_t bytes);

}  // namespace edgewise
