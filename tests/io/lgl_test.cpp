#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("lgl has a block for each node", "[io][lgl]") {
  const Files files;
  const auto file = io::read_lgl(files.write("a.lgl", "# a\nb 0.5\nc\n# b\n# d\n"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "a>b a>c");
  CHECK(file.names.size() == 4);
  CHECK(file.edges.weights == std::vector<float>{0.5F, 1});
  CHECK(io::read_lgl(files.path("a.lgl"), {.weight_attribute = "3"}).edges.weights.size() == 2);

  const auto read = [&](const std::string& text) { return io::read_lgl(files.write("bad.lgl", text)); };
  CHECK_THROWS_WITH(read("a b\n"), Contains("bad.lgl:1: expected a line \"# node\""));
  CHECK_THROWS_WITH(read("# a\nb 1 2\n"), Contains("bad.lgl:2: expected a neighbour"));
  CHECK_THROWS_WITH(read("# a\nb x\n"), Contains("bad.lgl:2: column \"weight\": expected a number"));
  CHECK_THROWS_WITH(read("#\n"), Contains("bad.lgl:1: expected one node after #"));
  CHECK_THROWS_WITH(read(""), Contains("bad.lgl: is empty"));
}

TEST_CASE("ncol is a list of edges with weights", "[io][lgl]") {
  const Files files;
  const auto file = io::read_ncol(files.write("a.ncol", "a b 2\nb c\n"));
  CHECK(test::edges_of(file.names, file.edges) == "a>b b>c");
  CHECK(file.edges.weights == std::vector<float>{2, 1});
  CHECK_THROWS_WITH(io::read_ncol(files.write("bad.ncol", "a b\na b 1 2\n")),
                    Contains("bad.ncol:2: expected two nodes"));
  CHECK_THROWS_WITH(io::read_ncol(files.write("bad.ncol", "a b heavy\n")), Contains("bad.ncol:1:"));
}
