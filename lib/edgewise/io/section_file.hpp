#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/core/atomic_file.hpp"

/// @file
/// A file of named sections, which is mapped when it is read:
///   "EDGEWISE", version, number of sections, CRC-32 of the table, 0; the table: name, begin, bytes, CRC-32 and 0 of
///   each; the sections, each at a multiple of 4096 bytes. Numbers are little-endian.
namespace edgewise::io {

class SectionFile {
 public:
  /// Throws DataError, naming the file and the section, for a file of another kind or version, or one that is cut
  /// short.
  explicit SectionFile(std::string path);
  SectionFile(const SectionFile&) = delete;
  SectionFile& operator=(const SectionFile&) = delete;
  ~SectionFile();

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }
  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Compares the checksum when a section is first asked for: throws DataError naming it if it was changed, or if it is
  /// not there. Thread-safe.
  std::span<const std::byte> bytes(std::string_view name) const;
  template <class T>
  std::span<const T> list(std::string_view name) const {
    const std::span<const std::byte> all = bytes(name);
    if (all.size() % sizeof(T) != 0) refuse(name, "does not hold what it should");
    return {reinterpret_cast<const T*>(all.data()), all.size() / sizeof(T)};
  }
  std::string_view text(std::string_view name) const {
    const std::span<const std::byte> all = bytes(name);
    return {reinterpret_cast<const char*>(all.data()), all.size()};
  }
  /// Throws DataError about a section.
  [[noreturn]] void refuse(std::string_view section, std::string_view what) const;

 private:
  struct Section {
    std::string name;
    std::uint64_t begin, bytes;
    std::uint32_t checksum;
    mutable bool is_checked = false;  // read and written as an atomic
  };
  const Section* find(std::string_view name) const;
  void read_table();
  template <class T>
  T number_at(std::uint64_t place) const;

  std::string path_;
  const std::byte* data_ = nullptr;
  std::uint64_t size_ = 0;
  std::vector<Section> sections_;  // by name
};

/// Writes such a file as AtomicFile does: nothing half-written stays.
class SectionWriter {
 public:
  /// The sections may be written in another order, but each once. Throws DataError as all other functions do.
  SectionWriter(std::string path, const std::vector<std::string>& names);

  void add(std::string_view name, std::span<const std::byte> bytes);
  template <class T>
  void add(std::string_view name, const std::vector<T>& list) {
    add(name, std::as_bytes(std::span(list)));
  }
  void finish();

 private:
  struct Section {
    std::string name;
    std::uint64_t begin = 0, bytes = 0;
    std::uint32_t checksum = 0;
    bool is_written = false;
  };
  void write(std::uint64_t place, const void* data, std::size_t bytes);
  [[noreturn]] void fail() const;

  std::string path_;
  AtomicFile file_;
  std::uint64_t end_ = 0;
  std::vector<Section> sections_;
};

}  // namespace edgewise::io
