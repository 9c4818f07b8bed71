#include "edgewise/graph/forward_mask.hpp"

#include <catch2/catch.hpp>

#include "support/chorded_ring.hpp"

using namespace edgewise;

TEST_CASE("a forward mask is the frozen graph without its transpose", "[graph][forward_mask]") {
  const graph::FrozenGraph both = graph::freeze(test::chorded_ring());
  const graph::FrozenGraph mask = graph::forward_mask(both.incoming, both.source_count());
  CHECK(mask.incoming.offsets == both.incoming.offsets);
  CHECK(mask.incoming.columns == both.incoming.columns);
  CHECK(mask.incoming_chunks == both.incoming_chunks);
  CHECK(mask.source_count() == both.source_count());
  CHECK(mask.columns_ascend);
  CHECK(mask.edge.size() == both.slot_count());
  CHECK(mask.outgoing.slots() == 0);
  CHECK(mask.bytes() < both.bytes());
}
