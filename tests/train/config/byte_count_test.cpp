#include "edgewise/train/config/byte_count.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using train::bytes_of_size;

TEST_CASE("a size is a number and a unit", "[train][byte_count]") {
  CHECK(bytes_of_size("--memory", "1K") == 1024);
  CHECK(bytes_of_size("--memory", "512M") == std::uint64_t{512} << 20);
  CHECK(bytes_of_size("--memory", "4G") == std::uint64_t{4} << 30);
  CHECK(bytes_of_size("--memory", "1.5T") == std::uint64_t{3} << 39);
  for (const char* text : {"", "4", "G", "4 G", "-1G", "0G", "nanG", "infG", "1e400G", "4GB", "4g"}) {
    INFO(text);
    CHECK_THROWS_WITH(bytes_of_size("data.memory", text),
                      Catch::Contains("data.memory: expected a size such as 512M or 4G, got \""));
  }
}
