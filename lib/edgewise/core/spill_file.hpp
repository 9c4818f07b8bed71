#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

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

  /// The most space that was taken.
  std::uint64_t peak_bytes() const { return peak_; }
  /// Returns where the bytes begin.
  std::uint64_t append(const void* data, std::size_t bytes);
  void read(std::uint64_t begin, void* data, std::size_t bytes) const;
  /// Where it can be opened to be read from its beginning, as long as this lives.
  std::string path() const;
  /// Starts to read bytes that `read` will be asked for.
  void request(std::uint64_t begin, std::size_t bytes) const;
  /// Room for new bytes at the end of the file, mapped as long as this lives. It takes no space until it is claimed,
  /// and may not be touched before. Pages that are not needed for now can be given back (`give_back_pages`) and return
  /// when they are read again.
  std::byte* map(std::size_t bytes);
  /// Takes space on the disk for mapped bytes, whose values are undefined.
  void claim(const void* data, std::size_t bytes);
  /// The reverse: the values are lost.
  void drop(const void* data, std::size_t bytes);

 private:
  struct Mapping {
    std::uint64_t begin;  // in the file
    std::size_t bytes;
  };
  [[noreturn]] void fail(const char* what) const;
  std::uint64_t place_of(const std::byte* data) const;
  void take_space(std::uint64_t bytes);

  std::string folder_;
  int file_ = -1;
  std::uint64_t size_ = 0, used_ = 0, peak_ = 0;
  std::map<const std::byte*, Mapping> mappings_;
};

/// Of a mapped file: starts to write what has changed, and takes the pages out of the memory of this process.
void give_back_pages(const void* data, std::size_t bytes);
/// Starts to read them.
void request_pages(const void* data, std::size_t bytes);

}  // namespace edgewise
