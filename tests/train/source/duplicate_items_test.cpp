#include "edgewise/train/source/duplicate_items.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <vector>

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("molecules and sources are told by their first row", "[train][duplicate_items]") {
  using Rows = std::vector<graph::Node>;
  Dataset molecules;
  molecules.graphs.emplace();
  molecules.graphs->are_molecules = true;
  molecules.graphs->smiles = {"CCO", "CC", "OCC", "C1C", "C1C"};
  molecules.graphs->problems = {"", "", "", "no ring", "no ring"};
  CHECK(duplicate_of(molecules) == Rows{0, 1, 0, 3, 4});
  Dataset others;
  others.graphs = molecules.graphs;
  others.graphs->smiles = {"CCO", "CC", "CCC", "C1C", "C1C"};
  CHECK(duplicate_of(others).empty());
  Dataset pairs;
  pairs.pairs.emplace();
  pairs.pairs->texts.sources = {"a b", "c", "c", "a b"};
  CHECK(duplicate_of(pairs) == Rows{0, 1, 1, 0});
  CHECK(duplicate_of(Dataset{}).empty());
}

TEST_CASE("a molecule counts once among those with a label", "[train][duplicate_items]") {
  const float unknown = std::numeric_limits<float>::quiet_NaN();
  data::Labels labels{.task = data::Task::regression, .names = {"y"}, .classes = {}, .targets = Matrix(4, 1)};
  labels.targets << unknown, 1, 2, 3;
  const std::vector<graph::Node> first = first_labelled(std::vector<graph::Node>{0, 0, 0, 3}, labels);
  CHECK(first == std::vector<graph::Node>{0, 1, 1, 3});  // row 0 has no label to learn
  const data::Labels once = labels_of_firsts(first, labels);
  CHECK(once.has_value(1, 0));
  CHECK_FALSE(once.has_value(2, 0));
  CHECK(once.has_value(3, 0));
}
