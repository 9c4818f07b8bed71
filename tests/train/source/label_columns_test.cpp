#include "edgewise/train/source/label_columns.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

train::Dataset load_measurements(const std::string& rows, const std::string& task = "regression",
                                 const std::string& relation = "", const std::string& label = "y") {
  const test::TemporaryDirectory directory;
  train::DataConfig config;
  config.molecules = directory.write("m.csv", rows);
  config.label = {label};
  config.task = task;
  config.relation = relation;
  return train::read_dataset(config);
}

bool has_note(const train::Dataset& data, const std::string& text) {
  return std::ranges::any_of(data.notes, [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

constexpr const char* kRelations =
    "smiles,Standard Relation,y\nC,'=',1\nCC,'>',2.5\nCCC,'>',3\nCCCC,'<=',4\nCO,,5\nCCO,'<',\nCCCO,'~',6\n";

}  // namespace

TEST_CASE("a column of relations tells bounds from values", "[train][label_columns]") {
  for (const char* relation : {"", "Standard Relation"}) {
    const train::Dataset data = load_measurements(kRelations, "regression", relation);
    REQUIRE(data.labels.has_bounds());
    CHECK(data.reading.relation == "Standard Relation");
    CHECK(std::isnan(data.labels.targets(1, 0)));
    CHECK(data.labels.lower_bounds(1, 0) == 2.5F);
    CHECK(data.labels.upper_bounds(3, 0) == 4);
    CHECK(data.labels.targets(6, 0) == 6);
    CHECK_FALSE(data.labels.is_known(5));
    CHECK(has_note(data, "3 of 6 values are bounds (2 >, 1 <)"));
  }
}

TEST_CASE("bounds can be turned off", "[train][label_columns]") {
  const train::Dataset data = load_measurements(kRelations, "regression", "none");
  CHECK_FALSE(data.labels.has_bounds());
  CHECK(data.labels.targets(1, 0) == 2.5F);
  CHECK(has_note(data, "\"Standard Relation\" says that 3 of 6 values are bounds rather than measurements"));
}

TEST_CASE("cells with signs are bounds", "[train][label_columns]") {
  std::string rows = "smiles,y\n", chain;
  for (int row = 0; row < 30; ++row)
    rows += (chain += "C") + "," + (row % 5 == 0 ? "> " : "") + std::to_string(row + 0.5) + "\n";
  for (const char* task : {"regression", "auto"}) {
    const train::Dataset data = load_measurements(rows, task);
    CHECK(data.labels.task == data::Task::regression);
    CHECK(data.labels.lower_bounds(5, 0) == 5.5F);
    CHECK(has_note(data, "6 of 30 values are bounds (6 >, 0 <)"));
  }
  CHECK_THROWS_WITH(load_measurements(rows, "regression", "none"), Contains("which is a bound rather than a value"));
  const train::Dataset logarithms = load_measurements(rows, "regression", "", "log10(y)");
  CHECK(logarithms.labels.lower_bounds(5, 0) == Approx(std::log10(5.5)));
}

TEST_CASE("columns that are no relations mark nothing", "[train][label_columns]") {
  CHECK_FALSE(load_measurements("smiles,relation,y\nC,=,1.5\nCC,=,2\nCCC,,3\n").labels.has_bounds());
  CHECK_FALSE(load_measurements("smiles,relation,y\nC,=,1.5\nCC,cousin,2\nCCC,>,3\n").labels.has_bounds());
  CHECK_FALSE(load_measurements("smiles,relation,y\nC,=,1\nCC,=,2\nCCC,>,1\n", "classification").labels.has_bounds());
  CHECK_THROWS_WITH(load_measurements("smiles,kin,y\nC,=,1.5\nCC,cousin,2\n", "regression", "kin"),
                    Contains("m.csv:3: column \"kin\": expected =, <, >, <=, >= or ~, got \"cousin\""));
}

TEST_CASE("cells with several labels become a multi-label task", "[train][label_columns]") {
  const test::TemporaryDirectory directory;
  train::DataConfig config;
  config.molecules = directory.write("m.csv", "smiles,toxic\nC,liver; heart\nCC,heart\nCCC,;\nCCCC,\n");
  config.label = {"toxic"};
  config.task = "multilabel";
  config.separator = ";";
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.labels.names == std::vector<std::string>{"heart", "liver"});
  CHECK(data.reading.label_list == "toxic");
  CHECK(data.labels.targets(0, 1) == 1);
  CHECK(data.labels.targets(2, 0) == 0);
  CHECK(std::isnan(data.labels.targets(3, 0)));
  config.task = "auto";
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("data.separator"));
}

TEST_CASE("texts may have several labels", "[train][label_columns]") {
  const test::TemporaryDirectory directory;
  train::DataConfig config;
  config.texts =
      directory.write("t.csv", "text,topics\nthe cat,animals\na car and a dog,animals;cars\nno,\nold car,cars\n");
  config.label = {"topics"};
  config.task = "multilabel";
  config.separator = ";";
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.labels.names == std::vector<std::string>{"animals", "cars"});
  CHECK(data.labels.targets(1, 0) == 1);
}

TEST_CASE("a model's labels are found in lists, and other labels do not matter", "[train][label_columns]") {
  const test::TemporaryDirectory directory;
  const std::string known = directory.write("known.csv", "id,topics\na,x;y\nb,x\n");
  const std::string other = directory.write("other.csv", "id,topics\na,x;w\n");
  train::DataConfig config;
  config.separator = ";";
  config.label_list = "topics";
  io::NodeTable table = io::read_node_table(known);
  train::prepare_known_labels({"x", "y"}, {"x", "y"}, data::Task::multilabel, config, table);
  CHECK(table.at("y").numbers == std::vector<float>{1, 0});
  table = io::read_node_table(other);
  train::prepare_known_labels({"x", "y"}, {"x", "y"}, data::Task::multilabel, config, table);
  CHECK(table.find("topics") != nullptr);
}

TEST_CASE("other data of a model may lack its column of relations", "[train][label_columns]") {
  const test::TemporaryDirectory directory;
  io::NodeTable table = io::read_node_table(directory.write("t.csv", "id,y\na,1.5\nb,2\n"));
  train::DataConfig config;
  config.relation = "sign";
  train::prepare_known_labels({"y"}, {"y"}, data::Task::regression, config, table);
  CHECK(table.at("y").bounds.empty());
  CHECK_THROWS_WITH(load_measurements(kRelations, "regression", "sign"), Contains("sign"));
}
