#include "edgewise/train/run/run_model.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;

TEST_CASE("a part of the split with only one class is noted", "[train][run_model]") {
  test::FriendFiles files;
  files.write("people.csv",
              "id,x,buys,split\np0,1,yes,train\np1,2,no,train\np2,3,yes,val\np3,4,no,test\np4,5,no,test\n");
  files.write("friends.csv", "source,target\np0,p2\np1,p3\n");
  files.config.training.epochs = 1;
  const train::Run run = train::run_model(files.config, train::read_dataset(files.config.data), 0);
  REQUIRE(run.notes.size() >= 2);
  CHECK(run.notes[0] == "the validation part has 1 item of only one class, \"yes\"");
  CHECK(run.notes[1] == "the test part has 2 items of only one class, \"no\"");
}
