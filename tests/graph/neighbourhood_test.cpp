#include "edgewise/graph/neighbourhood.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::graph;

TEST_CASE("a neighbourhood is refused between two node sets, and of unknown nodes", "[graph][neighbourhood]") {
  const FrozenGraph between = freeze(Csr{.offsets = {0, 2, 3}, .columns = {1, 4, 0}}, 5);
  const Node seeds[] = {0};
  CHECK_THROWS_AS(neighbourhood(between, seeds, 1), UsageError);
  CHECK_THROWS_WITH(neighbourhood(between, seeds, 1),
                    "neighbourhood: expected a graph among the same nodes, got 2 destinations and 5 sources");
  const FrozenGraph single = freeze(Csr{.offsets = {0, 0}, .columns = {}}, 1);
  const Node beyond[] = {1};
  CHECK_THROWS_AS(neighbourhood(single, beyond, 1), UsageError);
  CHECK(neighbourhood(single, seeds, 1).nodes == std::vector<Node>{0});
}
