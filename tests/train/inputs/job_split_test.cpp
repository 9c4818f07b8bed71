#include "edgewise/train/inputs/job_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/source/excluded_columns.hpp"
#include "edgewise/train/targets/targets.hpp"
#include "support/temporary_directory.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;

TEST_CASE("splits are taken from every source", "[train][job_split]") {
  test::FriendFiles files;
  files.write("people.csv",
              "id,x,buys,split\np0,1,yes,train\np1,2,no,train\np2,3,yes,val\np3,4,no,test\np4,5,yes,none\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\n");
  const train::Dataset data = train::read_dataset(files.config.data);
  using enum data::Role;
  const data::Split expected = {data::Role::train, data::Role::train, validation, test, none};
  CHECK(train::make_split(data, {}, 0, 0) == expected);
  // The split is never a feature.
  CHECK(train::FeatureMap::fit(data, {}, expected).columns() == 1);
  files.write("split.csv", "node,split\np0,test\np1,train\np3,validation\n");
  train::SplitConfig given;
  given.file = files.path("split.csv");
  CHECK(train::make_split(data, given, 0, 0) == data::Split{test, data::Role::train, none, validation, none});
  train::SplitConfig absent;
  absent.kind = train::SplitKind::given;
  absent.index = 3;
  CHECK_THROWS_AS(train::make_split(data, absent, 0, 0), UsageError);
}

TEST_CASE("a split is given or drawn, not both", "[train][job_split]") {
  test::FriendFiles files;
  const train::Dataset data = train::read_dataset(files.config.data);
  train::SplitConfig split;
  split.kind = train::SplitKind::random;
  CHECK_NOTHROW(train::check_runs(data, split, 1));
  split.file = "split.csv";
  CHECK_THROWS_WITH(train::check_runs(data, split, 1),
                    "split.file: gives the split, but \"random\" (split.kind) draws one: leave out one of the two");
}

TEST_CASE("training items validate where a given split has no others for that", "[train][job_split]") {
  test::FriendFiles files;
  std::string people = "id,x,buys,split\n", friends = "source,target\n";
  for (int i = 0; i < 40; ++i) {
    people += fmt::format("p{},{},{},{}\n", i, i % 7, i % 3 ? "yes" : "no", i < 30 ? "Training set" : "Test set");
    friends += fmt::format("p{},p{}\n", i, (i + 1) % 40);
  }
  files.write("people.csv", people);
  files.write("friends.csv", friends);
  const train::Dataset data = train::read_dataset(files.config.data);
  train::SplitConfig config;
  std::vector<std::string> notes;
  CHECK(std::ranges::count(train::make_split(data, config, 0, 0, &notes), data::Role::train) == 30);
  CHECK(notes.empty());
  config.holdout = 0.1;
  const data::Split split = train::make_split(data, config, 0, 0, &notes);
  CHECK(std::ranges::count(split, data::Role::validation) == 3);
  CHECK(std::ranges::count(split, data::Role::train) == 27);
  CHECK(notes ==
        std::vector<std::string>{"the split has no validation part: 10 % of its training items validate "
                                 "(split.holdout=0 trains on all)"});
}

TEST_CASE("a seed of the split gives all runs the same one", "[train][job_split]") {
  const test::FriendFiles files;
  const train::Dataset data = train::read_dataset(files.config.data);
  CHECK(train::make_split(data, {}, 0, 0) != train::make_split(data, {}, 1, 1));
  train::SplitConfig seeded;
  seeded.seed = 4;
  CHECK(train::make_split(data, seeded, 0, 0) == train::make_split(data, seeded, 1, 1));
}

TEST_CASE("of many ties no more are judged than needed", "[train][job_split][links]") {
  const Eigen::Index count = GENERATE(1'000, 300'000);
  train::Dataset data;
  data.links.emplace();
  graph::NodeNames names = graph::NodeNames::numbered(static_cast<std::size_t>(count));
  data.links->names = names;
  data.links->sources.resize(static_cast<std::size_t>(count));
  data.labels = {
      .task = *train::find_task("links"), .names = {"tie"}, .classes = {}, .targets = Matrix::Ones(count, 1)};
  train::SplitConfig config;
  config.train = 0.85;
  config.validation = 0.05;
  const data::Split split = train::make_split(data, config, 0, 0);
  CHECK(std::ranges::count(split, data::Role::validation) == count / 20);
  CHECK(std::ranges::count(split, data::Role::test) == std::min<Eigen::Index>(count / 10, 20'000));
  CHECK(std::ranges::count(split, data::Role::none) == 0);
  const std::vector<std::string> notes = train::split_notes(data, config);
  CHECK(notes.empty() == (count == 1'000));
}

TEST_CASE("shares count only where a split is drawn by them", "[train][job_split]") {
  const test::FriendFiles files;
  const train::Dataset drawn = train::read_dataset(files.config.data);
  train::Dataset given = drawn;
  given.splits.push_back(train::make_split(drawn, {}, 0, 0));
  train::SplitConfig config;
  CHECK(train::is_drawn_by_shares(drawn, config));
  CHECK(!train::is_drawn_by_shares(given, config));
  CHECK(train::has_given_split(given, config));
  config.kind = train::SplitKind::random;
  CHECK(train::is_drawn_by_shares(given, config));
  CHECK(!train::takes_given_split(given, config));
  for (const train::SplitKind kind : {train::SplitKind::k_fold, train::SplitKind::per_class, train::SplitKind::given}) {
    config.kind = kind;
    CHECK(!train::is_drawn_by_shares(drawn, config));
  }
  config.kind = train::SplitKind::automatic;
  config.file = "split.csv";
  CHECK(train::takes_given_split(drawn, config));
}

namespace {

constexpr int kPatients = 12;

/// Molecules: carbon chains of different lengths, of twelve patients, the last of them without a name or a date.
train::Dataset visits(const train::SplitConfig& split, const test::TemporaryDirectory& folder) {
  std::string rows = "smiles,patient,date,y\n", chain;
  for (int row = 0; row < 60; ++row) {
    chain += "C";
    const bool is_unknown = row == 59;
    rows += chain +
            (is_unknown ? ",,,"
                        : ",0" + std::to_string(row % kPatients) + ",20" + std::to_string(10 + row / 4) + "-05-01,") +
            std::to_string(row * 0.37) + "\n";
  }
  train::DataConfig config;
  config.molecules = folder.write("visits.csv", rows);
  config.label = {"y"};
  return train::read_dataset(config, train::load_options_for(split));
}

}  // namespace

TEST_CASE("no group is in two parts of a split", "[train][job_split]") {
  const test::TemporaryDirectory folder;
  train::SplitConfig config;
  config.group = "patient";
  const train::Dataset data = visits(config, folder);
  for (const train::SplitKind kind : {train::SplitKind::automatic, train::SplitKind::random, train::SplitKind::k_fold})
    for (const double keep : {1.0, 0.5}) {
      config.kind = kind;
      config.folds = 4;
      config.keep = keep;
      const data::Split split = train::make_split(data, config, 3, 0);
      for (std::size_t row = kPatients; row < 59; ++row) CHECK(split[row] == split[row - kPatients]);
      for (const data::Role role : {data::Role::train, data::Role::validation, data::Role::test})
        CHECK(std::ranges::count(split, role) > 0);
    }
  CHECK(train::split_notes(data, config) ==
        std::vector<std::string>{"1 of 60 items have no group in \"patient\" and are each a group of their own"});
  config.group = "doctor";
  CHECK_THROWS_WITH(train::make_split(data, config, 3, 0), Catch::Matchers::Contains("doctor"));
}

TEST_CASE("a split by time trains on the past", "[train][job_split]") {
  const test::TemporaryDirectory folder;
  train::SplitConfig config;
  config.time = "date";
  const train::Dataset data = visits(config, folder);
  const data::Split split = train::make_split(data, config, 3, 0);
  CHECK(split == train::make_split(data, config, 4, 1));
  CHECK(std::is_sorted(split.begin(), split.begin() + 59));  // train, validation, test
  for (std::size_t row = 0; row + 4 < 59; row += 4) CHECK(split[row] == split[row + 3]);
  CHECK(split[59] == data::Role::none);
  CHECK(train::split_notes(data, config) ==
        std::vector<std::string>{"1 of 60 items have no time in \"date\" and are in no part"});
}

TEST_CASE("groups and times of nodes are not features", "[train][job_split]") {
  test::FriendFiles files;
  files.write("people.csv",
              "id,x,buys,team,year\np0,1,yes,a,1\np1,2,no,a,2\np2,3,yes,b,3\np3,4,no,b,4\np4,5,yes,c,5\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\n");
  for (const char* member : {"group", "time"}) {
    train::SplitConfig config;
    (std::string(member) == "group" ? config.group : config.time) = std::string(member) == "group" ? "team" : "year";
    const train::Dataset data = train::read_dataset(files.config.data, train::load_options_for(config));
    const data::Split split = train::make_split(data, config, 0, 0);
    const std::vector<std::string> excluded = train::excluded_columns(data, config);
    CHECK(std::ranges::count(excluded, config.columns().front()) == 1);
  }
}
