#include "edgewise/graph/node_names.hpp"

#include <catch2/catch.hpp>

#include <string>

using namespace edgewise::graph;

TEST_CASE("names get dense indices in order of appearance", "[graph][node_names]") {
  NodeNames names;
  CHECK_FALSE(names.find("ada"));
  CHECK(names.add("ada") == 0);
  CHECK(names.add("Grace") == 1);
  CHECK(names.add("ada") == 0);
  CHECK(names.add("") == 2);
  CHECK(names.size() == 3);
  CHECK(names[1] == "Grace");
  CHECK(names.find("") == Node{2});
  CHECK_FALSE(names.find("grace"));
}

TEST_CASE("many names can all be found", "[graph][node_names]") {
  NodeNames names;
  for (int i = 0; i < 20000; ++i) names.add(std::to_string(i * 7919));
  for (int i = 0; i < 20000; ++i) REQUIRE(names.find(std::to_string(i * 7919)) == static_cast<Node>(i));
  CHECK(NodeNames::numbered(12)[11] == "11");
}

TEST_CASE("names are found and added by their hash", "[graph][node_names]") {
  NodeNames names;
  const std::size_t ada = NodeNames::hash_of("ada");
  for (const auto prefetch : {&NodeNames::prefetch_slot, &NodeNames::prefetch_start, &NodeNames::prefetch_characters})
    (names.*prefetch)(ada);  // of nothing
  CHECK_FALSE(names.find("ada", ada));
  CHECK(names.add("ada", ada) == 0);
  for (const auto prefetch : {&NodeNames::prefetch_slot, &NodeNames::prefetch_start, &NodeNames::prefetch_characters})
    (names.*prefetch)(ada);
  CHECK(names.find("ada", ada) == Node{0});
  CHECK(names.find("ada") == Node{0});
}

TEST_CASE("a copy of names does not see later changes, and neither does the original", "[graph][node_names]") {
  NodeNames names;
  names.add("ada");
  NodeNames copy = names;
  CHECK(copy[0].data() == names[0].data());  // shared
  CHECK(names.add("grace") == 1);
  CHECK(copy.size() == 1);
  CHECK_FALSE(copy.find("grace"));
  CHECK(copy.add("edsger") == 1);
  CHECK(names[1] == "grace");
  CHECK_FALSE(names.find("edsger"));
}
