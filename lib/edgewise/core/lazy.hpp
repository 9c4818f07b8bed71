#pragma once

#include <memory>
#include <mutex>
#include <optional>

namespace edgewise {

/// A value that is made when it is first asked for, and kept; copies share it. May be asked by several threads.
template <class Value>
class Lazy {
 public:
  /// `make()` is called once; if it throws, again by the next to ask.
  template <class Make>
  const Value& get(const Make& make) const {
    std::call_once(kept_->once, [&] { kept_->value.emplace(make()); });
    return *kept_->value;
  }

 private:
  struct Kept {
    std::once_flag once;
    std::optional<Value> value;
  };
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

}  // namespace edgewise
