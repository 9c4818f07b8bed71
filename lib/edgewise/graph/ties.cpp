#include "edgewise/graph/ties.hpp"

#include <algorithm>
#include <numeric>

#include "edgewise/core/check.hpp"

namespace edgewise::graph {
namespace {

enum class Ways { one, both };

void count_ties(std::span<const Node> rows, std::vector<EdgeIndex>& counts) {
  for (const Node row : rows) ++counts[row + 1];
}

void fill_ties(std::span<const Node> rows, std::span<const Node> columns, std::vector<EdgeIndex>& next, Csr& csr) {
  for (std::size_t i = 0; i < rows.size(); ++i) csr.columns[next[rows[i]]++] = columns[i];
}

/// Sorts each row, and drops loops and repeats.
void tidy_tie_rows(Csr& csr) {
  EdgeIndex kept = 0, begin = 0;
  for (std::size_t row = 0; row < csr.rows(); ++row) {
    const auto first = csr.columns.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = csr.columns.begin() + static_cast<std::ptrdiff_t>(csr.offsets[row + 1]);
    begin = csr.offsets[row + 1];
    std::sort(first, last);
    const auto end = std::remove(first, std::unique(first, last), static_cast<Node>(row));
    std::copy(first, end, csr.columns.begin() + static_cast<std::ptrdiff_t>(kept));
    kept += static_cast<EdgeIndex>(end - first);
    csr.offsets[row + 1] = kept;
  }
  csr.columns.resize(kept);
  csr.columns.shrink_to_fit();
}

Csr tie_rows(std::size_t nodes, std::span<const Node> rows, std::span<const Node> columns, Ways ways) {
  Csr csr;
  csr.offsets.assign(nodes + 1, 0);
  count_ties(rows, csr.offsets);
  if (ways == Ways::both) count_ties(columns, csr.offsets);
  std::partial_sum(csr.offsets.begin(), csr.offsets.end(), csr.offsets.begin());
  csr.columns.resize(csr.offsets.back());
  std::vector<EdgeIndex> next(csr.offsets.begin(), csr.offsets.end() - 1);
  fill_ties(rows, columns, next, csr);
  if (ways == Ways::both) fill_ties(columns, rows, next, csr);
  tidy_tie_rows(csr);
  return csr;
}

bool row_contains(std::span<const Node> row, Node node) { return std::binary_search(row.begin(), row.end(), node); }

}  // namespace

Ties::Ties(std::size_t nodes, std::span<const Node> sources, std::span<const Node> targets, Direction direction)
    : direction_(direction) {
  check_count("Ties", "targets", targets.size(), sources.size());
  check_indices("Ties", "sources", sources, nodes);
  check_indices("Ties", "targets", targets, nodes);
  neighbours_ = tie_rows(nodes, sources, targets, Ways::both);
  if (!is_directed()) return;
  targets_ = tie_rows(nodes, sources, targets, Ways::one);
  sources_ = tie_rows(nodes, targets, sources, Ways::one);
}

bool Ties::contains(Node source, Node target) const {
  const std::span<const Node> from = targets(source), to = sources(target);
  return from.size() < to.size() ? row_contains(from, target) : row_contains(to, source);
}

}  // namespace edgewise::graph
