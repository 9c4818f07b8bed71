#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/graph/ties.hpp"

/// @file
/// Pairs that are no ties, to compare ties with: one end of a tie is kept and other nodes stand in the place of the
/// other.
namespace edgewise::graph {

enum class LinkEnd : std::uint8_t { source, target };

/// @name Sides of nodes
/// Of a node in a network whose ties lead from one side to the other.
/// @{
inline constexpr std::uint8_t kSourceSide = 0, kTargetSide = 1;
inline constexpr std::uint8_t kNoSide = 2;  ///< It stands at no end of the ties that are asked for.
/// @}

/// How a node is drawn that stands in the other end.
enum class CandidateWay : std::uint8_t {
  uniform,
  degree,  ///< In proportion to the degree.
  /// Where a random walk of two steps from the end that is kept leads to, against or along the ties. With two sides,
  /// three steps, since two end on the side that they come from.
  two_steps,
};

/// "uniform", "degree" or "two_steps"; nothing for another text.
std::optional<CandidateWay> parse_candidate_way(std::string_view name);

/// Which candidates to draw for a tie.
struct CandidateDraw {
  std::size_t count = 1;
  CandidateWay way = CandidateWay::uniform;
  std::uint64_t seed = 1;
  std::uint64_t tie = 0;  ///< The number of the tie.
};

/// Draws candidates. What is drawn depends on the network and the draw alone: candidate i of a tie and an end has
/// random numbers of its own, so that a larger count only adds candidates. Thread-safe.
class LinkCandidates {
 public:
  /// `known` must outlive it. `sides` are empty, or say for each node of a network of several kinds of nodes on which
  /// side it is: then a node is only replaced by nodes of its side. If none is on the target side, ties are among the
  /// nodes of the source side. Throws UsageError for another number of sides.
  explicit LinkCandidates(const Ties& known, std::span<const std::uint8_t> sides = {});

  /// Nodes that could stand in the end that is not kept, drawn with replacement: `draw.count`, or none if there is no
  /// such node. They make no known tie, and are neither of the two nodes. Where the way leads to none, as from a node
  /// without neighbours, they are drawn uniformly. O(count * log degree), or O(nodes + ties within the steps) where
  /// most nodes that are tried make ties.
  std::vector<Node> draw(Node source, Node target, LinkEnd kept, const CandidateDraw& draw) const;

  /// All of them, ascending. O(nodes * log degree).
  std::vector<Node> all(Node source, Node target, LinkEnd kept) const;

  /// How many there are, if source and target have a known tie. O(1).
  std::size_t count(Node source, Node target, LinkEnd kept) const;

 private:
  std::size_t side_of(Node node) const { return sides_.empty() ? kSourceSide : sides_[node]; }

  const Ties& known_;
  std::vector<std::uint8_t> sides_;
  std::array<std::vector<Node>, 3> nodes_;  ///< By side; all are of the source side if there are none.
  std::array<std::vector<Node>, 3> ends_;   ///< The same, each as often as it has neighbours.
};

}  // namespace edgewise::graph
