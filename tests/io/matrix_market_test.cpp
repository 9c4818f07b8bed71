#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("a general matrix is a directed graph with all its rows", "[io][matrix_market]") {
  const Files files;
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n% row 4 is empty\n\n4 4 3\n1 2 0.5\n3 1 -1e0\n2  2\t7\n";
  for (const std::string& path : {files.write("a.mtx", text), files.write_gzip("a.mtx.gz", text)}) {
    for (const char* weight : {"", "3", "weight"}) {
      const auto file = io::read_matrix_market(path, {.weight_attribute = weight});
      CHECK(file.direction == graph::Direction::directed);
      CHECK(file.names.size() == 4);
      CHECK(test::edges_of(file.names, file.edges) == "1>2 3>1 2>2");
      CHECK(file.edges.weights == std::vector<float>{0.5F, -1, 7});
      CHECK(file.nodes.columns.empty());
    }
  }
}

TEST_CASE("a symmetric pattern is an undirected graph without weights", "[io][matrix_market]") {
  const Files files;
  const auto file = io::read_matrix_market(
      files.write("a.mtx", "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n3 3 2\n2 1\n3 3\n"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "2>1 3>3");
  CHECK(file.edges.weights.empty());
  CHECK(io::read_matrix_market(files.write("b.mtx", "%%MatrixMarket matrix coordinate integer general\n0 0 0\n"))
            .names.size() == 0);
}

TEST_CASE("matrix market refuses what is no graph", "[io][matrix_market]") {
  const Files files;
  const auto read = [&](const std::string& kind, const std::string& rest) {
    return io::read_matrix_market(files.write("bad.mtx", "%%MatrixMarket matrix " + kind + "\n" + rest));
  };
  const std::string real = "coordinate real general";
  CHECK_THROWS_WITH(read("array real general", "2 2\n1\n2\n3\n4\n"), Contains("bad.mtx:1: expected a sparse matrix"));
  CHECK_THROWS_WITH(read("coordinate complex general", ""), Contains("bad.mtx:1: expected values of the kind"));
  CHECK_THROWS_WITH(read("coordinate real skew-symmetric", ""), Contains("expected a general or symmetric matrix"));
  CHECK_THROWS_WITH(read("coordinate real hermitian", ""), Contains("expected a general or symmetric matrix"));
  CHECK_THROWS_WITH(read(real, "2 3 0\n"), Contains("bad.mtx:2: expected a square matrix"));
  CHECK_THROWS_WITH(read(real, "2 2 1\n1 3 1\n"), Contains("bad.mtx:3: expected a column from 1 to 2, got \"3\""));
  CHECK_THROWS_WITH(read(real, "2 2 1\n0 1 1\n"), Contains("bad.mtx:3: expected a row from 1 to 2"));
  CHECK_THROWS_WITH(read(real, "2 2 1\n1 2\n"), Contains("bad.mtx:3: expected a row, a column and a value"));
  CHECK_THROWS_WITH(read(real, "2 2 1\n1 2 x\n"), Contains("bad.mtx:3: column \"value\": expected a number"));
  CHECK_THROWS_WITH(read(real, "2 2 1\n1 2 nan\n"), Contains("bad.mtx:3:"));
  CHECK_THROWS_WITH(read(real, "2 2 2\n1 2 1\n"), Contains("bad.mtx:2: states 2 entries, but there are 1"));
  CHECK_THROWS_WITH(read(real, "2 2 1\n1 2 1\n2 1 1\n"), Contains("bad.mtx:4: more than the 1 entry"));
  CHECK_THROWS_WITH(read(real, "4000000000 4000000000 0\n"), Contains("bad.mtx:2: 4000000000 nodes, more than"));
  CHECK_THROWS_WITH(read(real, "300000 300000 0\n"), Contains("raise the limits"));
  CHECK(read(real, "250000 250000 0\n").names.size() == 250'000);
  CHECK_THROWS_WITH(read(real, ""), Contains("ends before the size"));
  for (const char* size : {"2 2\n", "a b c\n", "-1 -1 0\n", "2 2 0 0\n", "99999999999999999999 1 1\n"})
    CHECK_THROWS_AS(read(real, size), DataError);
  CHECK_THROWS_WITH(io::read_matrix_market(files.write("bad.mtx", "1 2\n")), Contains("bad.mtx:1: expected the line"));
  CHECK_THROWS_AS(io::read_matrix_market(files.write("bad.mtx", "")), DataError);
  CHECK_THROWS_AS(io::read_matrix_market(files.path("missing.mtx")), DataError);
}
