#pragma once

#include <memory>
#include <mutex>
#include <optional>

namespace edgewise {

/// A value that is computed on first use and kept; copies share it. Thread-safe.
template <class Value>
class Lazy {
 public:
  /// `make()` is called once; if it throws, the next caller tries again.
  template <class Make>
  const Value& get(const Make& make) const {
    const std::lock_guard lock(kept_->mutex);
    if (!kept_->value) kept_->value.emplace(make());
    return *kept_->value;
  }

 private:
  struct Kept {
    std::mutex mutex;
    std::optional<Value> value;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace edgewise
