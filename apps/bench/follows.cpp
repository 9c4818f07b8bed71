// Writes a directed network of any size to standard output as it is drawn, in no memory: who follows whom, or the
// users.
//
//   bench_follows users NODES DEGREE LABELLED > users.csv
//   bench_follows edges NODES DEGREE > follows.csv

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "edgewise/core/random.hpp"

namespace {

constexpr std::uint64_t kSeed = 7;
constexpr std::uint64_t kCommunity = 1000;  // users
constexpr double kWithin = 0.7;             // share of those followed in the own community
constexpr std::size_t kBlock = 1 << 20;     // bytes of text written at a time

/// Users of a community have neighbouring places. Their numbers are far apart: those of the places, times a factor.
class Users {
 public:
  explicit Users(std::uint64_t count) : count_(count), factor_(count * 0.618) {
    while (std::gcd(factor_, count_) != 1) ++factor_;
    // Extended Euclid: place_factor_ * factor_ = 1 modulo count_.
    auto a = static_cast<std::int64_t>(factor_), b = static_cast<std::int64_t>(count_), x = std::int64_t{1},
         y = std::int64_t{0};
    while (b != 0) {
      const std::int64_t q = a / b;
      std::swap(a -= q * b, b);
      std::swap(x -= q * y, y);
    }
    const auto all = static_cast<std::int64_t>(count_);
    place_factor_ = static_cast<std::uint64_t>((x % all + all) % all);
  }
  std::uint64_t number(std::uint64_t place) const { return times(place, factor_); }
  std::uint64_t place(std::uint64_t number) const { return times(number, place_factor_); }
  /// In bad company six of ten are bots, elsewhere one.
  bool is_bot(std::uint64_t number) const {
    edgewise::Random community(kSeed, edgewise::Stream::generate, 1, place(number) / kCommunity);
    edgewise::Random user(kSeed, edgewise::Stream::generate, 2, number);
    return user.uniform() < (community.uniform() < 0.3 ? 0.6 : 0.1);
  }
  /// Whom someone in a place follows: in the community anyone, elsewhere some more often than others.
  std::uint64_t followed(std::uint64_t place, edgewise::Random& random) const {
    const std::uint64_t first = place / kCommunity * kCommunity, size = std::min(kCommunity, count_ - first);
    if (random.uniform() < kWithin) return number(first + random.below(size));
    const double r = random.uniform();
    return number(static_cast<std::uint64_t>(r * r * static_cast<double>(count_)));
  }

 private:
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return a * b % count_;  // below 2^64, as there are at most 2^32 users
  }
  std::uint64_t count_, factor_, place_factor_ = 0;
};

class Output {
 public:
  ~Output() { flush(); }
  template <class... Arguments>
  void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    if (text_.size() > kBlock) flush();
  }
  void write_edge(std::uint64_t source, std::uint64_t target) {
    const fmt::format_int a(source), b(target);
    text_.append(a.data(), a.size()).append(1, ',').append(b.data(), b.size()).append(1, '\n');
    if (text_.size() > kBlock) flush();
  }

 private:
  void flush() {
    if (std::fwrite(text_.data(), 1, text_.size(), stdout) != text_.size()) std::exit(3);
    text_.clear();
  }
  std::string text_;
};

void write_users(const Users& users, std::uint64_t count, std::uint64_t labelled) {
  Output out;
  out.write("id,posts,age,links,bot\n");
  for (std::uint64_t user = 0; user < count; ++user) {
    edgewise::Random random(kSeed, edgewise::Stream::generate, 3, user);
    const bool is_bot = users.is_bot(user), is_known = random.below(count) < labelled;
    const double shift = is_bot ? 0.7 : 0;
    out.write("{},{:.2f},{:.2f},{:.2f},{}\n", user, random.normal() + shift, random.normal() - shift,
              random.normal() + shift / 2,
              !is_known ? ""
              : is_bot  ? "yes"
                        : "no");
  }
}

void write_edges(const Users& users, std::uint64_t count, std::uint64_t degree) {
  Output out;
  out.write("source,target\n");
  for (std::uint64_t user = 0; user < count; ++user) {
    edgewise::Random random(kSeed, edgewise::Stream::generate, 4, user);
    const std::uint64_t place = users.place(user);
    for (std::uint64_t i = 0; i < degree; ++i) out.write_edge(user, users.followed(place, random));
  }
}

}  // namespace

int main(int count, char** given) {
  const std::string_view what = count > 1 ? given[1] : "";
  const auto number = [&](int i) { return count > i ? std::strtoull(given[i], nullptr, 10) : 0; };
  if ((what != "users" && what != "edges") || number(2) < 2 || number(3) < 1) {
    fmt::print(stderr, "usage: bench_follows users NODES DEGREE LABELLED | bench_follows edges NODES DEGREE\n");
    return 2;
  }
  const Users users(number(2));
  if (what == "users")
    write_users(users, number(2), number(4));
  else
    write_edges(users, number(2), number(3));
}
