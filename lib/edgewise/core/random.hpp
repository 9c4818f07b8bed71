#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace edgewise {

/// A purpose of random numbers. Each has its own stream, so that changing one does not affect the others.
enum class Stream : std::uint32_t { initialise, dropout, split, shuffle, generate };

/// Keyed hash of a counter to 32 uniform bits: Wellons' `triple32` permutation (bias 0.02) with the key added before
/// and after. Vectorises; element i can be drawn without the ones before it.
/// `Counter` is std::uint32_t or a vector of them (simd::NativeUint).
template <class Counter>
Counter random_bits(std::uint64_t key, Counter counter) {
  Counter x = counter + static_cast<std::uint32_t>(key);
  x ^= x >> 17;
  x *= 0xed5ad4bbU;
  x ^= x >> 11;
  x *= 0xac4c1b51U;
  x ^= x >> 15;
  x += static_cast<std::uint32_t>(key >> 32);
  x *= 0x31848babU;
  x ^= x >> 14;
  return x;
}

/// A key for `random_bits` from a seed, a stream and two numbers of the caller's (step, layer), well mixed.
std::uint64_t random_key(std::uint64_t seed, Stream stream, std::uint64_t a = 0, std::uint64_t b = 0);

/// The threshold of dropout: element i is kept if `random_bits(key, i) >= threshold`.
inline std::uint32_t dropout_threshold(float probability) {
  return static_cast<std::uint32_t>(static_cast<double>(probability) * 4294967296.0);
}

/// A sequence of random numbers: SplitMix64 over a counter, so the whole state is (key, position).
class Random {
 public:
  Random(std::uint64_t seed, Stream stream, std::uint64_t a = 0, std::uint64_t b = 0)
      : key_(random_key(seed, stream, a, b)) {}

  std::uint64_t bits();
  /// In [0, 1).
  double uniform();
  /// In [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In [0, bound); `bound` is at least 1.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box and Muller 1958).
  double normal();

 private:
  std::uint64_t key_;
  std::uint64_t position_ = 0;
};

/// Fisher–Yates.
template <class T>
void shuffle(std::span<T> values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace edgewise
