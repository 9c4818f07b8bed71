#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace edgewise::io {

/// Reads the bytes of a file front to back, decompressing gzip. Gzip is detected by the first two bytes, not by the
/// name; concatenated members form one text. Holds one buffer, never the whole file. Throws DataError if the file
/// cannot be opened or read, is a directory, contains damaged or truncated gzip data, or is of a known binary format
/// (xz, zip, Parquet, a pickle ...), with a command that converts it.
class ByteSource {
 public:
  explicit ByteSource(std::string path);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Reads up to `capacity` bytes into `out` and returns their number; 0 only at the end of the file.
  std::size_t read(char* out, std::size_t capacity);
  const std::string& path() const;
  /// How much of the file has been read, compressed or not, and how large it was when it was opened; 0 for a pipe.
  std::uint64_t raw_bytes() const;
  std::uint64_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgewise::io
