#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace edgewise::io {

/// A named array of floats, row-major. No dimensions: one number.
struct Tensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// What a safetensors file holds: tensors in the order of the file, and free text by name.
struct Safetensors {
  std::vector<Tensor> tensors;
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The tensor, or nullptr.
  const Tensor* find(std::string_view name) const;
  /// The text, or nullptr.
  const std::string* find_metadata(std::string_view name) const;
};

/// Reads a safetensors file of F32 tensors: 8 bytes header length (little endian), a JSON header, then the numbers.
/// Nothing in the header is believed: throws ModelError when the header is longer than the file or than 100 MB, is not
/// such JSON, repeats a name, has another dtype than F32, or has offsets that overlap, leave a gap, lie outside the
/// file or disagree with the shape. NaN and infinities are numbers and pass. DataError when the file cannot be read.
Safetensors read_safetensors(const std::string& path);

/// Writes the tensors in their order, atomically; Python's `safetensors` opens the file. Throws DataError when the
/// file cannot be written.
void write_safetensors(const std::string& path, const Safetensors& content);

}  // namespace edgewise::io
