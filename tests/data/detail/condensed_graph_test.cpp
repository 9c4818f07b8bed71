#include "edgewise/data/detail/condensed_graph.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <optional>
#include <utility>

#include "edgewise/core/parallel.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/io/reaction_text.hpp"

using namespace edgewise;
using data::ReactionMode;
using Names = std::vector<std::string>;
using Row = std::vector<float>;

namespace {

constexpr std::size_t kElementColumns = 15;

const Names kReactions = {
    "[F-:2].[Br:1][CH2:3][CH:4]=[CH2:5]>>[Br-:1].[F:2][CH2:3][CH:4]=[CH2:5]",
    "[cH:1]1[cH:2][cH:3][cH:4][cH:5][c:6]1[C@H:7]([CH3:8])[OH:9]>>"
    "[cH:1]1[cH:2][cH:3][cH:4][cH:5][c:6]1[C:7]([CH3:8])=[O:9]",
    "[CH3:1][NH2:2].[CH3:3][C:4](=[O:5])O>>[CH3:1][NH:2][C:4]([CH3:3])=[O:5]",
    "[CH3:1][CH2:2][Br:3]>>[CH2:1]=[CH2:2].Br"};

/// The map numbers of the atoms in the order of a SMILES whose atoms, bracketed or not, are of one or two letters.
std::vector<int> maps_of(const std::string& smiles) {
  std::vector<int> maps;
  for (std::size_t i = 0; i < smiles.size(); ++i) {
    if (smiles[i] == '[') {
      const std::size_t end = smiles.find(']', i), colon = smiles.find(':', i);
      maps.push_back(colon < end ? std::stoi(smiles.substr(colon + 1)) : 0);
      i = end;
    } else if (smiles[i] == 'O' || smiles[i] == 'B') {
      maps.push_back(0);
    }
  }
  return maps;
}

/// One side of a reaction, read as molecules.
struct NaiveSide {
  std::vector<int> maps;
  std::vector<Row> atoms;
  std::map<std::pair<int, int>, Row> bonds;  // by the places of their ends

  explicit NaiveSide(const std::string& smiles) : maps(maps_of(smiles)) {
    const data::Molecules molecules = data::featurise_molecules(Names{smiles});
    REQUIRE(molecules.features.dense.rows() == static_cast<Eigen::Index>(maps.size()));
    for (const auto& row : molecules.features.dense.rowwise()) atoms.emplace_back(row.begin(), row.end());
    const graph::EdgeList& edges = molecules.graph.edges();
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const auto row = edges.features.row(static_cast<Eigen::Index>(i));
      const auto [low, high] = std::minmax(edges.sources[i], edges.targets[i]);
      bonds[{static_cast<int>(low), static_cast<int>(high)}] = Row(row.begin(), row.end());
    }
  }

  /// The place of an atom of the other side; nothing if it is not here.
  std::optional<int> place_of(int map) const {
    for (std::size_t i = 0; i < maps.size(); ++i)
      if (map != 0 && maps[i] == map) return static_cast<int>(i);
    return std::nullopt;
  }
};

/// The reactants' row, then its change without the elements.
Row joined(const Row& before, const Row& after, std::size_t shared) {
  Row row = before;
  for (std::size_t i = shared; i < before.size(); ++i) row.push_back(after[i] - before[i]);
  return row;
}

Row element_of(Row row) {
  for (std::size_t i = kElementColumns; i < row.size(); ++i) row[i] = 0;
  return row;
}

Row row_of(const Matrix& values, std::size_t row) {
  const auto found = values.row(static_cast<Eigen::Index>(row));
  return {found.begin(), found.end()};
}

/// Atoms of either side, by their places in the condensed graph.
struct NaiveReaction {
  NaiveSide before, after;
  std::vector<std::pair<std::optional<int>, std::optional<int>>> atoms;

  explicit NaiveReaction(const std::string& text)
      : before(io::split_reaction(text).reactants), after(io::split_reaction(text).products) {
    for (std::size_t i = 0; i < before.maps.size(); ++i)
      atoms.emplace_back(static_cast<int>(i), after.place_of(before.maps[i]));
    for (std::size_t i = 0; i < after.maps.size(); ++i)
      if (!before.place_of(after.maps[i])) atoms.emplace_back(std::nullopt, static_cast<int>(i));
  }

  Row atom(std::size_t i) const {
    const auto& [one, other] = atoms[i];
    const auto row = [](const NaiveSide& side, int place) { return side.atoms[static_cast<std::size_t>(place)]; };
    const Row first = one ? row(before, *one) : element_of(row(after, *other));
    const Row last = other ? row(after, *other) : element_of(row(before, *one));
    return joined(first, last, kElementColumns);
  }

  /// Nothing if the atoms are bound on neither side.
  std::optional<Row> bond(std::size_t i, std::size_t j) const {
    const auto find = [](const NaiveSide& side, std::optional<int> a, std::optional<int> b) -> std::optional<Row> {
      if (!a || !b) return std::nullopt;
      const auto found = side.bonds.find(std::minmax(*a, *b));
      return found == side.bonds.end() ? std::nullopt : std::optional(found->second);
    };
    const auto first = find(before, atoms[i].first, atoms[j].first);
    const auto last = find(after, atoms[i].second, atoms[j].second);
    if (!first && !last) return std::nullopt;
    const Row none((first ? *first : *last).size(), 0.0F);
    return joined(first.value_or(none), last.value_or(none), 0);
  }
};

data::Molecules condensed(const Names& reactions, ReactionMode mode) {
  return data::featurise_molecules(reactions, {.reactions = mode});
}

}  // namespace

TEST_CASE("the condensed graph joins what is computed for each side", "[data][condensed_graph]") {
  const data::Molecules made = condensed(kReactions, ReactionMode::reac_diff);
  const graph::EdgeList& edges = made.graph.edges();
  std::size_t edge = 0;
  for (std::size_t row = 0; row < kReactions.size(); ++row) {
    INFO(kReactions[row]);
    REQUIRE(made.problems[row].empty());
    const NaiveReaction naive(kReactions[row]);
    const std::size_t first = made.offsets[row], size = made.offsets[row + 1] - first;
    REQUIRE(size == naive.atoms.size());
    for (std::size_t i = 0; i < size; ++i) CHECK(row_of(made.features.dense, first + i) == naive.atom(i));
    std::size_t bonds = 0;
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < i; ++j) bonds += naive.bond(i, j) ? 1 : 0;
    for (std::size_t i = 0; i < bonds; ++i, ++edge) {
      const auto expected = naive.bond(edges.sources[edge] - first, edges.targets[edge] - first);
      REQUIRE(expected);
      CHECK(row_of(edges.features, edge) == *expected);
    }
  }
  CHECK(edge == edges.size());
}

TEST_CASE("the modes of reactions show either side and the change", "[data][condensed_graph]") {
  const Names reaction = {kReactions[0]};
  const data::Molecules diff = condensed(reaction, ReactionMode::reac_diff),
                        both = condensed(reaction, ReactionMode::reac_prod),
                        products = condensed(reaction, ReactionMode::prod_diff);
  const auto width = static_cast<Eigen::Index>(data::atom_feature_names("standard/2").size());
  const auto rest = width - static_cast<Eigen::Index>(kElementColumns);
  REQUIRE(diff.features.dense.cols() == width + rest);
  CHECK(diff.features.names.size() == static_cast<std::size_t>(width + rest));
  CHECK(both.features.dense.leftCols(width) == diff.features.dense.leftCols(width));
  CHECK(both.features.dense.rightCols(rest) == products.features.dense.middleCols(width - rest, rest));
  CHECK(products.features.dense.rightCols(rest) == diff.features.dense.rightCols(rest));
  CHECK(both.features.dense.rightCols(rest) - diff.features.dense.middleCols(width - rest, rest) ==
        diff.features.dense.rightCols(rest));
  CHECK(diff.features.names[20] != diff.features.names[20 + static_cast<std::size_t>(rest)]);
}

TEST_CASE("an atom without a partner stays as it is in a balanced mode", "[data][condensed_graph]") {
  const Names reaction = {"[CH3:1][OH:2].CC>>[CH2:1]=[O:2]"};
  const data::Molecules plain = condensed(reaction, ReactionMode::reac_diff),
                        balanced = condensed(reaction, ReactionMode::reac_diff_balance);
  const auto width = static_cast<Eigen::Index>(data::atom_feature_names("standard/2").size());
  const auto rest = plain.features.dense.cols() - width;
  CHECK_FALSE(plain.features.dense.rightCols(rest).row(2).isZero());
  CHECK(balanced.features.dense.rightCols(rest).row(2).isZero());
  CHECK(balanced.features.dense.topRows(2) == plain.features.dense.topRows(2));
  CHECK(balanced.graph.edge_count() == plain.graph.edge_count());
}

TEST_CASE("reactions are condensed alike at any number of threads", "[data][condensed_graph]") {
  Names reactions;
  for (int i = 0; i < 100; ++i)
    for (const std::string& reaction : kReactions) reactions.push_back(reaction);
  reactions.insert(reactions.begin() + 5, "CCO");
  const int before = threads();
  set_threads(1);
  const data::Molecules one = condensed(reactions, ReactionMode::reac_diff);
  set_threads(3);
  const data::Molecules several = condensed(reactions, ReactionMode::reac_diff);
  set_threads(before);
  CHECK(one.features.dense == several.features.dense);
  CHECK(one.graph.edges().features == several.graph.edges().features);
  CHECK(one.offsets[5] == one.offsets[6]);
  CHECK_FALSE(one.problems[5].empty());
  CHECK_FALSE(data::featurise_molecules(Names{"CO>>C=O"}).problems[0].empty());
}
