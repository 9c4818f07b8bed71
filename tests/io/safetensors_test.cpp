#include "edgewise/io/safetensors.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

/// A temporary directory.
struct Directory {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("edgewise-safetensors-" + std::to_string(::getpid()));
  Directory() { std::filesystem::create_directories(path); }
  ~Directory() { std::filesystem::remove_all(path); }
};

/// Reads a file made of `header`, preceded by its true length unless given, and `data_bytes` zeros.
io::Safetensors read_made(const std::string& header, std::size_t data_bytes, std::int64_t length = -1) {
  const Directory directory;
  const std::string path = (directory.path / "x.safetensors").string();
  const std::uint64_t written = length < 0 ? header.size() : static_cast<std::uint64_t>(length);
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&written), 8);
  out << header << std::string(data_bytes, '\0');
  out.close();
  return io::read_safetensors(path);
}

void check_refused(const std::string& header, std::size_t data_bytes, const std::string& message) {
  CAPTURE(header);
  CHECK_THROWS_AS(read_made(header, data_bytes), ModelError);
  CHECK_THROWS_WITH(read_made(header, data_bytes), Contains(message) && !Contains("\n"));
}

}  // namespace

TEST_CASE("a tensor of a matrix has its rows one after another", "[io][safetensors]") {
  Matrix matrix(2, 3);
  matrix << 1, 2, 3, 4, 5, 6;
  const io::Tensor tensor = io::to_tensor("weight", matrix);
  CHECK(tensor.name == "weight");
  CHECK(tensor.shape == std::vector<std::int64_t>{2, 3});
  CHECK(tensor.values == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("safetensors are read back as written", "[io][safetensors]") {
  const Directory directory;
  const std::string path = (directory.path / "x.safetensors").string();
  io::Safetensors content;
  content.metadata = {{"config", R"({"a": "ö\n"})"}, {"empty", ""}};
  content.tensors = {{"b", {2, 3}, {1, 2, 3, 4, 5, std::numeric_limits<float>::infinity()}},
                     {"a", {}, {std::numeric_limits<float>::quiet_NaN()}},
                     {"none", {0, 7}, {}}};
  io::write_safetensors(path, content);
  const io::Safetensors read = io::read_safetensors(path);
  CHECK(read.metadata == content.metadata);
  REQUIRE(read.tensors.size() == 3);
  CHECK(read.tensors[0].values == content.tensors[0].values);
  CHECK(read.tensors[0].shape == content.tensors[0].shape);
  CHECK(std::isnan(read.find("a")->values.at(0)));
  CHECK(read.find("none")->values.empty());
  CHECK(read.find("missing") == nullptr);
  CHECK(*read.find_metadata("empty") == "");
  CHECK(read.find_metadata("missing") == nullptr);
}

TEST_CASE("a changed byte of safetensors is noticed", "[io][safetensors]") {
  const Directory directory;
  const std::string path = (directory.path / "x.safetensors").string();
  io::write_safetensors(path, {.tensors = {{"a", {2}, {1, 2}}}, .metadata = {{"width", "16"}}});
  const std::string good = test::slurp(path);
  const auto check_changed = [&](std::size_t place, char byte) {
    std::string bad = good;
    bad[place] = byte;
    std::ofstream(path, std::ios::binary) << bad;
    CHECK_THROWS_WITH(io::read_safetensors(path), Contains("x.safetensors: is damaged: its contents do not match"));
  };
  check_changed(good.size() - 2, 'A');
  check_changed(good.find("16"), '9');
  check_changed(good.find("width"), 'W');
}

TEST_CASE("safetensors are not written if they could not be read", "[io][safetensors]") {
  const Directory directory;
  const std::string path = (directory.path / "x.safetensors").string();
  const auto check = [&](const io::Safetensors& content, const std::string& message) {
    CHECK_THROWS_AS(io::write_safetensors(path, content), ModelError);
    CHECK_THROWS_WITH(io::write_safetensors(path, content), Contains(message));
    CHECK_FALSE(std::filesystem::exists(path));
  };
  check({.tensors = {{"a", {}, {1}}, {"a", {}, {2}}}, .metadata = {}}, "a second time");
  check({.tensors = {{"__metadata__", {}, {1}}}, .metadata = {}}, "a second time");
  check({.tensors = {{"a\xff", {}, {1}}}, .metadata = {}}, "x.safetensors");
  check({.tensors = {{"a", {2}, {1}}}, .metadata = {}}, "its shape takes 8 bytes");
  check({.tensors = {{"a", {-1}, {1}}}, .metadata = {}}, "at least 0");
  check({.tensors = {}, .metadata = {{"a", "x"}, {"a", "y"}}}, "a second time");
  check({.tensors = {}, .metadata = {{"a", std::string(100'000'000, 'x')}}}, "at most 100000000 are possible");
}

TEST_CASE("safetensors reads files of other programs", "[io][safetensors]") {
  CHECK(read_made("{}", 0).tensors.empty());
  const auto read = read_made(
      R"({"x":{"data_offsets":[4,8],"dtype":"F32","shape":[1]},"y":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )",
      8);
  CHECK(read.tensors.size() == 2);
  CHECK(read.metadata.empty());
}

TEST_CASE("safetensors refuses a hostile header", "[io][safetensors]") {
  const auto tensor = [](const std::string& shape, const std::string& offsets) {
    return R"({"x":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  check_refused("", 0, "not a JSON object");
  check_refused("[]", 0, "not a JSON object");
  check_refused("{\"x\":", 0, "x.safetensors");
  check_refused("{\"x\":{}}", 0, "\"dtype\" is missing");
  check_refused("{\"x\":3}", 0, "expected an object");
  check_refused(R"({"x":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", 4, "expected dtype F32, got F16");
  check_refused(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}})", 4, "unknown member");
  check_refused(tensor("[2]", "[0,4]"), 4, "its shape takes 8 bytes");
  check_refused(tensor("[1.5]", "[0,4]"), 4, "expected an integer");
  check_refused(tensor("[-1]", "[0,4]"), 4, "at least 0");
  check_refused(tensor("[4294967296,4294967296]", "[0,0]"), 0, "larger than any file");
  check_refused(tensor("[9223372036854775807,2]", "[0,4]"), 4, "larger than any file");
  check_refused(tensor("[1000]", "[0,4000]"), 4, "ends at byte 4000 of 4");
  check_refused(tensor("[1]", "[4,0]"), 4, "are not a range");
  check_refused(tensor("[1]", "[-4,0]"), 4, "are not a range");
  check_refused(tensor("[1]", "[4,8]"), 8, "neither overlap nor leave gaps");
  check_refused(tensor("[1]", "[0]"), 4, "two data_offsets");
  check_refused(tensor("[1]", "[0,4]"), 9, "5 bytes after the last tensor");
  check_refused(
      R"({"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"y":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      8, "neither overlap nor leave gaps");
  check_refused(
      R"({"x":{"dtype":"F32","shape":[],"data_offsets":[0,4]},"x":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4,
      "a second time");
  check_refused(R"({"__metadata__":{"a":1}})", 0, "expected a string");
  check_refused(std::string(R"({"x)") + '\xff' + R"(":1})", 0, "x.safetensors");
}

TEST_CASE("safetensors refuses a header longer than the file", "[io][safetensors]") {
  CHECK_THROWS_AS(read_made("{}", 0, 3), ModelError);
  CHECK_THROWS_AS(read_made("{}", 0, std::numeric_limits<std::int64_t>::max()), ModelError);
  const Directory directory;
  const std::string path = (directory.path / "short").string();
  std::ofstream(path) << "1234567";
  CHECK_THROWS_WITH(io::read_safetensors(path), Contains("7 bytes long"));
  std::ofstream(path, std::ios::trunc).close();
  CHECK_THROWS_AS(io::read_safetensors(path), ModelError);
  CHECK_THROWS_AS(io::read_safetensors((directory.path / "missing").string()), DataError);
}
