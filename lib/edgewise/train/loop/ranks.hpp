#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace edgewise::train {

/// The processes of a job that hold the parts of a network together. All of them run the same steps. Functions throw
/// DataError if the others cannot be reached.
class Ranks {
 public:
  using Request = std::int64_t;

  virtual ~Ranks() = default;
  virtual std::size_t index() const = 0;
  virtual std::size_t count() const = 0;

  /// Both start, and end when `is_done` says so; until then the memory belongs to the transfer. Tags tell apart what is
  /// under way between two ranks.
  virtual Request send(std::span<const float> values, std::size_t to, std::uint64_t tag) = 0;
  virtual Request receive(std::span<float> values, std::size_t from, std::uint64_t tag) = 0;
  /// A request that is done may not be asked for again.
  virtual bool is_done(Request request) = 0;
  /// Sleeps until a transfer is done.
  virtual void wait() = 0;

  /// Replaces `values` by those of rank `from`.
  virtual void broadcast(std::span<float> values, std::size_t from) = 0;
};

}  // namespace edgewise::train
