#include "edgewise/core/random.hpp"

#include <cmath>
#include <numbers>

namespace edgewise {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;

std::uint64_t split_mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t random_key(std::uint64_t seed, Stream stream, std::uint64_t a, std::uint64_t b) {
  std::uint64_t key = split_mix(seed + kGolden);
  key = split_mix(key + kGolden * (static_cast<std::uint64_t>(stream) + 1));
  key = split_mix(key + kGolden * (a + 1));
  return split_mix(key + kGolden * (b + 1));
}

std::uint64_t Random::bits() { return split_mix(key_ + kGolden * ++position_); }

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }

std::uint64_t Random::below(std::uint64_t bound) {
  // Lemire 2019, without the rejection step: the bias is below bound / 2^64.
  return static_cast<std::uint64_t>((static_cast<Wide>(bits()) * bound) >> 64);
}

double Random::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

}  // namespace edgewise
