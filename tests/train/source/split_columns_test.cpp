#include "edgewise/train/source/split_columns.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <tuple>

#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

/// Six people, each with the cells of `rows` in the columns of `header`.
struct People {
  test::FriendFiles files;

  People(const std::string& header, const std::vector<std::string>& rows) {
    std::string text = "id,buys,age," + header + "\n";
    for (std::size_t i = 0; i < rows.size(); ++i)
      text += fmt::format("p{},{},{},{}\n", i, i % 2 == 0 ? "yes" : "no", 20 + i, rows[i]);
    files.write("people.csv", text);
    files.write("friends.csv", "source,target\np0,p1\np1,p2\np2,p3\np3,p4\np4,p5\n");
  }

  train::Dataset read(const train::LoadOptions& options = {}) const {
    return train::read_dataset(files.config.data, options);
  }

  /// t, v, e or - for each of the people.
  std::string roles() const {
    const train::Dataset data = read();
    const data::Split split = train::make_split(data, {}, 1, 0);
    std::string letters;
    for (const data::Role role : split) letters += "-tve"[static_cast<int>(role)];
    return letters;
  }
};

std::string all_notes(const train::Dataset& data) {
  std::string text;
  for (const std::string& note : data.notes) text += note + "\n";
  return text;
}

const std::vector<std::string> kMasks = {"1,0,0", "1,0,0", "0,1,0", "0,1,0", "0,0,1", "0,0,0"};

}  // namespace

TEST_CASE("masks are the split", "[train][source][split_columns]") {
  for (const char* header :
       {"train_mask,val_mask,test_mask", "train_mask,valid_mask,test_mask", "is_train,is_val,is_test",
        "isTrain,isValid,isTest", "train,val,test", "Train_Mask,Dev_Mask,Test_Mask", "train_idx,val_idx,test_idx",
        "training_set,validation_set,test_set"}) {
    INFO(header);
    const People people(header, kMasks);
    CHECK(people.roles() == "ttvve-");
    const train::Dataset data = people.read();
    CHECK(io::names_of(data.table.columns) == std::vector<std::string>{"buys", "age", "split"});
    CHECK_THAT(all_notes(data), Contains("people.csv: the split is read from ") &&
                                    Contains("(2 train, 2 validation, 1 test); split.kind random draws another"));
  }
  const People words("train_mask,val_mask,test_mask", {"True,False,False", "True,False,False", "False,true,False",
                                                       "False,TRUE,False", "False,False,True", "False,False,False"});
  CHECK(words.roles() == "ttvve-");
}

TEST_CASE("one mask leaves the others to another part", "[train][source][split_columns]") {
  CHECK(People("is_train", {"1", "1", "0", "0", "1", "0"}).roles() == "tteete");
  CHECK(People("train_mask", {"1", "1", "0", "0", "1", ""}).roles() == "tteet-");
  CHECK(People("test_mask", {"1", "1", "0", "0", "1", "0"}).roles() == "eettet");
  CHECK(People("train_mask,val_mask", {"1,0", "1,0", "0,1", "0,0", "0,0", "0,1"}).roles() == "ttveev");
}

TEST_CASE("masks that overlap are refused in one line", "[train][source][split_columns]") {
  const People people("train_mask,val_mask,test_mask", {"1,0,0", "1,0,1", "0,1,0", "0,1,0", "0,0,1", "0,0,0"});
  CHECK_THROWS_WITH(people.read(), Contains("people.csv:3: \"p1\" is in \"train_mask\" and in \"test_mask\"") &&
                                       Contains("data.ignore train_mask,val_mask,test_mask"));
}

TEST_CASE("columns that are no masks stay features", "[train][source][split_columns]") {
  const auto columns = [](const std::string& header, const std::vector<std::string>& rows) {
    const train::Dataset data = People(header, rows).read();
    CHECK_THAT(all_notes(data), !Contains("split"));
    return io::names_of(data.table.columns).size();
  };
  CHECK(columns("is_valid", {"1", "0", "0", "1", "0", "0"}) == 3);
  CHECK(columns("vehicle", {"train", "bus", "car", "train", "bus", "car"}) == 3);
  CHECK(columns("set", {"red", "blue", "red", "blue", "red", "blue"}) == 3);
}

TEST_CASE("what may be a mask, or who goes by train, stays a feature and is said", "[train][source][split_columns]") {
  for (const auto& [header, rows, count] :
       {std::tuple{"train", std::vector<std::string>{"1", "0", "0", "1", "0", "0"}, 3U},
        {"train,bus", {"1,0", "0,1", "0,1", "1,1", "0,0", "0,0"}, 4U},
        {"test,train_time", {"1,5", "0,3", "0,1", "1,1", "0,0", "0,0"}, 4U}}) {
    const train::Dataset data = People(header, rows).read();
    CHECK(io::names_of(data.table.columns).size() == count);
    CHECK_THAT(all_notes(data), Contains("looks like a split, and is taken for a feature"));
  }
}

TEST_CASE("a column of words for parts is the split", "[train][source][split_columns]") {
  for (const char* header : {"set", "Model", "fold", "subset", "partition", "phase"}) {
    INFO(header);
    const People people(header, {"Train", "Train", "Valid", "Valid", "Test", "Train"});
    CHECK(people.roles() == "ttvvet");
    CHECK_THAT(all_notes(people.read()), Contains(fmt::format("the split is read from \"{}\" (3 train", header)));
    CHECK(people.read({.split_columns = {header}}).table.find(header) != nullptr);
  }
  const People several("set,Model",
                       {"train,Train", "train,Train", "test,Test", "test,Test", "test,Train", "train,Test"});
  CHECK_THAT(all_notes(several.read()),
             Contains("\"set\", \"Model\" look like a split, and are taken for features; split.column set reads one"));
}

TEST_CASE("what may be a split is said", "[train][source][split_columns]") {
  const People people("fold", {"0", "1", "2", "0", "1", "2"});
  CHECK_THAT(all_notes(people.read()), Contains("\"fold\" looks like a split, and is taken for a feature") &&
                                           Contains("split.group fold keeps items with the same value together, "
                                                    "data.ignore fold leaves it out"));
  for (const char* mask : {"train", "test", "Training"})
    CHECK_THAT(all_notes(People(mask, {"1", "1", "0", "0", "1", "0"}).read()), Contains("looks like a split"));
  CHECK_THAT(all_notes(People("use", {"tr", "tr", "va", "va", "te", "te"}).read()),
             Contains("\"use\" looks like a split"));
  CHECK_THAT(all_notes(People("valid", {"1", "1", "0", "0", "1", "0"}).read()), !Contains("split"));
  const People ignored("train_mask,test_mask", {"1,0", "1,0", "0,1", "0,1", "0,1", "1,0"});
  train::DataConfig config = ignored.files.config.data;
  config.ignore = {"train_mask", "test_mask"};
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.table.find("train_mask") != nullptr);
  CHECK_THAT(all_notes(data), !Contains("split"));
  const People both("split,train_mask,val_mask,test_mask",
                    {"train,1,0,0", "train,1,0,0", "test,0,1,0", "test,0,1,0", "train,0,0,1", "test,0,0,0"});
  CHECK(both.roles() == "tteete");
  CHECK_THAT(all_notes(both.read()), Contains("\"train_mask\", \"val_mask\", \"test_mask\" look like a split"));
}
