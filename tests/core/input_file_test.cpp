#include "edgewise/core/input_file.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <filesystem>
#include <iterator>
#include <thread>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

std::string contents(const std::string& path) {
  std::ifstream in = open_file(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A named pipe into which `text` is written once.
class Fifo {
 public:
  Fifo(const test::Files& files, std::string text) : path_(files.path("pipe")) {
    ::mkfifo(path_.c_str(), 0600);
    writer_ = std::thread([this, text = std::move(text)] { std::ofstream(path_) << text; });
  }
  ~Fifo() { writer_.join(); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::thread writer_;
};

}  // namespace

TEST_CASE("a pipe is read as often as a file while there are copies", "[core][input_file]") {
  const test::Files files;
  const std::string text(100'000, 'x');
  const Fifo fifo(files, text + "\n");
  const CopiesOfPipes copies;
  CHECK(contents(fifo.path()) == text + "\n");
  {
    const CopiesOfPipes inner;
    CHECK(contents(fifo.path()).size() == text.size() + 1);
  }
  CHECK(contents(fifo.path()).size() == text.size() + 1);
  CHECK(is_regular_file(path_to_open(fifo.path())));
  const std::string file = files.write("a.txt", "a");
  CHECK(path_to_open(file) == file);
}

TEST_CASE("the copy of a pipe ends with the copies", "[core][input_file]") {
  const test::Files files;
  std::string copy;
  {
    const Fifo fifo(files, "first");
    const CopiesOfPipes copies;
    CHECK(contents(fifo.path()) == "first");
    copy = path_to_open(fifo.path());
    CHECK(is_there(copy));
  }
  CHECK_FALSE(is_there(copy));
  std::filesystem::remove(files.path("pipe"));
  const Fifo again(files, "second");
  const CopiesOfPipes copies;
  CHECK(contents(again.path()) == "second");
}

TEST_CASE("files that cannot be read are named", "[core][input_file]") {
  const test::Files files;
  const CopiesOfPipes copies;
  CHECK_THROWS_WITH(open_file(files.path("missing")), Contains("missing: cannot be read: No such file"));
  CHECK_THROWS_WITH(open_file(files.path("")), Contains("is a directory"));
}
