#include "edgewise/core/detail/simd.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace edgewise;

TEST_CASE("vector exp and log are within a few units in the last place", "[core][simd]") {
  for (double x = -87.2; x < 88; x += 0.0371) {
    const float argument = static_cast<float>(x);
    CHECK(simd::exp(simd::broadcast(argument))[3] == Approx(std::exp(static_cast<double>(argument))).epsilon(4e-7));
    CHECK(simd::exp(simd::Float16{} + argument)[13] == simd::exp(simd::broadcast(argument))[3]);
  }
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    const float argument = static_cast<float>(x);
    CHECK(simd::log(simd::broadcast(argument))[5] ==
          Approx(std::log(static_cast<double>(argument))).epsilon(4e-7).margin(1e-7));
  }
  CHECK(simd::exp(simd::broadcast(-std::numeric_limits<float>::infinity()))[0] < 2e-38F);
  CHECK(simd::exp(simd::broadcast(0.0F))[0] == 1.0F);
  CHECK(std::isnan(simd::exp(simd::broadcast(std::numeric_limits<float>::quiet_NaN()))[0]));
  CHECK(simd::log(simd::broadcast(1.0F))[0] == 0.0F);
}

TEST_CASE("partial loads and stores touch only the given lanes", "[core][simd]") {
  for (int count = 1; count <= 8; ++count) {
    float from[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    float to[8] = {};
    const simd::Float8 value = simd::load(from, count);
    simd::store(to, value + 10.0F, count);
    for (int i = 0; i < 8; ++i) {
      CHECK(value[i] == (i < count ? from[i] : 0.0F));
      CHECK(to[i] == (i < count ? from[i] + 10 : 0.0F));
    }
  }
}

TEST_CASE("lane sums add up each of eight vectors", "[core][simd]") {
  simd::Float8 vectors[8];
  for (int v = 0; v < 8; ++v)
    for (int lane = 0; lane < 8; ++lane) vectors[v][lane] = static_cast<float>(v * 100 + lane * lane);
  const simd::Float8 sums = simd::lane_sums(vectors);
  for (int v = 0; v < 8; ++v) CHECK(sums[v] == static_cast<float>(v * 800 + 140));
}

TEST_CASE("lane sums add up each of sixteen vectors", "[core][simd]") {
  simd::Float16 vectors[16];
  for (int v = 0; v < 16; ++v)
    for (int lane = 0; lane < 16; ++lane) vectors[v][lane] = static_cast<float>(v * 100 + lane * lane);
  const simd::Float16 sums = simd::lane_sums(vectors);
  for (int v = 0; v < 16; ++v) CHECK(sums[v] == static_cast<float>(v * 1600 + 1240));
}

TEST_CASE("lanes are selected by the bits of a word", "[core][simd]") {
  using namespace simd;
  float ascending[kNativeLanes], found[kNativeLanes] = {};
  for (int lane = 0; lane < kNativeLanes; ++lane) ascending[lane] = static_cast<float>(lane + 1);
  const Native value = load_as<Native>(ascending);
  for (std::uint32_t kept : {0U, 1U, 0x5aU, 0xa5U, 0xffU}) {
    store_as(found, keep(value, kept));
    for (int lane = 0; lane < kNativeLanes; ++lane)
      CHECK(found[lane] == ((kept >> lane & 1) != 0 ? ascending[lane] : 0));
    store_as(found, compress(value, kept));
    int count = 0;
    for (int lane = 0; lane < kNativeLanes; ++lane)
      if ((kept >> lane & 1) != 0) CHECK(found[count++] == ascending[lane]);
    store_as(found, expand(value, kept));
    for (int lane = 0, place = 0; lane < kNativeLanes; ++lane)
      CHECK(found[lane] == ((kept >> lane & 1) != 0 ? ascending[place++] : 0));
    store_as(found, add_product_where(NativeUint{} + kept, NativeUint{} + 8U, value, value, value));
    for (int lane = 0; lane < kNativeLanes; ++lane)
      CHECK(found[lane] == ascending[lane] * ((kept & 8) != 0 ? ascending[lane] + 1 : 1));
  }
  CHECK(lanes_at_least(count_from(0xfffffff0U), 0xfffffff3U) == ((1U << kNativeLanes) - 1 - 7));
  const Native first = load_first(ascending, 3);
  CHECK(first[2] == 3);
  CHECK(first[3] == 0);
  std::fill_n(found, kNativeLanes, 9.0F);
  store_first(found, first, 2);
  CHECK(found[1] == 2);
  CHECK(found[2] == 9);
}
