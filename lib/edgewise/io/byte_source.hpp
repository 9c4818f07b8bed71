#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace edgewise::io {

/// The bytes of a file from front to back, unpacked when they are gzip (told by the first two bytes, not by the name;
/// several members in a row are one text). Holds one buffer, never the file.
/// Throws DataError when the file cannot be opened or read, is a directory, or its gzip data is damaged or cut short.
class ByteSource {
 public:
  explicit ByteSource(std::string path);
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Puts up to `capacity` bytes at `out`; returns how many, 0 only at the end of the file.
  std::size_t read(char* out, std::size_t capacity);
  const std::string& path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgewise::io
