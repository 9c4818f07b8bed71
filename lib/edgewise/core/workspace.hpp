#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace edgewise {

/// Scratch memory of calls, 64-byte aligned, kept from call to call so that a training step allocates nothing
/// after the first. One call at a time may use it.
class Workspace {
 public:
  /// Starts a call: what earlier calls took is gone.
  void begin();
  /// `count` floats, their values undefined, until the next `begin`.
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

  std::vector<Buffer> buffers_;  ///< More than one until the next `begin`, when the first was too small.
  std::size_t taken_ = 0;        ///< Of the last one.
  std::size_t needed_ = 0;       ///< In all, since `begin`.
};

}  // namespace edgewise
