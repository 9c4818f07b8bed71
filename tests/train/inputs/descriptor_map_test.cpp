#include "edgewise/train/inputs/descriptor_map.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/data/descriptors.hpp"
#include "edgewise/data/fingerprints.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

const std::vector<graph::Node> kTrain = {0, 1, 2};

/// Temperatures are known for all but the second row. The last row is not a molecule.
Dataset load(const std::vector<std::string>& descriptors, const std::string& header = "smiles,y,temperature,name",
             const LoadOptions& options = {}) {
  const test::TemporaryDirectory directory;
  const std::string path =
      directory.write("m.csv", header + "\nCCO,1,20,a\nCCC,2,,b\nc1ccccc1,3,40,c\nCO,4,60,d\nnothing,5,1,e\n");
  DataConfig config;
  config.molecules = path;
  config.label = {"y"};
  config.task = "regression";
  config.descriptors = descriptors;
  return read_dataset(config, options);
}

}  // namespace

TEST_CASE("descriptors of RDKit and columns are joined", "[train][descriptor_map]") {
  const Dataset data = load({"temperature", "rdkit"});
  const GraphDescriptors& raw = data.graphs->descriptors;
  REQUIRE(raw.names.size() == data::descriptor_names().size() + 1);
  CHECK(raw.names[0] == "temperature");
  CHECK(raw.names[1] == "rdkit: exactmw");
  CHECK(raw.values(0, 0) == 20);
  CHECK(std::isnan(raw.values(1, 0)));
  CHECK(raw.values(0, 1) == Approx(46.0419));

  const DescriptorMap map = DescriptorMap::fit(data, kTrain);
  const Matrix scaled = map.apply(data);
  REQUIRE(scaled.rows() == 5);
  REQUIRE(scaled.allFinite());
  CHECK(scaled(0, 0) == Approx(-1));  // the two known in training are equally far from their mean
  CHECK(scaled(1, 0) == 0);
  CHECK(scaled(2, 0) == Approx(1));
  CHECK(scaled.row(4).tail(118).isZero());  // not a molecule: the mean
  CHECK_THAT(map.notes().at(0), Contains("\"temperature\": missing for 1 of 5 molecules"));
  CHECK(DescriptorMap::from_json(map.to_json()).apply(data) == scaled);
  CHECK(DescriptorMap::fit(load({}), kTrain).apply(data).cols() == 0);
}

TEST_CASE("descriptors of some rows equal those among all rows", "[train][descriptor_map]") {
  Dataset rows = load({"rdkit", "temperature"});
  const Matrix whole = rows.graphs->descriptors.values;
  const Dataset part = make_molecules(rows, 2, 2);
  CHECK(part.graphs->descriptors.values == whole.middleRows(2, 2));
}

TEST_CASE("descriptors and fingerprints become similarities after a kernel", "[train][descriptor_map]") {
  Dataset rows = load({"rdkit"});
  DescriptorMap map = DescriptorMap::fit(rows, kTrain);
  const Matrix scaled = map.apply(rows);
  map.set_kernel(KernelMap::gaussian(scaled.topRows(3), 0.1));
  CHECK(map.columns() == 3);
  const Matrix like = map.apply(rows);
  CHECK(like.row(1).squaredNorm() == Approx(1));
  CHECK(like.row(0).dot(like.row(3)) > like.row(2).dot(like.row(3)));  // methanol is closer to ethanol than benzene
  CHECK(DescriptorMap::from_json(json::parse(json::dump(map.to_json()), "m")).apply(rows) == like);
  CHECK(map.apply(load({})) == like);  // read without descriptors

  const data::Fingerprints fingerprints =
      data::morgan_fingerprints(rows.graphs->smiles, {.bits = kFingerprintColumns, .counts = true});
  DescriptorMap of_groups;
  of_groups.set_kernel(KernelMap::tanimoto(SparseMatrix(fingerprints.features.sparse.topRows(3))));
  const Matrix shared = of_groups.apply(rows);
  CHECK(shared.row(0).dot(shared.row(3)) > shared.row(2).dot(shared.row(3)));
  CHECK(shared.row(4).isZero());  // not a molecule
  CHECK(DescriptorMap::from_json(json::parse(json::dump(of_groups.to_json()), "m")).apply(rows) == shared);
  CHECK((of_groups.apply(make_molecules(rows, 2, 2)) - shared.middleRows(2, 2)).cwiseAbs().maxCoeff() < 1e-6F);
}

TEST_CASE("trees take descriptors and fingerprints together", "[train][descriptor_map]") {
  Dataset rows = load({"rdkit"});
  DescriptorMap map = DescriptorMap::fit(rows, kTrain);
  const Matrix scaled = map.apply(rows);
  const SparseMatrix rows_of_trees = tree_features(scaled, rows);
  REQUIRE(rows_of_trees.cols() == scaled.cols() + static_cast<Eigen::Index>(kTreeFingerprintColumns));
  CHECK(Matrix(rows_of_trees.leftCols(scaled.cols())) == scaled);
  CHECK(rows_of_trees.row(4).nonZeros() == scaled.cols());  // not a molecule, no substructures

  // A tree that tests for a substructure of the first molecule that the third lacks.
  std::int32_t column = 0;
  for (SparseMatrix::InnerIterator entry(rows_of_trees, 0); entry; ++entry)
    if (entry.col() >= scaled.cols() && rows_of_trees.coeff(2, entry.col()) == 0)
      column = static_cast<std::int32_t>(entry.col());
  REQUIRE(column > 0);
  TreeMap trees(static_cast<std::size_t>(rows_of_trees.cols()));
  trees.add_output(0);
  const TreeNode root = {.column = column, .value = 0.5F, .below = 1, .above = 2, .missing = 1};
  trees.add_tree(0, std::vector<TreeNode>{root, {.value = -1}, {.value = 1}});
  map.set_trees(trees);
  CHECK(map.columns() == 1);
  const Matrix said = map.apply(rows);
  CHECK(said(0, 0) == 1);
  CHECK(said(2, 0) == -1);
  CHECK(DescriptorMap::from_json(json::parse(json::dump(map.to_json()), "m")).apply(rows) == said);
  CHECK(map.apply(make_molecules(rows, 2, 2)) == said.middleRows(2, 2));
  CHECK(map.apply(load({})) == said);
}

TEST_CASE("invalid descriptors are refused", "[train][descriptor_map]") {
  const auto fit = [](const std::vector<std::string>& names) { return DescriptorMap::fit(load(names), kTrain); };
  CHECK_THROWS_AS(fit({"nowhere"}), DataError);
  CHECK_THROWS_WITH(fit({"y"}), Contains("is a label"));
  CHECK_THROWS_WITH(fit({"rdkit", "rdkit"}), Contains("twice"));
  CHECK_THROWS_WITH(load({"name"}), Contains("m.csv:2") && Contains("\"name\": expected a number, got \"a\""));
  const DescriptorMap map = fit({"rdkit", "temperature"});
  CHECK_THROWS_WITH(map.apply(load({"rdkit", "temperature"}, "smiles,y,degrees,name", {.known_labels = {"y"}})),
                    Contains("needs the column \"temperature\""));
  CHECK_THROWS_AS(map.apply(load({})), ModelError);
  CHECK_THROWS_AS(DescriptorMap::from_json(json::parse(R"({"mean": [1], "scale": [1], "names": []})", "t")),
                  ModelError);
}
