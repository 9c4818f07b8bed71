#include "edgewise/core/atomic_file.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;

namespace {

std::string content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("a file is replaced whole or not at all", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::filesystem::path path = directory.path() / "out.txt";
  write_file_atomically(path.string(), [](std::ostream& out) { out << "first"; });
  CHECK(content(path) == "first");
  CHECK_THROWS_AS(write_file_atomically(path.string(),
                                        [](std::ostream& out) {
                                          out << "half";
                                          throw std::runtime_error("stop");
                                        }),
                  std::runtime_error);
  CHECK(content(path) == "first");
  write_file_atomically(path.string(), [](std::ostream& out) { out << "second"; });
  CHECK(content(path) == "second");
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("a file that cannot be written says so", "[core][atomic_file]") {
  CHECK_THROWS_AS(write_file_atomically("/nowhere/out.txt", [](std::ostream&) {}), DataError);
  CHECK_THROWS_AS(check_writable("/nowhere/out.txt"), DataError);
  CHECK_THROWS_AS(check_writable("/"), DataError);
  CHECK_NOTHROW(check_writable("out.txt"));
}
