#include "edgewise/graph/random_graphs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::graph {
namespace {

constexpr std::size_t kRowsOfStream = 512;      // rows generated from one random stream
constexpr std::size_t kDraws = 1 << 16;
/// Purposes of random numbers.
enum Draw : std::uint64_t { kUniform, kQuadrants, kPlaces, kCommunities, kMask };

void check_range(const char* what, double value, double low, double high) {
  if (!(value >= low && value <= high))
    throw UsageError(fmt::format("random graph: expected {} from {} to {}, got {}", what, low, high, value));
}

void check_size(std::size_t nodes, double edges) {
  check_range("nodes", static_cast<double>(nodes), 0, 0x1p32 - 2);
  check_range("edges", edges, 0, static_cast<double>(kMaximalArcs));
}

std::vector<Node> shuffled(std::size_t nodes, std::uint64_t seed) {
  std::vector<Node> places(nodes);
  std::iota(places.begin(), places.end(), Node{0});
  Random random(seed, Stream::generate, kPlaces);
  shuffle(std::span(places), random);
  return places;
}

void sort_unique(std::vector<Node>& row) {
  std::sort(row.begin(), row.end());
  row.erase(std::unique(row.begin(), row.end()), row.end());
}

/// Builds rows with `make_row(row, random, columns)`, which fills `columns` (cleared beforehand) in ascending order.
/// Runs of kRowsOfStream rows share a stream.
template <class MakeRow>
Csr rows_of(std::size_t nodes, std::uint64_t seed, Draw draw, const MakeRow& make_row) {
  Csr csr;
  csr.offsets.resize(nodes + 1);
  std::vector<std::vector<Node>> pieces((nodes + kRowsOfStream - 1) / kRowsOfStream);
  parallel_for(nodes, kRowsOfStream, [&](std::size_t begin, std::size_t end) {
    std::vector<Node>& piece = pieces[begin / kRowsOfStream];
    std::vector<Node> columns;
    Random random(seed, Stream::generate, draw, begin / kRowsOfStream);
    for (std::size_t row = begin; row < end; ++row) {
      columns.clear();
      make_row(static_cast<Node>(row), random, columns);
      csr.offsets[row + 1] = columns.size();
      piece.insert(piece.end(), columns.begin(), columns.end());
    }
  });
  std::partial_sum(csr.offsets.begin(), csr.offsets.end(), csr.offsets.begin());
  csr.columns.resize(csr.offsets.back());
  parallel_chunks(pieces.size(), [&](std::size_t piece) {
    std::ranges::copy(pieces[piece],
                      csr.columns.begin() + static_cast<std::ptrdiff_t>(csr.offsets[piece * kRowsOfStream]));
    std::vector<Node>().swap(pieces[piece]);
  });
  return csr;
}

/// `count` distinct nodes other than `self`, ascending. `count` is at most half of the others, so that few are drawn
/// twice.
void draw_different(std::size_t nodes, std::size_t count, Node self, Random& random, std::vector<Node>& drawn) {
  while (drawn.size() < count) {
    while (drawn.size() < count) {
      const auto node = static_cast<Node>(random.below(nodes - 1));
      drawn.push_back(node < self ? node : node + 1);
    }
    sort_unique(drawn);
  }
}

/// All nodes except `self` and those in `left_out`, which is ascending.
std::vector<Node> others(std::size_t nodes, Node self, const std::vector<Node>& left_out) {
  std::vector<Node> kept;
  auto next = left_out.begin();
  for (Node node = 0; node < nodes; ++node) {
    if (next != left_out.end() && *next == node)
      ++next;
    else if (node != self)
      kept.push_back(node);
  }
  return kept;
}

/// A cell of the 2^levels x 2^levels adjacency matrix.
std::pair<std::uint64_t, std::uint64_t> draw_cell(int levels, Random& random) {
  constexpr std::uint64_t kA = 37356, kAB = 49807, kABC = 62259;  // 0.57, 0.76, 0.95 of 2^16
  std::uint64_t row = 0, column = 0, bits = 0;
  for (int level = 0; level < levels; ++level) {
    if (level % 4 == 0) bits = random.bits();
    const std::uint64_t part = bits & 0xffff;
    bits >>= 16;
    row = 2 * row + (part >= kAB ? 1 : 0);
    column = 2 * column + ((part >= kA && part < kAB) || part >= kABC ? 1 : 0);
  }
  return {row, column};
}

/// Rows from pairs (destination, source) in any order, without the diagonal and duplicates.
Csr rows_of_pairs(std::size_t nodes, const std::vector<std::pair<Node, Node>>& pairs) {
  Csr all;
  all.offsets.assign(nodes + 1, 0);
  for (const auto& [destination, source] : pairs) ++all.offsets[destination + 1];
  std::partial_sum(all.offsets.begin(), all.offsets.end(), all.offsets.begin());
  all.columns.resize(pairs.size());
  std::vector<EdgeIndex> next(all.offsets.begin(), all.offsets.end() - 1);
  for (const auto& [destination, source] : pairs) all.columns[next[destination]++] = source;
  return rows_of(nodes, 0, kQuadrants, [&](Node row, Random&, std::vector<Node>& columns) {
    columns.assign(all.columns.begin() + static_cast<std::ptrdiff_t>(all.offsets[row]),
                   all.columns.begin() + static_cast<std::ptrdiff_t>(all.offsets[row + 1]));
    sort_unique(columns);
    std::erase(columns, row);
  });
}

}  // namespace

Csr uniform_graph(std::size_t nodes, std::size_t degree, std::uint64_t seed) {
  check_size(nodes, static_cast<double>(nodes) * static_cast<double>(degree));
  if (nodes == 0) return {};
  check_range("a degree", static_cast<double>(degree), 0, static_cast<double>(nodes - 1));
  return rows_of(nodes, seed, kUniform, [&](Node row, Random& random, std::vector<Node>& columns) {
    const bool draws_absent = degree > (nodes - 1) / 2;
    draw_different(nodes, draws_absent ? nodes - 1 - degree : degree, row, random, columns);
    if (draws_absent) columns = others(nodes, row, columns);
  });
}

Csr rmat_graph(std::size_t nodes, std::size_t edges, std::uint64_t seed) {
  check_size(nodes, static_cast<double>(edges));
  if (nodes == 0) return {};
  const int levels = std::bit_width(nodes - 1);
  const std::vector<Node> places = shuffled(nodes, seed);
  std::vector<std::pair<Node, Node>> pairs(edges);
  parallel_for(edges, kDraws, [&](std::size_t begin, std::size_t end) {
    Random random(seed, Stream::generate, kQuadrants, begin / kDraws);
    for (std::size_t i = begin; i < end; ++i) {
      auto [row, column] = draw_cell(levels, random);
      while (row >= nodes || column >= nodes) std::tie(row, column) = draw_cell(levels, random);
      pairs[i] = {places[row], places[column]};
    }
  });
  return rows_of_pairs(nodes, pairs);
}

CommunityGraph community_graph(const CommunityOptions& options) {
  const std::size_t nodes = options.nodes, size = options.community_size;
  check_size(nodes, static_cast<double>(nodes) * static_cast<double>(options.degree));
  check_range("a community size", static_cast<double>(size), 1, 0x1p32);
  check_range("a share inside", options.inside, 0, 1);
  // Communities are contiguous before the numbers are shuffled.
  const std::vector<Node> number = shuffled(nodes, options.seed);
  std::vector<Node> before(nodes);
  for (std::size_t i = 0; i < nodes; ++i) before[number[i]] = static_cast<Node>(i);
  CommunityGraph graph;
  graph.community.resize(nodes);
  for (std::size_t v = 0; v < nodes; ++v) graph.community[v] = static_cast<Node>(before[v] / size);
  const auto make_row = [&](Node row, Random& random, std::vector<Node>& columns) {
    const std::size_t begin = graph.community[row] * size, count = std::min(size, nodes - begin);
    for (std::size_t i = 0; nodes > 1 && i < options.degree; ++i) {
      const bool is_inside = random.uniform() < options.inside && count > 1;
      Node source = row;
      while (source == row)
        source = number[is_inside ? begin + random.below(count) : random.below(nodes)];
      columns.push_back(source);
    }
    sort_unique(columns);
  };
  graph.incoming = rows_of(nodes, options.seed, kCommunities, make_row);
  return graph;
}

Csr random_mask(std::size_t nodes, double density, std::uint64_t seed) {
  check_range("a density", density, 0, 1);
  check_size(nodes, density * static_cast<double>(nodes) * static_cast<double>(nodes));
  // The number of pairs to skip before the next edge is geometric: one random number per edge instead of one per pair.
  const double log_absent = std::log1p(-density);
  return rows_of(nodes, seed, kMask, [&](Node, Random& random, std::vector<Node>& columns) {
    if (density == 0) return;
    for (std::size_t column = 0; column < nodes; ++column) {
      const double skipped = density == 1 ? 0 : std::floor(std::log(1 - random.uniform()) / log_absent);
      if (skipped >= static_cast<double>(nodes - column)) return;
      column += static_cast<std::size_t>(skipped);
      columns.push_back(static_cast<Node>(column));
    }
  });
}

}  // namespace edgewise::graph
