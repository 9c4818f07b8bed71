#include "edgewise/data/reaction_centres.hpp"

#include <catch2/catch.hpp>

#include "edgewise/data/canonical_smiles.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/data/scaffolds.hpp"

using namespace edgewise;
using Names = std::vector<std::string>;

namespace {

/// A substitution, the same with other numbers and orders, and one of another halide.
const Names kSubstitutions = {"[F-:2].[Br:1][CH2:3][CH2:4][c:5]1[cH:6][cH:7][cH:8][cH:9][cH:10]1>>"
                              "[Br-:1].[F:2][CH2:3][CH2:4][c:5]1[cH:6][cH:7][cH:8][cH:9][cH:10]1",
                              "[cH:2]1[cH:1][cH:20][cH:21][cH:22][c:3]1[CH2:4][CH2:5][Br:30].[F-:31]>>"
                              "[CH2:4]([c:3]1[cH:2][cH:1][cH:20][cH:21][cH:22]1)[CH2:5][F:31].[Br-:30]",
                              "[Cl-:2].[Br:1][CH2:3][CH2:4][c:5]1[cH:6][cH:7][cH:8][cH:9][cH:10]1>>"
                              "[Br-:1].[Cl:2][CH2:3][CH2:4][c:5]1[cH:6][cH:7][cH:8][cH:9][cH:10]1"};

}  // namespace

TEST_CASE("a reaction centre is what changes", "[data][reaction_centres]") {
  const Names centres = data::reaction_centres(kSubstitutions);
  CHECK(centres[0] == "Br charge 0>-1; Br-C 1>0; C-F 0>1; F charge -1>0");
  CHECK(centres[0] == centres[1]);
  CHECK(centres[0] != centres[2]);
  const Names others = {"[CH3:1][OH:2]>>[CH2:1]=[O:2]", "[CH4:1]>>[CH4:1]", "CCO", "oops>>", "[CH3:1][Br:2]>>[CH3:1]"};
  CHECK(data::reaction_centres(others) ==
        Names{"C hydrogens 3>2; C-O 1>2; O hydrogens 1>0", "", "", "", "Br goes; Br-C 1>0; C radical 0>1"});
}

TEST_CASE("a reaction is one item, however it is written", "[data][reaction_centres]") {
  const Names smiles = data::canonical_smiles(kSubstitutions);
  CHECK(smiles[0] == smiles[1]);
  CHECK(smiles[0] != smiles[2]);
  CHECK(data::canonical_smiles(Names{smiles[0]})[0] == smiles[0]);
  // The same two sides, of which other atoms are the same: which oxygen of acetic acid goes.
  const Names ends = data::canonical_smiles(Names{"[CH3:1][C:2](=[O:3])[OH:4]>>[CH3:1][C:2]([OH:3])=[O:4]",
                                                  "[CH3:1][C:2](=[O:3])[OH:4]>>[CH3:1][C:2](=[O:3])[OH:4]",
                                                  "[OH:1][C:2](=[O:3])[CH3:4]>>[O:1]=[C:2]([OH:3])[CH3:4]"});
  CHECK(ends[0] != ends[1]);
  CHECK(ends[0] == ends[2]);
}

TEST_CASE("the scaffold of a reaction is that of its reactants", "[data][reaction_centres]") {
  CHECK(data::murcko_scaffolds(kSubstitutions)[0] == "c1ccccc1");
}

TEST_CASE("fingerprints of a reaction tell what vanishes, appears and stays", "[data][reaction_centres]") {
  const Names reactions = {kSubstitutions[0], kSubstitutions[1], kSubstitutions[2], "[CH3:1][OH:2]>>[CH3:1][OH:2]",
                           "[CH3:1][Br:2]>>[CH3:1].[Br:2]", "[CH3:1].[Br:2]>>[CH3:1][Br:2]", "C>>"};
  const data::Fingerprints made = data::morgan_fingerprints(reactions, {.bits = 1U << 20U, .counts = true});
  const Matrix rows(made.features.sparse);
  CHECK(rows.row(0) == rows.row(1));
  CHECK(rows.row(0) != rows.row(2));
  CHECK(rows.row(3).sum() > 0);  // nothing changes, but there are atoms
  CHECK(rows.row(4) != rows.row(5));
  CHECK(rows.row(6).sum() == 0);
  CHECK_FALSE(made.problems[6].empty());
}
