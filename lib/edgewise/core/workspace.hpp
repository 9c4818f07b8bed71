#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace edgewise {

/// Scratch memory for calls, 64-byte aligned and kept between calls, so that no training step after the first allocates
/// anything. Only one call at a time may use it.
class Workspace {
 public:
  /// Starts a call: memory taken by earlier calls is no longer valid.
  void begin();
  /// `count` uninitialised floats, valid until the next `begin`.
  float* take(std::size_t count);
  float* take_zeros(std::size_t count);

 private:
  struct Free {
    void operator()(float* data) const;
  };
  struct Buffer {
    std::unique_ptr<float[], Free> data;
    std::size_t capacity;
  };
  static Buffer allocate(std::size_t capacity);

  std::vector<Buffer> buffers_;  ///< More than one, until the next `begin`, if the first was too small.
  std::size_t taken_ = 0;        ///< From the last one.
  std::size_t needed_ = 0;       ///< In total, since `begin`.
};

}  // namespace edgewise
