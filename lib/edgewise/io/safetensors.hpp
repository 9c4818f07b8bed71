#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/matrix.hpp"

namespace edgewise::io {

/// A named array of floats, row-major. A tensor without dimensions is a single number.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

Tensor to_tensor(std::string name, const Matrix& matrix);

/// Name of the metadata with the checksum of everything else.
inline constexpr const char* kChecksum = "edgewise.checksum";

/// The contents of a safetensors file: tensors in file order, and metadata texts by name, without the checksum.
struct Safetensors {
  std::vector<Tensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The tensor, or nullptr.
  const Tensor* find(std::string_view name) const;
  /// The text, or nullptr.
  const std::string* find_metadata(std::string_view name) const;
};

/// Reads a safetensors file of F32 tensors: the header length in 8 bytes (little endian), a JSON header, then the
/// numbers. Nothing in the header is trusted. Throws ModelError if the header is longer than the file or than 100 MB,
/// is not valid JSON of this form, repeats a name, has a dtype other than F32, or has offsets that overlap, leave a
/// gap, lie outside the file or contradict the shape, or if the contents do not match the checksum. A file of others
/// may have none. NaN and infinities are allowed. Throws DataError if the file cannot be read.
Safetensors read_safetensors(const std::string& path);

/// Writes the tensors in order and a checksum, atomically; Python's `safetensors` can read the file. Throws ModelError
/// if `read_safetensors` would refuse it: for a header longer than 100 MB, a name that is repeated, "__metadata__" or
/// not UTF-8, and a shape that does not fit the values. Throws DataError if the file cannot be written.
void write_safetensors(const std::string& path, const Safetensors& content);

}  // namespace edgewise::io
