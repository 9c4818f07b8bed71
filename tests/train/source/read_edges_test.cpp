#include "edgewise/train/source/read_edges.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;

TEST_CASE("numeric edge features are scaled as in training", "[train][read_edges]") {
  test::FriendFiles files;
  files.write("friends.csv", "source,target,since,kind\na,b,1990,x\nb,c,2000,y\nc,a,2010,x\n");
  files.write("people.csv", "id,age,buys\na,30,yes\nb,40,no\nc,50,yes\n");
  files.config.data.edge_features = {"kind", "since"};
  const train::Dataset trained = train::read_dataset(files.config.data, {});
  const Matrix& features = trained.graph.edges().features;
  REQUIRE(features.cols() == 3);
  CHECK(features(0, 2) == Approx(-1.2247).epsilon(0.01));
  CHECK(features(1, 2) == Approx(0).margin(0.01));
  CHECK(features.leftCols(2).sum() == 3);  // categories stay 0 and 1
  files.write("friends.csv", "source,target,since,kind\na,b,2010,x\n");
  train::LoadOptions of_model;
  of_model.known_task = "classification";
  const train::Dataset other = train::read_dataset(trained.reading, of_model);
  CHECK(other.graph.edges().features(0, 2) == features(2, 2));
}
