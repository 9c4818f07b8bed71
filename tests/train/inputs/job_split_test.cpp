#include "edgewise/train/inputs/job_split.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/source/job_data.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;

TEST_CASE("splits are taken from every source", "[train][job_split]") {
  test::FriendFiles files;
  files.write("people.csv",
              "id,x,buys,split\np0,1,yes,train\np1,2,no,train\np2,3,yes,val\np3,4,no,test\np4,5,yes,none\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\n");
  const train::JobData data = train::load_job_data(files.config.data);
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
  absent.kind = "given";
  absent.index = 3;
  CHECK_THROWS_AS(train::make_split(data, absent, 0, 0), UsageError);
}

TEST_CASE("a seed of the split gives all runs the same one", "[train][job_split]") {
  const test::FriendFiles files;
  const train::JobData data = train::load_job_data(files.config.data);
  CHECK(train::make_split(data, {}, 0, 0) != train::make_split(data, {}, 1, 1));
  train::SplitConfig seeded;
  seeded.seed = 4;
  CHECK(train::make_split(data, seeded, 0, 0) == train::make_split(data, seeded, 1, 1));
}

TEST_CASE("shares count only where a split is drawn by them", "[train][job_split]") {
  const test::FriendFiles files;
  const train::JobData drawn = train::load_job_data(files.config.data);
  train::JobData given = drawn;
  given.splits.push_back(train::make_split(drawn, {}, 0, 0));
  train::SplitConfig config;
  CHECK(train::is_drawn_by_shares(drawn, config));
  CHECK(!train::is_drawn_by_shares(given, config));
  CHECK(train::has_given_split(given, config));
  config.kind = "random";
  CHECK(train::is_drawn_by_shares(given, config));
  CHECK(!train::takes_given_split(given, config));
  for (const char* kind : {"k_fold", "per_class", "given"}) {
    config.kind = kind;
    CHECK(!train::is_drawn_by_shares(drawn, config));
  }
  config.kind = "auto";
  config.file = "split.csv";
  CHECK(train::takes_given_split(drawn, config));
}
