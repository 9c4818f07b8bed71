#include "edgewise/io/similar_node.hpp"

#include <catch2/catch.hpp>

using namespace edgewise;
using io::similar_node_hint;

TEST_CASE("nodes that differ only in how their name is written are hinted at", "[io][similar_node]") {
  graph::NodeNames names;
  for (const char* name : {"7", "0", "100000", "Ada", "2.0", "12345678901234567", "New York"}) names.add(name);
  for (const char* seven : {"07", "7.0", "+7", "7e0", " 7", "7 ", "7.00"})
    CHECK(similar_node_hint(names, seven) == "; there is a node \"7\"");
  CHECK(similar_node_hint(names, "0.0") == "; there is a node \"0\"");
  CHECK(similar_node_hint(names, "-0") == "; there is a node \"0\"");
  CHECK(similar_node_hint(names, "1e+05") == "; there is a node \"100000\"");
  CHECK(similar_node_hint(names, "2") == "; there is a node \"2.0\"");
  CHECK(similar_node_hint(names, "ADA") == "; there is a node \"Ada\"");
  CHECK(similar_node_hint(names, " new york") == "; there is a node \"New York\"");
  for (const char* other : {"8", "7.5", "", " ", "Adam", "12345678901234568", "1e999"})
    CHECK(similar_node_hint(names, other).empty());
}
