#include "edgewise/data/molecules.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/csv.hpp"
#include "io/files.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

using Names = std::vector<std::string>;

namespace {

/// The non-zero values of a row by column name.
std::map<std::string, float> row_of(const Matrix& values, const Names& names, Eigen::Index row) {
  std::map<std::string, float> result;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const float value = values(row, static_cast<Eigen::Index>(i)); value != 0) result[names[i]] = value;
  return result;
}

std::map<std::string, float> atom_of(const Molecules& molecules, std::size_t atom) {
  return row_of(molecules.features.dense, molecules.features.names, static_cast<Eigen::Index>(atom));
}

/// The features of a molecule's atoms and bonds, in no particular order.
std::multiset<std::vector<float>> rows_of(const std::string& smiles, const std::string& features = "standard/2") {
  const Molecules molecule = featurise_molecules({&smiles, 1}, {.features = features});
  std::multiset<std::vector<float>> rows;
  for (const Matrix* matrix : {&molecule.features.dense, &molecule.graph.edges().features})
    for (Eigen::Index row = 0; row < matrix->rows(); ++row)
      rows.insert(std::vector<float>(matrix->row(row).begin(), matrix->row(row).end()));
  return rows;
}

std::string capped(const std::string& name, std::int64_t value, std::int64_t most) {
  return name + (value >= most ? " >= " + std::to_string(most) : " = " + std::to_string(value));
}

/// The expected columns, from RDKit's output.
std::map<std::string, float> expected_atom(const json::Value& atom) {
  const Names columns = atom_feature_names("standard/1");
  std::map<std::string, float> result;
  const std::string element = "element = " + atom.at("element").as_string();
  result[std::find(columns.begin(), columns.end(), element) == columns.end() ? "element = other" : element] = 1;
  result[capped("neighbours", atom.at("neighbours").as_integer(), 6)] = 1;
  const std::int64_t charge = atom.at("charge").as_integer();
  result[charge <= -2 ? "charge <= -2" : capped("charge", charge, 2)] = 1;
  const std::map<std::string, std::string> hybridisations = {
      {"S", "s"},       {"SP", "sp"},       {"SP2", "sp2"},          {"SP3", "sp3"},
      {"SP3D", "sp3d"}, {"SP3D2", "sp3d2"}, {"UNSPECIFIED", "other"}};
  result["hybridisation = " + hybridisations.at(atom.at("hybridisation").as_string())] = 1;
  result[capped("hydrogens", atom.at("hydrogens").as_integer(), 4)] = 1;
  if (atom.at("aromatic").as_bool()) result["is aromatic"] = 1;
  const std::int64_t ring = atom.at("ring").as_integer();
  if (ring > 0) result["is in a ring"] = result[capped("smallest ring", ring, 8)] = 1;
  if (const std::string& cip = atom.at("cip").as_string(); !cip.empty()) result["chirality = " + cip] = 1;
  if (const double radicals = atom.at("radicals").as_number(); radicals > 0)
    result["radical electrons"] = static_cast<float>(radicals);
  if (const double mass = atom.at("mass").as_number(); mass > 0) result["mass / 100"] = static_cast<float>(mass) / 100;
  return result;
}

std::map<std::string, float> expected_bond(const json::Value& bond) {
  const std::map<std::string, std::string> orders = {
      {"SINGLE", "1"}, {"DOUBLE", "2"}, {"TRIPLE", "3"}, {"AROMATIC", "aromatic"}};
  std::map<std::string, float> result;
  result["order = " + orders.at(bond.at("order").as_string())] = 1;
  if (bond.at("conjugated").as_bool()) result["is conjugated"] = 1;
  if (bond.at("ring").as_bool()) result["is in a ring"] = 1;
  const std::string& stereo = bond.at("stereo").as_string();
  if (stereo != "STEREONONE") result["stereo = " + stereo.substr(6)] = 1;
  return result;
}

void check_equal(const std::map<std::string, float>& found, const std::map<std::string, float>& expected) {
  Names found_names, expected_names;
  for (const auto& [name, value] : found) found_names.push_back(name);
  for (const auto& [name, value] : expected) expected_names.push_back(name);
  REQUIRE(found_names == expected_names);
  for (const auto& [name, value] : expected)
    CHECK(found.at(name) == Approx(value).epsilon(2e-3));  // atomic masses get revised
}

bool is_same(const Molecules& a, const Molecules& b) {
  return a.offsets == b.offsets && a.problems == b.problems && a.features.dense == b.features.dense &&
         a.graph.edges().sources == b.graph.edges().sources && a.graph.edges().targets == b.graph.edges().targets &&
         a.graph.edges().features == b.graph.edges().features;
}

}  // namespace

TEST_CASE("molecules are encoded as RDKit sees them", "[data][molecules]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/molecules.json");
  Names smiles;
  for (const json::Value& molecule : golden.at("molecules").as_array())
    smiles.push_back(molecule.at("smiles").as_string());
  const Molecules molecules = featurise_molecules(smiles, {.features = "standard/1"});
  REQUIRE(molecules.rows() == smiles.size());
  CHECK(molecules.features.names == atom_feature_names("standard/1"));
  const graph::EdgeList& edges = molecules.graph.edges();
  CHECK(edges.feature_names == bond_feature_names("standard/1"));
  std::size_t edge = 0;
  for (std::size_t row = 0; row < smiles.size(); ++row) {
    INFO(smiles[row]);
    CHECK(molecules.problems[row].empty());
    const json::Value& molecule = golden.at("molecules").as_array()[row];
    const json::Array& atoms = molecule.at("atoms").as_array();
    const graph::Node first = molecules.offsets[row];
    REQUIRE(molecules.offsets[row + 1] - first == atoms.size());
    for (std::size_t atom = 0; atom < atoms.size(); ++atom) {
      INFO("atom " << atom);
      check_equal(atom_of(molecules, first + atom), expected_atom(atoms[atom]));
    }
    for (const json::Value& bond : molecule.at("bonds").as_array()) {
      INFO("bond " << edge);
      REQUIRE(edge < edges.size());
      CHECK(std::vector<double>{double(edges.sources[edge] - first), double(edges.targets[edge] - first)} ==
            bond.at("atoms").as_numbers());
      check_equal(row_of(edges.features, edges.feature_names, static_cast<Eigen::Index>(edge)), expected_bond(bond));
      ++edge;
    }
  }
  CHECK(edge == edges.size());

  const Molecules full = featurise_molecules(smiles, {.hydrogens = true});
  for (std::size_t row = 0; row < smiles.size(); ++row) {
    INFO(smiles[row]);
    CHECK(full.offsets[row + 1] - full.offsets[row] ==
          golden.at("molecules").as_array()[row].at("atoms_with_hydrogens").as_integer());
  }
}

TEST_CASE("feature sets of molecules have names", "[data][molecules]") {
  CHECK(atom_feature_names("standard/2").size() == 55);
  CHECK(atom_feature_names("standard/1").size() == 51);
  CHECK(bond_feature_names("standard/1").size() == 10);
  CHECK(atom_feature_names("elements/1").size() == 15);
  CHECK(bond_feature_names("elements/1").empty());
  CHECK_THROWS_WITH(featurise_molecules({}, {.features = "standard"}),
                    "molecules: no feature set \"standard\"; there are standard/2, standard/1, elements/1");
  const Names smiles = {"C*", "[Au]"};
  const Molecules molecules = featurise_molecules(smiles, {.features = "elements/1"});
  CHECK(molecules.features.dense.rows() == 3);
  CHECK(molecules.features.dense.cols() == 15);
  CHECK(atom_of(molecules, 0) == std::map<std::string, float>{{"element = C", 1}});
  CHECK(atom_of(molecules, 1) == std::map<std::string, float>{{"element = other", 1}});
  CHECK(molecules.graph.edge_count() == 1);
  CHECK(molecules.graph.edges().features.cols() == 0);
}

TEST_CASE("a row that is not a molecule is an empty graph with a reason", "[data][molecules]") {
  std::string fused_rings;
  for (int i = 0; i < 700; ++i) fused_rings += "c1ccc2ccccc2";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "empty"},
      {" CC", "starts with a blank"},
      {"C\xc3\xa9", "no SMILES has, at position 2"},
      {std::string("C\0C", 3), "no SMILES has, at position 2"},
      {"C1CC", "unclosed ring"},
      {"C(C", "extra open parentheses"},
      {"CC)", "extra close parentheses"},
      {"CX", "syntax error"},
      {"[Xx]", "syntax error"},
      {"C==C", "syntax error"},
      {"C11", "duplicated ring closure"},
      {"ethanol", "syntax error"},
      {"c1cccc1", "Can't kekulize mol"},
      {"c1ccccc1-c", "non-ring atom 6 marked aromatic"},
      {"C(C)(C)(C)(C)C", "Explicit valence for atom # 0 C, 5, is greater than permitted"},
      {"N#N#N", "Explicit valence"},
      {"[13CH5]", "Explicit valence"},
      {"C%", "syntax error"},
      {"[C", "syntax error"},
      {std::string(20000, '('), "syntax error"},
      {std::string(100000, 'C'), "the SMILES is longer than 25000 characters"},
      {std::string(2000, 'C') + "[C@H](N)O", "more than 1500 characters with stereochemistry"},
      {fused_rings, "more than 2000 digits that open or close a ring"},
      {std::string(2000, 'C') + " |$a$|", "more than 1500 characters with stereochemistry or an extension"},
  };
  Names smiles;
  for (const auto& [text, problem] : cases) {
    smiles.push_back(text);
    smiles.push_back("CCO");
  }
  const Molecules molecules = featurise_molecules(smiles);
  REQUIRE(molecules.rows() == smiles.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].first.substr(0, 40));
    CHECK(molecules.offsets[2 * i] == molecules.offsets[2 * i + 1]);
    CHECK_THAT(molecules.problems[2 * i], Contains(cases[i].second));
    CHECK(molecules.problems[2 * i].size() < 200);
    CHECK(molecules.problems[2 * i].find('\n') == std::string::npos);
    CHECK(molecules.offsets[2 * i + 2] - molecules.offsets[2 * i + 1] == 3);
    CHECK(molecules.problems[2 * i + 1].empty());
  }
  CHECK(featurise_molecules({}).rows() == 0);
  CHECK(featurise_molecules({}).features.dense.cols() == 55);
}

TEST_CASE("stereoisomers that RDKit tells apart have different features", "[data][molecules]") {
  const std::vector<std::pair<std::string, std::string>> pairs = {
      {"F[C@H]1CC[C@@H](Cl)CC1", "F[C@H]1CC[C@H](Cl)CC1"},              // 1,4 in a ring of six
      {"N[C@H]1C[C@@H](F)C1", "N[C@H]1C[C@H](F)C1"},                    // 1,3 in a ring of four
      {"C1CC[C@H]2CCC[C@@H]2C1", "C1CC[C@H]2CCC[C@H]2C1"},              // fused rings
      {"C[C@H]1CCC[C@@H]1C", "C[C@H]1CCC[C@H]1C"},                      // a mirror image, and a meso form
      {"F[C@H]1[C@H](F)[C@@H](F)[C@H](F)[C@@H](F)[C@@H]1F", "F[C@H]1[C@H](F)[C@@H](F)[C@H](F)[C@H](F)[C@@H]1F"},
      {"CC[S@](=O)c1ccccc1", "CC[S@@](=O)c1ccccc1"},
      {"C[P@](=O)(O)CC", "C[P@@](=O)(O)CC"},
      {"C[C@H](F)Cl", "C[C@@H](F)Cl"},
      {"C/C=C/C", "C/C=C\\C"},
      {"C/C=C/C", "CC=CC"},
      {"C[C@H](F)Cl", "CC(F)Cl"},
      {"[13CH3]O", "CO"},
      {"[2H]C", "C"},
      {"[3H]C", "[2H]C"},
  };
  for (const auto& [one, other] : pairs) {
    INFO(one << " and " << other);
    CHECK(rows_of(one) != rows_of(other));
  }
  CHECK(rows_of(pairs[0].first, "standard/1") == rows_of(pairs[0].second, "standard/1"));
}

TEST_CASE("features do not depend on how a molecule is written", "[data][molecules]") {
  const std::vector<std::vector<std::string>> groups = {
      {"F[C@H]1CC[C@@H](Cl)CC1", "Cl[C@H]1CC[C@@H](F)CC1", "C1C[C@H](F)CC[C@@H]1Cl"},
      {"C[C@H](F)Cl", "F[C@@H](C)Cl", "[H][C@@](C)(F)Cl"},
      {"[2H]OCC", "CCO[2H]", "C(O[2H])C"},
      {"[2H]C([2H])([2H])N", "NC([2H])([2H])[2H]"},
      {"C/C=C/C", "C\\C=C\\C"},
      {"c1ccccc1O", "OC1=CC=CC=C1", "[H]Oc1ccccc1"},
  };
  for (const std::vector<std::string>& group : groups)
    for (const std::string& text : group) {
      INFO(text);
      CHECK(rows_of(text) == rows_of(group.front()));
    }
}

TEST_CASE("hydrogens with an isotope are merged unless hydrogens are asked for", "[data][molecules]") {
  const Names smiles = {"[2H]C([2H])([2H])O", "CO", "[2H][2H]"};
  const Molecules folded = featurise_molecules(smiles);
  CHECK(folded.offsets == std::vector<graph::Node>{0, 2, 4, 6});
  const Matrix difference = folded.features.dense.middleRows(0, 2) - folded.features.dense.middleRows(2, 2);
  CHECK(difference.cwiseAbs().maxCoeff() == Approx(3 * 0.01006).epsilon(0.01));  // the mass of three neutrons
  CHECK((difference.array() != 0).count() == 1);
  CHECK(featurise_molecules(smiles, {.hydrogens = true}).offsets == std::vector<graph::Node>{0, 6, 12, 14});
  CHECK(featurise_molecules(smiles, {.features = "standard/1"}).offsets == std::vector<graph::Node>{0, 5, 7, 9});
  // Descriptors are those of the molecule as it is written.
  const Matrix with = featurise_molecules(smiles, {.descriptors = true}).descriptors;
  const Matrix without = featurise_molecules(smiles, {.features = "standard/1", .descriptors = true}).descriptors;
  CHECK((with.array() == without.array() || with.array().isNaN()).all());
}

TEST_CASE("unusual molecules are read", "[data][molecules]") {
  std::string chain, ring = "C1";
  for (int i = 0; i < 500; ++i) chain += "C(=O)N";
  for (int i = 0; i < 300; ++i) ring += "C";
  const Names smiles = {"[Na+].[Cl-].O", "*",      "[H]", "[2H]O[2H]", "CCO ethanol",
                        "CC |$a;b$|",    "[Fe+3]", chain, ring + "1",  std::string(3000, 'C') + " @name"};
  const Molecules molecules = featurise_molecules(smiles);
  const std::vector<graph::Node> sizes = {3, 1, 1, 1, 3, 2, 1, 1500, 301, 3000};
  for (std::size_t row = 0; row < smiles.size(); ++row) {
    INFO(smiles[row].substr(0, 40));
    CHECK(molecules.problems[row] == "");
    CHECK(molecules.offsets[row + 1] - molecules.offsets[row] == sizes[row]);
  }
  CHECK(molecules.features.dense.allFinite());
  for (std::size_t e = 0; e < molecules.graph.edge_count(); ++e)
    CHECK(molecules.graph.edges().sources[e] != molecules.graph.edges().targets[e]);
}

TEST_CASE("molecules do not depend on the threads", "[data][molecules]") {
  const Names some = {"CC(=O)Oc1ccccc1C(=O)O", "C1CC", "", "C[C@H](N)C(=O)O", "c1cccc1", "F/C=C/F", "[Na+].[Cl-]"};
  Names smiles;
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) smiles.push_back(some[random() % some.size()]);
  const int before = threads();
  set_threads(1);
  const Molecules one = featurise_molecules(smiles);
  set_threads(4);
  CHECK(is_same(one, featurise_molecules(smiles)));
  set_threads(before);
}

TEST_CASE("molecules of the public data sets are read", "[data][molecules][data]") {
  const auto folder = test::dataset("esol");
  if (!folder) return;
  io::CsvReader reader(*folder + "/delaney-processed.csv");
  reader.next();
  Names smiles;
  while (reader.next()) smiles.emplace_back(reader.fields().back());
  const Molecules molecules = featurise_molecules(smiles);
  CHECK(molecules.rows() == 1128);
  CHECK(std::all_of(molecules.problems.begin(), molecules.problems.end(),
                    [](const std::string& p) { return p.empty(); }));
  CHECK(molecules.features.dense.rows() == molecules.offsets.back());
}

namespace {

const Names kPair = {"dye", "solvent"};

Molecules pairs_of(const std::vector<std::string>& texts, const MixtureOptions& mixtures = {.names = kPair},
                   bool hydrogens = false) {
  return featurise_molecules(texts, {.hydrogens = hydrogens, .descriptors = true, .mixtures = mixtures});
}

}  // namespace

TEST_CASE("several molecules in a row are parts of one graph", "[data][molecules][mixtures]") {
  const Molecules made = pairs_of({"{CCO & O}", "{CCO & -}", "{CCO & C1C}", "{C & CC}"});
  CHECK(made.offsets == std::vector<graph::Node>{0, 4, 7, 7, 10});
  CHECK(made.part_offsets == std::vector<graph::Node>{0, 3, 4, 7, 7, 7, 7, 8, 10});
  Matrix shares(8, 1);
  shares << 1, 1, 1, 0, 0, 0, 1, 1;
  CHECK(made.shares == shares);
  CHECK_THAT(made.problems[2], Contains("solvent: unclosed ring"));
  CHECK(made.graph.edge_count() == 5);
  const std::vector<std::string> one = {"CCO"};
  const Molecules single = featurise_molecules(one);
  const auto width = static_cast<Eigen::Index>(single.features.names.size());
  CHECK(made.features.names.back() == "in solvent");
  CHECK(made.features.dense.topLeftCorner(3, width) == single.features.dense);
  CHECK(made.features.dense(0, width) == 1);
  CHECK(made.features.dense(3, width) == 0);
  CHECK(made.features.dense(3, width + 1) == 1);
}

TEST_CASE("several molecules have shares if all rows have amounts", "[data][molecules][mixtures]") {
  const std::vector<std::string> texts = {"{1 C & 3 CC}", "{1 CO & 0 N}", "{CCO & O}"};
  const Molecules made = pairs_of(texts, {.names = kPair, .has_amounts = true});
  CHECK(made.part_offsets == std::vector<graph::Node>{0, 1, 3, 5, 5, 5, 5});
  Matrix shares(6, 1);
  shares << 0.25F, 0.75F, 1, 0, 0, 0;
  CHECK(made.shares == shares);
  CHECK_THAT(made.problems[2], Contains("expected an amount of each molecule"));
  CHECK_THAT(pairs_of(texts).problems[0], Contains("without amounts"));
}

TEST_CASE("several molecules whose order says nothing are the same bits in any order", "[data][molecules][mixtures]") {
  const MixtureOptions sums{.names = kPair, .is_sum = true, .has_amounts = true};
  const Molecules one = pairs_of({"{0.3 CCO + 0.7 c1ccccc1O}"}, sums, true);
  const Molecules other = pairs_of({"{0.7 c1ccccc1O + 0.3 CCO}"}, sums, true);
  CHECK(one.features.dense == other.features.dense);
  CHECK(one.shares == other.shares);
  CHECK(one.part_offsets == other.part_offsets);
  CHECK(one.descriptors == other.descriptors);
  CHECK(one.features.names == atom_feature_names("standard/2"));
  CHECK_THAT(pairs_of({"{CCO & O}"}, sums).problems[0], Contains("without an order"));
  CHECK_THAT(pairs_of({"{CCO + O}"}).problems[0], Contains("in their order"));
  CHECK_THAT(pairs_of({"CCO"}).problems[0], Contains("expected several molecules"));
}

TEST_CASE("several molecules are encoded alike on any number of threads, also many and large ones",
          "[data][molecules][mixtures][same_bits]") {
  std::vector<std::string> texts(200, "{CCO & c1ccccc1}");
  texts[70] = "{" + std::string(10'000, 'C') + " & O}";
  const int before = threads();
  set_threads(1);
  const Molecules one = pairs_of(texts);
  set_threads(4);
  const Molecules four = pairs_of(texts);
  set_threads(before);
  CHECK(one.features.dense == four.features.dense);
  CHECK(one.shares == four.shares);
  CHECK(one.part_offsets == four.part_offsets);
  CHECK(one.part_offsets[141] - one.part_offsets[140] == 10'000);
}
