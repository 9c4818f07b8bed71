#include "edgewise/train/inputs/feature_map.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;

TEST_CASE("the split of nodes is no feature if graphs have the labels", "[train][feature_map]") {
  const test::TemporaryDirectory folder;
  folder.write("nodes.csv", "graph,x,split\na,1,train\na,2,train\nb,3,test\nb,5,validation\n");
  folder.write("graphs.csv", "graph,size,kind\na,2,old\nb,2,new\n");
  train::DataConfig config;
  config.nodes = folder.path("nodes.csv");
  config.graphs = folder.path("graphs.csv");
  config.graph_column = "graph";
  config.label = {"kind"};
  const train::Dataset data = train::read_dataset(config);
  const data::Split split(data.items().size(), data::Role::train);
  CHECK(train::FeatureMap::fit(data, {}, split).columns() == 1);
  train::SplitConfig by_size;
  by_size.column = "size";
  CHECK(train::FeatureMap::fit(data, by_size, split).columns() == 1);
}
