#pragma once

#include <barrier>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>
#include <vector>

#include "edgewise/train/loop/ranks.hpp"

namespace edgewise::test {

/// What goes between ranks that are threads of one process.
class PostOffice {
 public:
  explicit PostOffice(std::size_t count) : count(count), barrier_(static_cast<std::ptrdiff_t>(count)) {}

  using Address = std::tuple<std::size_t, std::size_t, std::uint64_t>;  // from, to, tag
  void post(const Address& address, std::span<const float> values) {
    const std::lock_guard lock(mutex_);
    letters_[address].emplace_back(values.begin(), values.end());
  }
  bool fetch(const Address& address, std::span<float> values) {
    const std::lock_guard lock(mutex_);
    std::deque<std::vector<float>>& letters = letters_[address];
    if (letters.empty()) return false;
    std::ranges::copy(letters.front(), values.begin());
    letters.pop_front();
    return true;
  }
  void share(std::span<float> values, bool is_source) {
    if (is_source) shared_.assign(values.begin(), values.end());
    barrier_.arrive_and_wait();
    std::ranges::copy(shared_, values.begin());
    barrier_.arrive_and_wait();
  }
  const std::size_t count;

 private:
  std::mutex mutex_;
  std::map<Address, std::deque<std::vector<float>>> letters_;
  std::barrier<> barrier_;
  std::vector<float> shared_;
};

/// A rank that is a thread.
class ThreadRank final : public train::Ranks {
 public:
  ThreadRank(PostOffice& office, std::size_t index) : office_(office), index_(index) {}

  std::size_t index() const override { return index_; }
  std::size_t count() const override { return office_.count; }
  Request send(std::span<const float> values, std::size_t to, std::uint64_t tag) override {
    office_.post({index_, to, tag}, values);
    return next_++;
  }
  Request receive(std::span<float> values, std::size_t from, std::uint64_t tag) override {
    awaited_.emplace(next_, Awaited{{from, index_, tag}, values});
    return next_++;
  }
  bool is_done(Request request) override {
    const auto found = awaited_.find(request);
    if (found == awaited_.end()) return true;
    if (!office_.fetch(found->second.address, found->second.values)) return false;
    awaited_.erase(found);
    return true;
  }
  void wait() override { std::this_thread::yield(); }
  void broadcast(std::span<float> values, std::size_t from) override { office_.share(values, from == index_); }

 private:
  struct Awaited {
    PostOffice::Address address;
    std::span<float> values;
  };
  PostOffice& office_;
  std::size_t index_;
  Request next_ = 0;
  std::map<Request, Awaited> awaited_;
};

/// Runs `work` on so many ranks at once.
inline void run_on_ranks(std::size_t count, const std::function<void(train::Ranks&)>& work) {
  PostOffice office(count);
  std::vector<std::jthread> threads;
  for (std::size_t rank = 0; rank < count; ++rank)
    threads.emplace_back([&office, &work, rank] {
      ThreadRank ranks(office, rank);
      work(ranks);
    });
}

}  // namespace edgewise::test
