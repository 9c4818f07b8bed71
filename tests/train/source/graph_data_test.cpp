#include "edgewise/train/source/graph_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <optional>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/source/sources.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

struct Table {
  test::TemporaryDirectory directory;
  train::DataConfig config;

  explicit Table(const std::string& text = "smiles,y,toxic\nCCO,1.5,0\nC1CC,2,1\nc1ccccc1,,1\nO,4,\n") {
    directory.write("m.csv", text);
    config.molecules = (directory.path() / "m.csv").string();
    config.label = {"y"};
    config.task = "regression";
  }
  train::Dataset load() const { return train::read_dataset(config); }
};

}  // namespace

TEST_CASE("Molecules become graphs in the order of their rows", "[train][molecules]") {
  const Table table;
  const train::Dataset data = table.load();
  REQUIRE(data.graphs);
  CHECK(data.graphs->offsets == std::vector<graph::Node>{0, 3, 3, 9, 10});
  CHECK(data.items()[3] == "4");
  CHECK(data.graphs->smiles[2] == "c1ccccc1");
  CHECK(data.graphs->problems[0].empty());
  CHECK(!data.graphs->problems[1].empty());
  CHECK(data.graph.edge_count() == 8);
  CHECK(data.features.rows() == 10);
  REQUIRE(data.notes.size() == 1);
  CHECK_THAT(data.notes[0], Contains("1 of 4 molecules") && Contains("m.csv:3 (row 2)"));
}

TEST_CASE("Patterns name the targets of molecules, all of them numbers and none ignored", "[train][molecules]") {
  Table table("mol,smiles,NR-AR,NR-ER,rank\na,CCO,0,1,1\nb,CC,1,,2\nc,O,,0,3\n");
  table.config.task = "auto";
  table.config.label = {"*"};
  table.config.ignore = {"rank"};
  CHECK(table.load().labels.names == std::vector<std::string>{"NR-AR", "NR-ER"});
  table.config.label = {"NR-E*"};
  CHECK(table.load().reading.label == std::vector<std::string>{"NR-ER"});
  table.config.label = {"SR-*"};
  CHECK_THROWS_WITH(table.load(), Contains("no column \"SR-*\""));
}

TEST_CASE("A pattern that matches no column of numbers says so", "[train][molecules]") {
  Table table("smiles,kind,note\nCCO,a,x\nCC,b,y\n");
  table.config.task = "auto";
  table.config.label = {"*"};
  CHECK_THROWS_WITH(table.load(), Contains("no column \"*\"") && Contains("no column of numbers; there is none"));
}

TEST_CASE("A pattern does not pass over a column of amounts with an odd cell", "[train][molecules]") {
  std::string text = "smiles,a,b\n";
  for (int i = 0; i < 8; ++i)
    text += std::string(static_cast<std::size_t>(i + 1), 'C') + fmt::format(",{}.5,{}.25\n", i, i);
  Table table(text + "CO,>9,1\n");
  table.config.task = "auto";
  table.config.label = {"*"};
  CHECK_THROWS_WITH(table.load(),
                    Contains("m.csv:10: column \"a\"") && Contains("got \">9\"") && Contains("data.ignore"));
  table.config.ignore = {"a"};
  CHECK(table.load().labels.names == std::vector<std::string>{"b"});
}

TEST_CASE("Rows without a molecule do not decide what a target is", "[train][molecules]") {
  std::string text = "smiles,y\n";
  for (int i = 0; i < 8; ++i) text += std::string(static_cast<std::size_t>(i + 1), 'C') + fmt::format(",{}.5\n", i);
  Table table(text + ",unknown\nC1C,see above\n");
  table.config.task = "auto";
  const train::Dataset data = table.load();
  CHECK(data.labels.task == data::Task::regression);
  CHECK(std::isnan(data.labels.targets(8, 0)));
  Table other(text + "CO,unknown\nC1C,see above\n");
  other.config.task = "auto";
  CHECK_THROWS_WITH(other.load(), Contains("m.csv:10") && Contains("\"unknown\""));
}

TEST_CASE("Molecules made some rows at a time equal those of the whole table", "[train][molecules]") {
  Table table("smiles,y\nCCO,1.5\nC1CC,2\nc1ccccc1,\nO,4\nCC#N,1\n");
  table.config.encodings.random_walk = 2;
  const train::Dataset whole = table.load();
  std::optional<train::Dataset> rows = train::read_molecule_rows(table.config);
  REQUIRE(rows);
  CHECK(rows->items().size() == 5);
  for (std::size_t first = 0; first < 5; first += 2) {
    const std::size_t count = std::min<std::size_t>(2, 5 - first);
    const train::Dataset piece = train::make_molecules(*rows, first, count);
    REQUIRE(piece.graphs->offsets.size() == count + 1);
    CHECK(piece.items()[0] == std::to_string(first + 1));
    const graph::Node begin = whole.graphs->offsets[first], end = whole.graphs->offsets[first + count];
    CHECK(piece.features.dense == whole.features.dense.middleRows(begin, end - begin));
  }
  train::note_bad_molecules(*rows);
  CHECK(rows->graphs->problems == whole.graphs->problems);
  CHECK(rows->notes == whole.notes);
  CHECK_THAT(whole.notes.front(), Contains("molecules cannot be read and are left out: "));
  CHECK(whole.notes.front().find('\n') == std::string::npos);
  table.config.strict = true;
  rows = train::read_molecule_rows(table.config);
  CHECK_THROWS_WITH(train::make_molecules(*rows, 0, 2), Contains("m.csv:3") && Contains("molecule"));
  table.config.molecules = {};
  CHECK_FALSE(train::read_molecule_rows(table.config));
}

TEST_CASE("A molecule that cannot be read has no label; a missing one is missing", "[train][molecules]") {
  Table table;
  const Matrix targets = table.load().labels.targets;
  CHECK(targets(0, 0) == 1.5F);
  CHECK(std::isnan(targets(1, 0)));
  CHECK(std::isnan(targets(2, 0)));
  CHECK(targets(3, 0) == 4);
  table.config.label = {"toxic"};
  table.config.task = "classification";
  const data::Labels labels = table.load().labels;
  CHECK(labels.classes == std::vector<std::int32_t>{0, -1, 1, -1});
}

TEST_CASE("A table without a molecule that can be read has nothing to learn", "[train][molecules]") {
  const Table table("smiles,y\nC1CC,2\nC(,1\n");
  CHECK_THROWS_WITH(table.load(), Contains("m.csv:2") && Contains("none of the 2 molecules can be read"));
}

TEST_CASE("Strict reading stops at the first molecule that cannot be read", "[train][molecules]") {
  Table table;
  table.config.strict = true;
  CHECK_THROWS_WITH(table.load(), Contains("m.csv:3") && Contains("molecule"));
}

TEST_CASE("Encodings follow the columns of the atoms, those of the Laplacian last", "[train][molecules]") {
  Table table;
  const Eigen::Index own = table.load().features.dense.cols();
  table.config.encodings = {.degree = true, .random_walk = 3, .laplacian = 2};
  const train::Dataset data = table.load();
  CHECK(data.features.dense.cols() == own + 6);
  CHECK(data.graphs->sign_columns == 2);
  CHECK(data.features.dense(1, own) == Approx(std::log(3)));      // the middle carbon of CCO
  CHECK(data.features.dense(1, own + 2) == Approx(1));            // out and back, in either direction
  CHECK(data.features.dense.row(9).tail(5).isZero());             // water is one atom
}

TEST_CASE("A virtual node is the last of its molecule, also with encodings", "[train][molecules]") {
  Table table;
  table.config.encodings = {.degree = true, .virtual_node = true};
  const train::Dataset data = table.load();
  CHECK(data.graphs->offsets == std::vector<graph::Node>{0, 4, 5, 12, 14});
  const Eigen::Index last = data.features.dense.cols() - 1;
  CHECK(data.features.dense(1, last) == Approx(std::log(3)));
  CHECK(data.features.dense(3, last) == 0);
  CHECK(data.features.dense(3, last - 1) == 1);
  CHECK(data.features.dense(1, last - 1) == 0);
}

TEST_CASE("A data set of molecules takes the given features", "[train][molecules]") {
  train::DataConfig config;
  config.dataset = "hydrophilicity";
  const Eigen::Index all = train::read_dataset(config).features.dense.cols();
  config.features = "elements/1";
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.features.dense.cols() < all);
  CHECK(data.reading.atom_features == "elements/1");
  config.dataset = "karate-club";
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("has its own features"));
}

TEST_CASE("Data that does not make a job is refused", "[train][molecules]") {
  Table table;
  table.config.encodings = {.distances = 4, .virtual_node = true};
  CHECK_THROWS_WITH(table.load(), Contains("cannot be combined"));
  Table unknown;
  unknown.config.label = {"z"};
  CHECK_THROWS_AS(unknown.load(), DataError);
  Table nothing;
  nothing.config.label.clear();
  CHECK_THROWS_WITH(nothing.load(), Contains("data.target"));
  Table other;
  other.config.atom_features = "none/1";
  CHECK_THROWS_AS(other.load(), UsageError);
}

TEST_CASE("A molecule that cannot be read has no prediction", "[train][molecules]") {
  const train::Dataset data = Table("smiles,y\nCCO,1\nC1CC,2\nCC,3\nCCC,4\nCO,5\n").load();
  train::Config config = train::parse_config(json::parse(
      R"({"training": {"epochs": 1, "ensemble": 2}, "split": {"train": 0.6, "validation": 0.2}})",
      "config"));
  for (const char* model : {"sage", "sum_features"}) {
    config.model = json::Object{{"preset", model}};
    const train::Run run = train::run_job(config, data, 0);
    for (Eigen::Index row = 0; row < 5; ++row) {
      INFO(model << ", row " << row);
      CHECK(std::isnan(run.predictions(row, 0)) == (row == 1));
      if (run.deviations.size() > 0) CHECK(std::isnan(run.deviations(row, 0)) == (row == 1));
    }
  }
}

TEST_CASE("The prediction does not depend on how a molecule is written", "[train][molecules]") {
  // Pairs of the same molecule with atoms in different order.
  const Table table("smiles,y\nOCC,1\nCCO,1\nCc1ccccc1Cl,2\nc1ccc(C)c(Cl)c1,2\nN[C@@H](C)C(=O)O,3\nC[C@H](N)C(=O)O,3\n"
                    "F/C=C/Cl,4\nCl/C=C/F,4\n");
  const train::Dataset data = table.load();
  train::Config config = train::parse_config(json::parse(
      R"({"model": {"preset": "gatv2", "hidden": 16, "heads": 2, "layers": 2, "readout": "sum_mean_max"},
          "training": {"epochs": 3}, "split": {"train": 0.8, "validation": 0.1}})",
      "config"));
  const Matrix predictions = train::run_job(config, data, 0).predictions;
  for (Eigen::Index row = 0; row < predictions.rows(); row += 2)
    CHECK(predictions(row, 0) == Approx(predictions(row + 1, 0)).epsilon(1e-5));
}
