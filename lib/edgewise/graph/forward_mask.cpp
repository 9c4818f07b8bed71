#include "edgewise/graph/forward_mask.hpp"

#include <numeric>
#include <utility>

#include "edgewise/graph/detail/finish_graph.hpp"

namespace edgewise::graph {

FrozenGraph forward_mask(Csr incoming, std::size_t source_count) {
  FrozenGraph mask;
  mask.incoming = std::move(incoming);
  mask.outgoing.offsets.assign(source_count + 1, 0);
  mask.edge.resize(mask.incoming.slots());
  std::iota(mask.edge.begin(), mask.edge.end(), StoredEdge{0});
  mask.columns_ascend = detail::columns_ascend(mask.incoming);
  mask.incoming_chunks = balanced_chunks(mask.incoming.offsets);
  mask.outgoing_chunks = balanced_chunks(mask.outgoing.offsets);
  return mask;
}

}  // namespace edgewise::graph
