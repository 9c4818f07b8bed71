#include "edgewise/core/memory.hpp"

#include <catch2/catch.hpp>

#include <cstddef>
#include <vector>

TEST_CASE("requesting large pages leaves all bytes unchanged", "[core][memory]") {
  constexpr std::size_t kMebibyte = std::size_t{1} << 20;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, 3 * kMebibyte, 9 * kMebibyte + 5}) {
    std::vector<char> bytes(size, 'x');
    for (const std::size_t start : {std::size_t{0}, size / 3}) {
      edgewise::request_large_pages(bytes.data() + start, size - start);
      CHECK(bytes == std::vector<char>(size, 'x'));
    }
  }
}

TEST_CASE("the peak resident size includes the memory that was touched", "[core][memory]") {
  const double before = edgewise::peak_rss_mib();
  const std::vector<char> bytes(std::size_t{64} << 20, 'x');
  CHECK(edgewise::peak_rss_mib() >= before);
  CHECK(edgewise::peak_rss_mib() >= 64);
  CHECK(bytes.back() == 'x');
}
