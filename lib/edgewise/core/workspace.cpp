#include "edgewise/core/workspace.hpp"

#include <algorithm>
#include <new>

#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise {
namespace {

constexpr std::align_val_t kAlignment{64};
constexpr std::size_t kLine = 64 / sizeof(float);

}  // namespace

void Workspace::Free::operator()(float* data) const { ::operator delete[](data, kAlignment); }

Workspace::Buffer Workspace::allocate(std::size_t capacity) {
  const std::size_t bytes = capacity * sizeof(float);
  Buffer buffer{std::unique_ptr<float[], Free>(static_cast<float*>(::operator new[](bytes, kAlignment))), capacity};
  request_large_pages(buffer.data.get(), bytes);
  return buffer;
}

void Workspace::begin() {
  if (buffers_.size() > 1) {
    buffers_.clear();
    buffers_.push_back(allocate(needed_));
  }
  taken_ = needed_ = 0;
}

float* Workspace::take(std::size_t count) {
  const std::size_t rounded = (std::max<std::size_t>(count, 1) + kLine - 1) / kLine * kLine;
  needed_ += rounded;
  if (buffers_.empty() || taken_ + rounded > buffers_.back().capacity) {
    buffers_.push_back(allocate(rounded));
    taken_ = 0;
  }
  float* data = buffers_.back().data.get() + taken_;
  taken_ += rounded;
  return data;
}

float* Workspace::take_zeros(std::size_t count) {
  constexpr std::size_t kGrain = std::size_t{1} << 16;
  float* data = take(count);
  parallel_for(count, kGrain, [&](std::size_t begin, std::size_t end) { std::fill(data + begin, data + end, 0.0F); });
  return data;
}

}  // namespace edgewise
