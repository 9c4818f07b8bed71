#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/anchored_pairs.hpp"
#include "edgewise/graph/ties.hpp"

/// @file
/// Numbers of pairs of nodes that say how likely a tie is. Most take a network as undirected: A is its symmetric 0/1
/// matrix, D the diagonal matrix of the degrees, N(v) the neighbours of v.
namespace edgewise::graph {

/// What numbers of a pair (u, v) are made from.
struct PairFacts {
  bool has_tie = false;      ///< Whether u and v are neighbours.
  bool has_reverse = false;  ///< Directed: whether there is a tie from v to u.
  double smaller_degree = 0, larger_degree = 0;
  double source_degree = 0, target_degree = 0;
  /// Of the end with the smaller and of that with the larger sum: the sum of the degrees of its neighbours over their
  /// number, and the sum of 1 / degree over its neighbours. Only if asked for.
  double smaller_neighbour_degree = 0, larger_neighbour_degree = 0;
  double smaller_visits = 0, larger_visits = 0;
  double common = 0;       ///< |N(u) and N(v)|, the walks of two steps.
  double resource = 0;     ///< The sum of 1 / degree over these.
  double adamic_adar = 0;  ///< The sum of 1 / log(degree) over these.
  double walks = 0;        ///< Walks of three steps from u to v.
  double carried = 0;      ///< The sum over these of 1 / (product of the degrees of the two nodes between).
  /// The sums over these of 1 / (root of the degree) of the node beside the source, and of that beside the target.
  double beside_source = 0, beside_target = 0;
  double pagerank = 0;     ///< Only if asked for.
};

/// Networks in which a number says something.
enum class LinkUse : std::uint8_t {
  any,
  directed,   ///< Always 0 in others.
  one_side,   ///< Always 0, or not known to help, if ties lead from one side of nodes to the other.
  two_sides,  ///< The order of a pair matters, so source and target must be on two sides.
};

/// A number of pairs of nodes.
struct LinkNumber {
  std::string_view name;
  std::string_view doc;
  double (*of)(const PairFacts& pair) = nullptr;
  LinkUse use = LinkUse::any;
  bool needs_pagerank = false;  ///< Takes far longer than the others.
  bool needs_walks = false;     ///< Of three steps.
  bool needs_surroundings = false;  ///< The degrees of the neighbours of all nodes.
};

/// All numbers: `common_neighbours`, `adamic_adar` (Adamic, Adar 2003), `resource_allocation` (Zhou et al. 2009),
/// `jaccard`, `preferential_attachment`, `katz` (Katz 1953; walks of up to three steps), `personalised_pagerank` and
/// more.
std::span<const LinkNumber> all_link_numbers();
/// Those to learn from in a network of this direction, with all nodes on one side, or undirected with two.
std::vector<LinkNumber> link_numbers_of(Direction direction, bool has_two_sides = false);

/// `numbers` of the pairs (sources[i], targets[i]): [pairs, numbers]. In an undirected network the order of a pair does
/// not matter, but for numbers of LinkUse::two_sides. With OwnTie::omit all numbers are exactly those of the network
/// without the pair's tie. A row depends on its pair alone, to the last bit, at any number of threads and beside any
/// other pairs. For each pair the sum of both degrees or, if a number needs walks of three steps, as many steps as the
/// smaller of the two, and once for each end of larger degree the sum of the degrees of its neighbours.
///
/// PageRank is the sum of two probabilities: of standing on v if at each step one goes to a random neighbour or, with
/// probability 0.15, back to u, and the same with u and v exchanged. Computed by pushing from the end of larger degree
/// (Andersen, Chung, Lang 2006, section 3), with an error of at most e (deg(u) + deg(v)), where e is 5e-8 for each node
/// of the network, but at least 1e-5. Up to 1 / (0.15 e) steps for each such end, and with OwnTie::omit for each pair
/// that has a tie.
///
/// Throws UsageError if `sources` and `targets` differ in length or name a node that does not exist.
Matrix link_numbers(const Ties& ties, std::span<const Node> sources, std::span<const Node> targets,
                    std::span<const LinkNumber> numbers, OwnTie own_tie = OwnTie::keep);

}  // namespace edgewise::graph
