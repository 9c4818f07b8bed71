#include "edgewise/io/graph_formats.hpp"

#include <catch2/catch.hpp>

#include "io/files.hpp"
#include "io/graphs.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Files;

TEST_CASE("networkx writes the attributes of edges as dictionaries", "[io][python_edge_list]") {
  const Files files;
  const auto file = io::read_python_edge_list(files.write("a.edgelist", R"(# made by networkx
a b {'weight': 4, 'time': 1.5, 'kind': "it's"}
b c {'weight': nan, 'time': -2, 'kind': 'say \'}\'', 'tags': ['x', {'y': ')'}], 'none': None, 'new': True}
c a {'time': 3}
)"));
  CHECK(file.direction == graph::Direction::undirected);
  CHECK(test::edges_of(file.names, file.edges) == "a>b b>c c>a");
  CHECK(file.edges.weights == std::vector<float>{4, 1, 1});
  CHECK(file.edges.feature_names == std::vector<std::string>{"time"});
  CHECK(file.unused_attributes == std::vector<std::string>{"tags"});
  const auto kinds = io::read_python_edge_list(files.path("a.edgelist"), {.edge_features = {"kind", "new"}});
  CHECK(kinds.edges.feature_names == std::vector<std::string>{"kind = it's", "kind = say '}'", "new = true"});

  for (const char* bad : {"a b", "a b {", "a b {'x'}", "a b {'x': 1", "a b {'x': 1} c", "a b {'x: 1}", "a b 3",
                          "a b {'x': [1}", "a b {1: 2}", "a b {'x': 'y\\", "a b {'x': '", "a b {'x':"}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH(io::read_python_edge_list(files.write("bad.edgelist", std::string("a b {}\n") + bad)),
                      Contains("bad.edgelist:2: expected"));
  }
  for (const char* good : {"1 2 {}", "1 2 {'weight': 4}\r", "a b {\"it's\": 1} "}) CHECK(io::is_python_edge(good));
  for (const char* other : {"", "1 2", "1 2 3 {}", "1 2 {x}", "{'a': 1}", "a {'x': 1}", "a,b,{}", "a b{}"})
    CHECK_FALSE(io::is_python_edge(other));
}
