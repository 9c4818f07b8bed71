#include "edgewise/train/use/freeze.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"
#include "train/notes.hpp"

using namespace edgewise;

TEST_CASE("more edges than have numbers are taken if these do not matter", "[train][freeze]") {
  constexpr std::uint64_t kMost = 4'294'967'295;
  train::DataConfig config;
  config.edges = "follows.csv";
  CHECK_NOTHROW(train::check_edges_in_passes(config, kMost + 1, false));
  CHECK_NOTHROW(train::check_edges_in_passes(config, kMost, true));
  CHECK_THROWS_WITH(train::check_edges_in_passes(config, kMost + 1, true),
                    Catch::StartsWith("follows.csv: expected at most 4294967295 edges"));
  config.duplicates = train::Duplicates::refuse;
  CHECK_THROWS_AS(train::check_edges_in_passes(config, kMost + 1, false), DataError);
}

TEST_CASE("the parts of a frozen network are held as asked, beside it unless told where", "[train][freeze]") {
  const test::FriendFiles files;
  const std::string path = files.path("net.edgewise");
  train::freeze_data({.config = files.config, .out = path, .parts = 2}, test::ignore_note);
  train::DataConfig config;
  config.frozen = path;
  CHECK(train::read_dataset(config).parts.folder == files.directory.path().string());
  config.memory = "1K";
  const train::PartHolding given{.memory = 5, .folder = "elsewhere"};
  const train::Dataset data = train::read_dataset(config, {.parts = given});
  CHECK(data.parts.folder == "elsewhere");
  CHECK(data.parts.memory == 1024);
}
