#include "edgewise/train/source/relations.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/train/source/job_data.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

train::JobData load(const std::string& relations, const std::string& task = "regression") {
  const test::TemporaryDirectory directory;
  directory.write("m.csv", relations);
  train::DataConfig config;
  config.molecules = (directory.path() / "m.csv").string();
  config.label = {"y"};
  config.task = task;
  return train::load_job_data(config);
}

}  // namespace

TEST_CASE("a column of relations marks bounds", "[train][relations]") {
  const train::JobData data =
      load("smiles;Standard Relation;y\nC;'=';1\nCC;'>';2\nCCC;'>';3\nCCCC;'<=';4\nCO;;5\nCCO;'<';\nCCCO;'~';6\n");
  const std::vector<std::string> notes = train::relation_notes(data);
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes.front(), Contains("\"Standard Relation\" says that 4 of 6 values are bounds") &&
                                Contains("(1 <=, 2 >, 1 ~)") && Contains("values of y"));
  CHECK(std::ranges::count(data.notes, notes.front()) == 1);
}

TEST_CASE("other columns mark nothing", "[train][relations]") {
  CHECK(train::relation_notes(load("smiles,relation,y\nC,=,1\nCC,=,2\nCCC,,3\n")).empty());
  CHECK(train::relation_notes(load("smiles,relation,y\nC,=,1\nCC,cousin,2\nCCC,>,3\n")).empty());
  CHECK(train::relation_notes(load("smiles,relation,y\nC,=,1\nCC,=,2\nCCC,>,\n")).empty());
  CHECK(train::relation_notes(load("smiles,relation,y\nC,=,1\nCC,=,2\nCCC,>,1\n", "classification")).empty());
}
