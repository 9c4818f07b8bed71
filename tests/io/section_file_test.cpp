#include "edgewise/io/section_file.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise::io {
namespace {

using Catch::Matchers::Contains;

std::string write_two_sections(const test::TemporaryDirectory& folder) {
  const std::string path = folder.path("two.edgewise");
  SectionWriter writer(path, {"numbers", "letters"});
  writer.add("letters", std::vector<char>(5000, 'x'));
  writer.add("numbers", std::vector<std::uint32_t>{1, 2, 3});
  writer.finish();
  return path;
}

void check_refused(const std::string& path, const std::string& what) {
  const auto read = [&] {
    const SectionFile file(path);
    file.bytes("letters");
    file.bytes("numbers");
  };
  CHECK_THROWS_WITH(read(), Contains(path) && Contains(what));
}

TEST_CASE("sections are read as they were written", "[io][section_file]") {
  const test::TemporaryDirectory folder;
  const SectionFile file(write_two_sections(folder));
  const auto numbers = file.list<std::uint32_t>("numbers");
  CHECK(std::vector<std::uint32_t>(numbers.begin(), numbers.end()) == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(file.text("letters") == std::string(5000, 'x'));
  CHECK(!file.has("others"));
  CHECK_THROWS_AS(file.bytes("others"), DataError);
  CHECK_THROWS_AS(file.list<std::uint64_t>("numbers"), DataError);  // 12 bytes
}

TEST_CASE("a file that is cut short or changed is refused with the section", "[io][section_file]") {
  const test::TemporaryDirectory folder;
  const std::string path = write_two_sections(folder);
  const auto size = std::filesystem::file_size(path);
  SECTION("cut in the last section") {
    std::filesystem::resize_file(path, size - 1);
    check_refused(path, "the section \"numbers\" is cut short");
  }
  SECTION("cut in the first section") {
    std::filesystem::resize_file(path, 4096 + 4999);
    check_refused(path, "is cut short");
  }
  SECTION("cut in the table") {
    std::filesystem::resize_file(path, 60);
    check_refused(path, "the section \"table\" is cut short");
  }
  SECTION("cut in the header") {
    std::filesystem::resize_file(path, 10);
    check_refused(path, "is no frozen network");
  }
  const auto flip = [&](std::streamoff place) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(place);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(place);
    file.put(byte);
  };
  SECTION("changed in a section") {
    flip(4096 + 17);
    check_refused(path, "the section \"letters\" was changed");
  }
  SECTION("changed in the table") {
    flip(30);
    check_refused(path, "the section \"table\" was changed");
  }
  SECTION("another version") {
    flip(8);
    check_refused(path, "version");
  }
}

TEST_CASE("what is not finished leaves nothing behind", "[io][section_file]") {
  const test::TemporaryDirectory folder;
  {
    SectionWriter writer(folder.path("some.edgewise"), {"a", "b"});
    writer.add("a", std::vector<char>{'x'});
    CHECK_THROWS_AS(writer.finish(), UsageError);
    CHECK_THROWS_AS(writer.add("a", std::vector<char>{}), UsageError);
    CHECK_THROWS_AS(writer.add("c", std::vector<char>{}), UsageError);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("what a killed process left is removed, and the mode is kept", "[io][section_file]") {
  const test::TemporaryDirectory folder;
  folder.write(".two.edgewise.0123456789abcdef.edgewise-tmp", "half");
  std::filesystem::permissions(folder.write("two.edgewise", "old"), std::filesystem::perms::owner_read |
                                                                       std::filesystem::perms::owner_write);
  const std::string path = write_two_sections(folder);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  CHECK(std::filesystem::status(path).permissions() ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(SectionFile(path).has("letters"));
}

}  // namespace
}  // namespace edgewise::io
