#include "edgewise/core/random.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <numeric>
#include <set>
#include <vector>

#include "edgewise/core/detail/simd.hpp"

using namespace edgewise;

TEST_CASE("random sequences repeat and their streams differ", "[core][random]") {
  Random a(1, Stream::split), b(1, Stream::split), c(1, Stream::dropout), d(2, Stream::split);
  const std::uint64_t first = a.bits();
  CHECK(first == b.bits());
  CHECK(first != c.bits());
  CHECK(first != d.bits());
}

TEST_CASE("random numbers have the expected moments", "[core][random]") {
  Random random(5, Stream::generate);
  double sum = 0, squares = 0, uniform = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    sum += x;
    squares += x * x;
    uniform += random.uniform(2, 4);
  }
  CHECK(sum / kCount == Approx(0).margin(0.02));
  CHECK(squares / kCount == Approx(1).margin(0.02));
  CHECK(uniform / kCount == Approx(3).margin(0.01));
}

TEST_CASE("random bits are uniform in every byte, for neighbouring counters and keys", "[core][random]") {
  for (const std::uint64_t key : {0ULL, 1ULL, 0x100000000ULL, 0xfedcba9876543210ULL})
    for (int shift = 0; shift < 32; shift += 8) {
      std::array<double, 256> counts{};
      constexpr int kCount = 1 << 16;
      for (std::uint32_t i = 0; i < kCount; ++i) ++counts[(random_bits(key, i) >> shift) & 255];
      double chi_squared = 0;
      for (const double count : counts) chi_squared += (count - 256) * (count - 256) / 256;
      CHECK(chi_squared < 400);  // 255 degrees of freedom: a probability of 1e-8
    }
}

TEST_CASE("random bits are the same one by one and in vectors", "[core][random]") {
  const simd::NativeUint vector = random_bits(77, simd::count_from(1000));
  for (std::uint32_t i = 0; i < simd::kNativeLanes; ++i) CHECK(vector[i] == random_bits(77, 1000 + i));
}

TEST_CASE("shuffle permutes", "[core][random]") {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  Random random(3, Stream::shuffle);
  shuffle(std::span<int>(values), random);
  CHECK(std::set<int>(values.begin(), values.end()).size() == 100);
  CHECK(values[0] + values[1] + values[2] != 3);
}
