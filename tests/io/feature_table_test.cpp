#include "edgewise/io/feature_table.hpp"

#include <fmt/format.h>

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

namespace {

graph::NodeNames names_of_nodes() {
  graph::NodeNames known;
  for (const char* name : {"1", "2", "3"}) known.add(name);
  return known;
}

/// The rows of a dense table; "sparse" for another.
std::string dense_rows(const io::FeatureTable& table) {
  if (table.sparse) return "sparse";
  std::string text;
  for (const io::Column& column : table.columns) {
    text += column.name + ":";
    for (const float number : column.numbers) text += fmt::format(" {}", number);
    text += "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("a dense table of features", "[io][feature_table]") {
  const Files files;
  const graph::NodeNames known = names_of_nodes();
  const auto read = [&](std::string_view text) {
    return dense_rows(io::read_feature_table(files.write("f.csv", text), {.known_nodes = &known}));
  };
  const std::string three = "feature 1: 5 8 2; feature 2: 6 9 3; feature 3: 7 10 4; ";
  CHECK(read("1 5 6 7\n3 2 3 4\n2 8 9 10\n") == three);
  CHECK(read("1,5,6,7\n3,2,3,4\n2,8,9,10\n") == three);
  CHECK(read("3 3\n1 5 6 7\n3 2 3 4 \n2 8 9 10\n") == three);  // as word2vec writes it
  CHECK(read("x\ty\tnode\tz\n5\t6\t1\t7\n2\t3\t3\t4\n8\t9\t2\t10\n") == "x: 5 8 2; y: 6 9 3; z: 7 10 4; ");
  CHECK(read(",0,1,2\n1,5,6,7\n3,2,3,4\n2,8,9,10\n") == "0: 5 8 2; 1: 6 9 3; 2: 7 10 4; ");
  CHECK(read("#node,a,b,c\n1,5,6,7\n3,2,3,4\n2,8,9,10\n") == "a: 5 8 2; b: 6 9 3; c: 7 10 4; ");
  CHECK(read("node,x1,x2\n1,0.5,1\n2,1,2\n") == "x1: 0.5 1 nan; x2: 1 2 nan; ");
  CHECK(read("node,x1,x2\n1,5,1\n2,1,2\n3,7,3\n") == "x1: 5 1 7; x2: 1 2 3; ");  // whole numbers, a row per node
  CHECK(read("1,0.5,1\n2,NA,2\n3,4,3\n") == "feature 1: 0.5 nan 4; feature 2: 1 2 3; ");
  CHECK(read("id,age\n1,30\n2,40\n") == "age: 30 40 nan; ");
  CHECK(read("1 -0.5\n2 1\n") == "feature 1: -0.5 1 nan; ");
  const auto packed = io::read_feature_table(files.write_gzip("g.csv.gz", "1,5,6,7\n3,2,3,4\n2,8,9,10\n"),
                                             {.known_nodes = &known});
  CHECK(dense_rows(packed) == three);
  CHECK(packed.without_row == 0);
}

TEST_CASE("a sparse table of features is told from a dense one", "[io][feature_table]") {
  const Files files;
  const graph::NodeNames known = names_of_nodes();
  const auto read = [&](std::string_view text, std::uint32_t features = 0) {
    const auto table =
        io::read_feature_table(files.write("f.csv", text), {.known_nodes = &known, .features = features});
    return dense_rows(table);
  };
  CHECK(read("node,feature,value\n1,0,1\n") == "sparse");
  CHECK(read("node,feature\n1,0\n2,1\n") == "sparse");
  CHECK(read("node,feature,value,comment\n1,0,1,x\n") == "sparse");
  CHECK(read("id,word,count\n1,0,2\n2,5,1\n") == "sparse");
  CHECK(read("1,0,2\n1,5,1\n2,3,1\n") == "sparse");
  CHECK(read("1 0\n1 5\n2 3\n") == "sparse");
  CHECK(read("# nodes=3 features=9 nnz=1\n1,0,2\n") == "sparse");
  CHECK(read("1,0,2\n2,5,1\n", 9) == "sparse");
  CHECK(read("1,4,1\n2,5,1\n3,0,1\n") == "sparse");
  for (const char* text : {"1,4,1\n2,5,2\n3,0,7\n", "1 4\n2 5\n3 0\n"}) {
    INFO(text);
    CHECK_THROWS_WITH(read(text), Contains("f.csv:1: this may be a list of features (node,feature") &&
                                      Contains("say which with a header above it"));
  }
}

TEST_CASE("a dense table of features refuses what it cannot be", "[io][feature_table]") {
  const Files files;
  const graph::NodeNames known = names_of_nodes();
  const auto read = [&](std::string_view text) {
    return dense_rows(io::read_feature_table(files.write("f.csv", text), {.known_nodes = &known}));
  };
  CHECK_THROWS_WITH(
      read("0.5,6,7,8\n0.1,3,4,5\n"),
      Contains("f.csv:1: column 1: unknown node \"0.5\": each row of a table of features gives the node"));
  CHECK_THROWS_WITH(read("1,5,6,7\n1,2,3,4\n"), Contains("f.csv:2: node \"1\" is in line 1 already"));
  CHECK_THROWS_WITH(read("1,5,6,7\n2,2,x,4\n"),
                    Contains("f.csv:2: column \"feature 2\": expected a number, got \"x\""));
  CHECK_THROWS_WITH(read("0,1,2,3\n0.5,0.25,1,2\n"), Contains("f.csv:1: this line counts the columns"));
  CHECK_THROWS_WITH(read("4 3\n1 5 6 7\n3 2 3 4\n"), Contains("f.csv: says that it has 4 rows, but holds 2"));
  CHECK_THROWS_WITH(read("1,5,6,7\n2,2,3\n"), Contains("f.csv:2: expected 4 fields"));
  CHECK_THROWS_WITH(read("node,a,b,c\n"), Contains("f.csv: holds no rows"));
}
