#include "edgewise/graph/hop_search.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace edgewise::graph;

TEST_CASE("a search finds nodes hop by hop, nearest first", "[graph][hop_search]") {
  // Nodes 2 -> 3 -> 4 -> 5, 2 -> 4 and 3 -> 2 of a larger graph; node 6 is alone and has a loop.
  const Csr rows{.offsets = {0, 0, 0, 2, 4, 5, 5, 6}, .columns = {3, 4, 2, 4, 5, 6}};
  HopSearch search(rows, 2, 7);
  search.start(2);
  CHECK(search.found() == std::vector<Node>{2});
  CHECK(search.grow() == 1);
  CHECK(search.found() == std::vector<Node>{2, 3, 4});
  CHECK(search.grow() == 3);
  CHECK(search.found() == std::vector<Node>{2, 3, 4, 5});
  CHECK(search.grow() == 4);
  CHECK(search.grow() == 4);
  search.start(6);
  search.grow();
  CHECK(search.found() == std::vector<Node>{6});
  search.start(3);
  search.grow();
  CHECK(search.found() == std::vector<Node>{3, 2, 4});
}
