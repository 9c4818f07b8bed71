#include "edgewise/core/spill_file.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <string>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise {
namespace {

TEST_CASE("a temporary file gives back what was appended, and has no name", "[core][spill_file]") {
  const test::TemporaryDirectory folder;
  SpillFile file(folder.path().string());
  CHECK(file.append("one", 3) == 0);
  CHECK(file.append("two", 3) == 3);
  std::string text(3, ' ');
  file.request(3, 3);
  file.read(3, text.data(), 3);
  CHECK(text == "two");
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("mapped pages return with their values after they were given back", "[core][spill_file]") {
  const test::TemporaryDirectory folder;
  SpillFile file(folder.path().string());
  file.append("x", 1);
  std::byte* first = file.map(10'000);
  std::byte* second = file.map(5);
  file.claim(first, 10'000);
  file.claim(second, 5);
  std::memset(first, 7, 10'000);
  std::memset(second, 9, 5);
  give_back_pages(first, 10'000);
  give_back_pages(second, 5);
  request_pages(first, 10'000);
  CHECK(std::all_of(first, first + 10'000, [](std::byte value) { return value == std::byte{7}; }));
  CHECK(second[4] == std::byte{9});
}

TEST_CASE("mapped bytes take space between claim and drop", "[core][spill_file]") {
  const test::TemporaryDirectory folder;
  SpillFile file(folder.path().string());
  file.append("x", 1);
  std::byte* data = file.map(3 * 4096);
  CHECK(file.peak_bytes() == 1);
  file.claim(data, 4096);
  file.claim(data + 4096, 2 * 4096);
  std::memset(data, 7, 3 * 4096);
  CHECK(file.peak_bytes() == 1 + 3 * 4096);
  file.drop(data + 4096, 4096);
  CHECK(data[4095] == std::byte{7});
  CHECK(data[2 * 4096] == std::byte{7});
  file.claim(data + 4096, 4096);
  std::memset(data + 4096, 8, 4096);
  CHECK(data[4096] == std::byte{8});
  CHECK(file.peak_bytes() == 1 + 3 * 4096);
}

TEST_CASE("a temporary file names the folder where it cannot be", "[core][spill_file]") {
  CHECK_THROWS_WITH(SpillFile("/nowhere"),
                    "/nowhere: a temporary file cannot be created: No such file or directory");
  const test::TemporaryDirectory folder;
  SpillFile file(folder.path().string());
  CHECK_THROWS_AS(file.map(std::size_t{1} << 55), DataError);  // more than a file can have
}

}  // namespace
}  // namespace edgewise
