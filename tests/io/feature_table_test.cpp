#include "edgewise/io/feature_table.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using io::read_sparse_features;
using test::Files;

TEST_CASE("sparse features from rows", "[io][feature_table]") {
  const Files files;
  const auto counted = read_sparse_features(files.write_gzip(
      "a.csv.gz", "# nodes=4 features=5 nnz=3\nnode,feature,value\n2,4,0.5\n0,1,1\n2,0,-2\n"));
  REQUIRE(counted.matrix.rows() == 4);
  REQUIRE(counted.matrix.cols() == 5);
  CHECK(counted.matrix.nonZeros() == 3);
  CHECK(counted.matrix.isCompressed());
  CHECK(counted.matrix.coeff(2, 4) == 0.5f);
  CHECK(counted.matrix.coeff(2, 0) == -2.0f);
  CHECK(counted.matrix.coeff(0, 1) == 1.0f);
  CHECK(counted.names[3] == "3");

  const auto plain = read_sparse_features(files.write("b.csv", "bob,2\r\nada,0\r\n"));
  CHECK(plain.names[0] == "bob");
  CHECK(plain.matrix.rows() == 2);
  CHECK(plain.matrix.cols() == 3);
  CHECK(plain.matrix.coeff(1, 0) == 1.0f);

  graph::NodeNames known;
  for (const char* name : {"ada", "cid", "bob"}) known.add(name);
  const auto ordered = read_sparse_features(files.write("c.csv", "value,node,feature\n3,bob,1\n"),
                                            {.known_nodes = &known, .features = 4});
  CHECK(ordered.matrix.rows() == 3);
  CHECK(ordered.matrix.cols() == 4);
  CHECK(ordered.matrix.coeff(2, 1) == 3.0f);
  CHECK_THROWS_WITH(
      read_sparse_features(files.write("d.csv", "node,feature,value\neve,1,1\n"), {.known_nodes = &known}),
      Contains("d.csv:2: unknown node \"eve\""));
}

TEST_CASE("sparse features of nodes whose names begin like comments", "[io][feature_table]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_sparse_features(files.write("f.csv", text)); };
  const auto tags = read("# of tags\nnode,feature,value\n#t0,1,2\nt2,0,1\n%t,0,1\n");
  REQUIRE(tags.names.size() == 3);
  CHECK(tags.names[0] == "#t0");
  CHECK(tags.matrix.coeff(0, 1) == 2);
  CHECK(read("#feature\tnode\n1\tt0\n0\t#t1\n").names[1] == "#t1");
  CHECK_THROWS_WITH(read("#t0,1,2\nt2,0,1\n"), Contains("f.csv:1: a comment that looks like a row"));
  CHECK_THROWS_WITH(read("t2,0,1\n# the end\n"), Contains("f.csv:2: expected 3 fields"));
}

TEST_CASE("sparse features refuse hostile rows", "[io][feature_table]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_sparse_features(files.write("bad.csv", text)); };
  CHECK_THROWS_WITH(read(""), Contains("bad.csv: holds no rows"));
  CHECK_THROWS_WITH(read("node\n1\n"), Contains("bad.csv:1: expected the columns"));
  CHECK_THROWS_WITH(read("node,feature,value\n1,x,1\n"), Contains("bad.csv:2: column \"feature\""));
  CHECK_THROWS_WITH(read("node,feature,value\n1,-1,1\n"), Contains("bad.csv:2: column \"feature\""));
  CHECK_THROWS_WITH(read("node,feature,value\n1,1,nan\n"), Contains("bad.csv:2: column \"value\""));
  CHECK_THROWS_WITH(read("node,feature,value\n1,1,1\n2,1,1\n1,1,2\n"),
                    Contains("bad.csv:4: node \"1\" has a value for feature 1 in line 2 already"));
  CHECK_THROWS_WITH(read("node,feature,value\n1,99999999999,1\n"), Contains("out of range"));
  CHECK_THROWS_WITH(read("node,feature,value\n,1,1\n"), Contains("expected a node"));
  CHECK_THROWS_WITH(read("# nodes=2 features=2 nnz=1\nnode,feature,value\n2,1,1\n"),
                    Contains("bad.csv:3: unknown node"));
  CHECK_THROWS_WITH(read("# nodes=2 features=2 nnz=1\nnode,feature,value\n1,2,1\n"), Contains("bad.csv:3: feature 2"));
  CHECK_THROWS_WITH(read("# nodes=2 features=2 nnz=2\nnode,feature,value\n1,1,1\n"), Contains("says nnz=2"));
  CHECK_THROWS_WITH(read("# nodes=99999999999\nnode,feature,value\n"), Contains("expected at most"));
  CHECK(read("# nodes=2 features=3 nnz=0\nnode,feature,value\n").matrix.rows() == 2);
}

TEST_CASE("features of the public data sets have their counts", "[io][feature_table][data]") {
  const struct {
    const char* folder;
    int nodes;
    int features;
    int nonzeros;
  } rows[] = {{"cora", 2708, 1433, 49216},
              {"citeseer", 3327, 3703, 105165},
              {"pubmed", 19717, 500, 988031},
              {"hetero-minesweeper", 10000, 7, -1},
              {"hetero-tolokers", 11758, 10, 61101},
              {"hetero-chameleon_filtered", 890, 2325, -1},
              {"hetero-squirrel_filtered", 2223, 2089, -1}};
  for (const auto& set : rows) {
    const auto folder = test::dataset(set.folder);
    if (!folder) continue;
    CAPTURE(set.folder);
    const auto features = read_sparse_features(*folder + "/features.csv.gz");
    CHECK(features.matrix.rows() == set.nodes);
    CHECK(features.matrix.cols() == set.features);
    if (set.nonzeros >= 0) CHECK(features.matrix.nonZeros() == set.nonzeros);
  }
}
