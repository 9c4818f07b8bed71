#include "edgewise/core/atomic_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
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

TEST_CASE("a file that cannot be written is an error", "[core][atomic_file]") {
  CHECK_THROWS_AS(write_file_atomically("/nowhere/out.txt", [](std::ostream&) {}), DataError);
  CHECK_THROWS_AS(check_writable("/nowhere/out.txt"), DataError);
  CHECK_THROWS_AS(check_writable("/"), DataError);
  CHECK_NOTHROW(check_writable("out.txt"));
}

TEST_CASE("anything but a regular file is refused and left unchanged", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string pipe = directory.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::filesystem::create_symlink("/dev/null", directory.path() / "null");
  for (const std::string& path : {std::string("/dev/null"), pipe, directory.path("null"), directory.path().string(),
                                  directory.path().string() + "/", std::string()}) {
    INFO(path);
    CHECK_THROWS_AS(check_writable(path), DataError);
    CHECK_THROWS_AS(write_file_atomically(path, [](std::ostream& out) { out << "x"; }), DataError);
  }
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(std::filesystem::is_symlink(directory.path() / "null"));
}

TEST_CASE("the file behind an open descriptor is not replaced", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const int open = ::open(directory.write("kept", "x").c_str(), O_RDONLY);
  const std::string link = (directory.path() / "link").string();
  std::filesystem::create_symlink("/proc/self/fd/" + std::to_string(open), link);
  CHECK_THROWS_WITH(check_writable(link), Catch::Contains("link: is an open file of a process"));
  ::close(open);
}

TEST_CASE("symbolic links are followed, and the mode is kept", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory.path() / "store");
  directory.write("store/old.txt", "old");
  REQUIRE(::chmod(directory.path("store/old.txt").c_str(), 0640) == 0);
  std::filesystem::create_symlink("store/old.txt", directory.path() / "middle");
  std::filesystem::create_symlink("middle", directory.path() / "link");
  std::filesystem::create_symlink("store/new.txt", directory.path() / "dangling");
  std::filesystem::create_symlink("round", directory.path() / "round");
  for (const char* name : {"link", "dangling"}) {
    write_file_atomically(directory.path(name), [](std::ostream& out) { out << "new"; });
    CHECK(std::filesystem::is_symlink(directory.path() / name));
  }
  CHECK(content(directory.path() / "store/old.txt") == "new");
  CHECK(content(directory.path() / "store/new.txt") == "new");
  struct stat status {};
  REQUIRE(::stat(directory.path("store/old.txt").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
  CHECK_THROWS_AS(write_file_atomically(directory.path("round"), [](std::ostream&) {}), DataError);
}

TEST_CASE("temporary files of killed processes are removed, those in use are not", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string stale = directory.write(".out.txt.0123456789abcdef.edgewise-tmp", "half");
  const std::string used = directory.write(".out.txt.fedcba9876543210.edgewise-tmp", "half");
  const std::string other = directory.write(".other.txt.0123456789abcdef.edgewise-tmp", "half");
  const std::string users = directory.write(".out.txt.notes.edgewise-tmp", "mine");
  const std::string planted = directory.path(".out.txt.0000000000000000.edgewise-tmp");
  std::filesystem::create_symlink(directory.write("precious", "precious"), planted);
  const int descriptor = ::open(used.c_str(), O_RDONLY);
  REQUIRE(::flock(descriptor, LOCK_EX) == 0);
  write_file_atomically(directory.path("out.txt"), [](std::ostream& out) { out << "whole"; });
  ::close(descriptor);
  CHECK(content(directory.path("out.txt")) == "whole");
  CHECK_FALSE(std::filesystem::exists(stale));
  CHECK(std::filesystem::exists(used));
  CHECK(std::filesystem::exists(other));
  CHECK(std::filesystem::exists(users));
  CHECK(content(directory.path("precious")) == "precious");
}

TEST_CASE("writing that is interrupted leaves the old file and nothing else", "[core][atomic_file][observer]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("out.txt", "old");
  int flushes = 0;
  {
    const Observed observed({.is_over = [&] { return ++flushes > 3; }});
    CHECK_THROWS_AS(write_file_atomically(path, [](std::ostream& out) {
                      for (int i = 0; i < 1'000'000; ++i) out << "line " << i << '\n';
                    }),
                    Interrupted);
  }
  CHECK(flushes == 4);
  CHECK(content(path) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
}

TEST_CASE("no thread writes while writing is held", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.write("out.txt", "old");
  auto held = hold_writing();
  std::thread writer([&] { write_file_atomically(path, [](std::ostream& out) { out << "new"; }); });
  CHECK(content(path) == "old");
  held.unlock();
  writer.join();
  CHECK(content(path) == "new");
}

TEST_CASE("a file name of maximum length can be written", "[core][atomic_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path(std::string(255, 'n'));
  write_file_atomically(path, [](std::ostream& out) { out << "whole"; });
  CHECK(content(path) == "whole");
}
