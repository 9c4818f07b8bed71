#include "edgewise/train/config/input_files.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("the files of a job are named by the members that give them", "[train][input_files]") {
  const test::FriendFiles friends;
  Config config = friends.config;
  config.split.file = friends.path("split.csv");
  const std::vector<NamedFile> files = input_files(config.data, config.split);
  const auto path_of = [&](const std::string& name) {
    return std::ranges::find(files, name, &NamedFile::name)->path;
  };
  CHECK(path_of("data.edges") == config.data.edges);
  CHECK(path_of("data.nodes") == config.data.nodes);
  CHECK(path_of("split.file") == config.split.file);
  CHECK(path_of("data.graph").empty());
}

TEST_CASE("the mark of files changes with their contents and their parts, not with their paths",
          "[train][input_files]") {
  const test::FriendFiles files;
  files.write("a.csv", "id\n1\n");
  files.write("b.csv", "id\n1\n");
  files.write("c.csv", "id\n2\n");
  const auto mark = [&](const char* name, const char* file) { return fingerprint({{name, files.path(file)}}); };
  CHECK(mark("data.edges", "a.csv") == mark("data.edges", "b.csv"));
  CHECK(mark("data.edges", "a.csv") != mark("data.edges", "c.csv"));
  CHECK(mark("data.edges", "a.csv") != mark("data.nodes", "a.csv"));
  CHECK(mark("data.edges", "absent.csv") == fingerprint(std::vector<NamedFile>{}));
}
