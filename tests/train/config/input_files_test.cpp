#include "edgewise/train/config/input_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string_view>

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

TEST_CASE("whatever a member names that is read is an input", "[train][input_files]") {
  const std::set<std::string_view> other =  // no paths
      {"dataset", "edge_label", "graph_column", "grid", "sequence"};
  std::size_t files = 0;
  for (const json::Field<DataConfig>& field : data_fields()) {
    using enum json::FieldType;
    const bool is_file = field.type == file || field.type == table || field.type == tables;
    INFO(field.name);
    if (group_of(field.name) == DataGroup::source)
      CHECK((is_file || field.type == folder || other.contains(field.name)));
    if (!is_file) continue;
    ++files;
    DataConfig data;
    field.read(json::Object{{std::string(field.name), "x.csv"}}, field.name, data);
    const auto is_it = [&](const NamedFile& one) { return one.name == fmt::format("data.{}", field.name); };
    const std::vector<NamedFile> inputs = input_files(data, {});
    REQUIRE(std::ranges::count_if(inputs, is_it) == 1);
    CHECK(std::ranges::find_if(inputs, is_it)->path == "x.csv");
  }
  CHECK(files == 15);
}

TEST_CASE("the mark of files changes with their contents and their parts, not with their paths",
          "[train][input_files]") {
  const test::FriendFiles files;
  files.write("a.csv", "id\n1\n");
  files.write("b.csv", "id\n1\n");
  files.write("c.csv", "id\n2\n");
  const auto mark = [&](const char* name, const char* file) { return fingerprint_of({{name, files.path(file)}}); };
  CHECK(mark("data.edges", "a.csv") == mark("data.edges", "b.csv"));
  CHECK(mark("data.edges", "a.csv") != mark("data.edges", "c.csv"));
  CHECK(mark("data.edges", "a.csv") != mark("data.nodes", "a.csv"));
  CHECK(mark("data.edges", "absent.csv") == fingerprint_of(std::vector<NamedFile>{}));
}
