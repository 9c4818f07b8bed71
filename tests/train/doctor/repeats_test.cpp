#include "edgewise/train/doctor/repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "edgewise/data/splits.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/source/duplicate_items.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

train::SplitConfig split_of(train::SplitKind kind) {
  train::SplitConfig config;
  config.kind = kind;
  return config;
}

/// Rows "SMILES,y,class"; each of `molecules` rings of carbon occurs `times` times, the later ones in another notation.
std::string table_of(int molecules, int times) {
  std::string text = "smiles,y,c\n";
  for (int row = 0; row < times; ++row)
    for (int i = 0; i < molecules; ++i) {
      const std::string ring = fmt::format("1{}C1", std::string(static_cast<std::size_t>(i + 1), 'C'));
      const std::string smiles = row == 0 ? fmt::format("OC{}", ring) : fmt::format("C{}O", ring);
      text += fmt::format("{},{},{}\n", smiles, 0.5 * i, i % 2 == 0 ? "even" : "odd");
    }
  return text;
}

train::Dataset load_rows(const std::string& text, const std::string& label = "y") {
  const test::TemporaryDirectory directory;
  directory.write("m.csv", text);
  train::DataConfig config;
  config.molecules = (directory.path() / "m.csv").string();
  config.label = {label};
  return train::read_dataset(config);
}

/// Whether all rows of each molecule of `table_of` are in one part.
bool are_together(const data::Split& split, std::size_t molecules) {
  for (std::size_t row = 0; row < split.size(); ++row)
    if (split[row] != split[row % molecules]) return false;
  return true;
}

std::string lines_of(const std::vector<std::string>& notes) { return fmt::format("{}", fmt::join(notes, "\n")); }

}  // namespace

TEST_CASE("the rows of a molecule are in one part of every drawn split", "[train][repeats]") {
  const train::Dataset numbers = load_rows(table_of(20, 3)), classes = load_rows(table_of(20, 3), "c");
  CHECK(train::duplicate_of(numbers)[47] == 7);
  for (const train::SplitKind kind :
       {train::SplitKind::automatic, train::SplitKind::random, train::SplitKind::stratified, train::SplitKind::k_fold,
        train::SplitKind::per_class, train::SplitKind::scaffold, train::SplitKind::balanced_scaffold})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      CAPTURE(train::name_of(kind), seed);
      train::SplitConfig config;
      config.kind = kind;
      config.folds = 5;
      config.train_per_class = 3;
      config.validation_count = 4;
      config.test_count = 4;
      config.holdout = 0.3;
      config.keep = 0.7;
      const bool needs_classes = kind == train::SplitKind::stratified || kind == train::SplitKind::per_class;
      CHECK(are_together(train::make_split(needs_classes ? classes : numbers, config, seed, 0), 20));
    }
}

TEST_CASE("shares are of molecules, whatever the number of their rows", "[train][repeats]") {
  const train::Dataset data = load_rows(table_of(20, 3));
  train::SplitConfig config;
  config.kind = train::SplitKind::random;
  config.train = 0.5;
  config.validation = 0.25;
  const data::Split split = train::make_split(data, config, 0, 0);
  CHECK(std::ranges::count(split, data::Role::train) == 30);
  CHECK(std::ranges::count(split, data::Role::validation) == 15);
  CHECK(std::ranges::count(split, data::Role::test) == 15);
}

TEST_CASE("molecules that all differ are drawn row by row", "[train][repeats]") {
  const train::Dataset data = load_rows(table_of(30, 1));
  CHECK(train::duplicate_of(data).empty());
  CHECK(train::repeat_notes(data).empty());
  const train::SplitConfig config = split_of(train::SplitKind::random);
  const data::SplitShares shares{.train = config.train, .validation = config.validation};
  CHECK(train::make_split(data, config, 5, 0) == data::random_split(data.labels, shares, 5));
}

TEST_CASE("rows without a label are in no part, and rows that cannot be read repeat nothing", "[train][repeats]") {
  const train::Dataset data = load_rows("smiles,y\nCCO,\nOCC,1.5\nC1C,2.5\nC1C,2.5\nCC,3.5\nC,0.5\nN,4.5\n");
  const train::SplitConfig config = split_of(train::SplitKind::random);
  const data::Split split = train::make_split(data, config, 0, 0);
  CHECK(split[0] == data::Role::none);
  CHECK(split[1] != data::Role::none);
  CHECK(split[2] == data::Role::none);
  CHECK_THAT(lines_of(train::repeat_notes(data)), Contains("1 of 6 molecules is in several rows, 2 in all"));
}

TEST_CASE("notes count repeated molecules and name the first contradiction", "[train][repeats]") {
  const train::Dataset same = load_rows("smiles,y\nCCO,1.5\nCC,2.5\nOCC,1.5\nC,0.5\nCC,\nC,\n");
  CHECK_THAT(lines_of(same.notes),
             Contains("3 of 3 molecules are in several rows, 6 in all") && !Contains("different labels"));
  const train::Dataset other = load_rows("smiles,y\nCCO,1.5\nCC,2.5\nOCC,1.75\nC,0.5\nCC,2.5\nCC,2\n");
  CHECK_THAT(lines_of(other.notes),
             Contains("2 of them have different labels in different rows: \"CCO\" has 1.5 in line 2 and 1.75 in line "
                      "4"));
  const train::Dataset classes = load_rows("smiles,c\nCCO,a\nCC,b\nOCC,b\nC,a\n", "c");
  CHECK_THAT(lines_of(classes.notes), Contains("\"CCO\" has a in line 2 and b in line 4"));
}

TEST_CASE("a given split is kept, with a note on molecules that it tests on and trains on", "[train][repeats]") {
  const train::Dataset data =
      load_rows("smiles,y,split\nCCO,1.5,train\nCC,2.5,train\nOCC,1.5,test\nC,0.5,test\nN,1,val\n");
  const data::Split split = train::make_split(data, {}, 0, 0);
  CHECK(split[2] == data::Role::test);
  CHECK_THAT(lines_of(train::notes_on_shared_items(data, split)),
             Contains("1 of the 2 molecules of the test part are in the training part as well, such as \"OCC\""));
  CHECK(train::notes_on_shared_items(data, {5, data::Role::train}).empty());
}

TEST_CASE("atoms that are tested on and trained on are noted by their molecules", "[train][repeats]") {
  const test::TemporaryDirectory directory;
  directory.write("m.csv", "smiles,v,split\nCCO,1 2 3,train\nCC,4 5,train\nOCC,3 2 1,test\nC,6,test\n");
  train::DataConfig config;
  config.molecules = directory.path("m.csv");
  config.atom_target = {"v"};
  config.task = "regression";
  const train::Dataset data = train::read_dataset(config);
  const data::Split split = train::make_split(data, {}, 0, 0);
  CHECK_THAT(lines_of(train::notes_on_shared_items(data, split)),
             Contains("1 of the 2 molecules of the test part are in the training part as well, such as \"OCC\""));
}

TEST_CASE("a note says that the same text is trained on and tested on", "[train][repeats]") {
  const test::TemporaryDirectory directory;
  directory.write("t.csv", "text,mood\na good day,good\na bad day,bad\na  good day,good\nbad day,bad\n");
  train::DataConfig config;
  config.texts = (directory.path() / "t.csv").string();
  config.label = {"mood"};
  const train::Dataset data = train::read_dataset(config);
  constexpr auto kTrain = data::Role::train, kValidation = data::Role::validation, kTest = data::Role::test;
  CHECK_THAT(lines_of(train::notes_on_shared_items(data, {kTrain, kTrain, kTest, kValidation})),
             Contains("1 of the 1 texts of the test part are in the training part as well"));
  CHECK(train::notes_on_shared_items(data, {kTrain, kValidation, kTrain, kTest}).empty());
}

TEST_CASE("pretraining keeps the rows of a molecule together", "[train][repeats]") {
  const test::TemporaryDirectory directory;
  directory.write("m.csv", table_of(12, 2));
  train::DataConfig config;
  config.molecules = (directory.path() / "m.csv").string();
  config.task = train::kMaskedAtoms;
  const train::Dataset data = train::read_dataset(config);
  const data::Split split = train::make_split(data, split_of(train::SplitKind::random), 1, 0);
  std::vector<data::Role> of_graphs;
  for (std::size_t g = 0; g + 1 < data.collection->offsets.size(); ++g)
    of_graphs.push_back(split[data.collection->offsets[g]]);
  REQUIRE(of_graphs.size() == 24);
  CHECK(are_together(of_graphs, 12));
  CHECK(std::set(of_graphs.begin(), of_graphs.end()).size() == 3);
}
