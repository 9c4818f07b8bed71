#include "edgewise/data/detail/metis_parts.hpp"

#ifdef EDGEWISE_HAS_METIS
#include <metis.h>

#include <algorithm>
#include <limits>

#include "edgewise/graph/ordering.hpp"
#endif

namespace edgewise::data::detail {

#ifdef EDGEWISE_HAS_METIS

std::optional<std::vector<std::uint32_t>> metis_parts(const graph::FrozenGraph& graph, std::size_t parts) {
  constexpr std::size_t kFewestRows = 64;  // of a part: METIS prints complaints about fewer
  if (graph.destination_count() < kFewestRows * parts) return std::nullopt;
  const graph::Csr neighbours = graph::neighbours(graph);
  if (neighbours.slots() > static_cast<std::size_t>(std::numeric_limits<idx_t>::max())) return std::nullopt;
  idx_t nodes = static_cast<idx_t>(neighbours.rows()), constraints = 1, count = static_cast<idx_t>(parts), cut = 0;
  std::vector<idx_t> offsets(neighbours.offsets.begin(), neighbours.offsets.end());
  std::vector<idx_t> columns(neighbours.columns.begin(), neighbours.columns.end());
  std::vector<idx_t> work, part(neighbours.rows());
  for (std::size_t row = 0; row < neighbours.rows(); ++row)
    work.push_back(static_cast<idx_t>(graph.incoming.row(row).size() + 4));
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 0;
  if (METIS_PartGraphKway(&nodes, &constraints, offsets.data(), columns.data(), work.data(), nullptr, nullptr, &count,
                          nullptr, nullptr, options, &cut, part.data()) != METIS_OK)
    return std::nullopt;
  std::vector<std::uint32_t> result(part.begin(), part.end());
  std::vector<bool> has_nodes(parts, false);
  for (const std::uint32_t one : result) has_nodes[one] = true;
  if (std::ranges::count(has_nodes, false) > 0) return std::nullopt;
  return result;
}

#else

std::optional<std::vector<std::uint32_t>> metis_parts(const graph::FrozenGraph&, std::size_t) { return std::nullopt; }

#endif

}  // namespace edgewise::data::detail
