#include "edgewise/data/node_labels.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;

namespace {

io::NodeTable table() {
  const test::TemporaryDirectory folder;
  return io::read_node_table(folder.write("people.csv",
                                          "id,buys,grade,height,likes,owns,none,one\n"
                                          "a,yes,10,1.5,1,true,,x\n"
                                          "b,no,9,1.75,0,false,,x\n"
                                          "c,,2,,,true,,\n"
                                          "d,yes,10,2,1,,,x\n"));
}

}  // namespace

TEST_CASE("classes in ascending order", "[data][node_labels]") {
  const Labels words = read_labels(table(), {.columns = {"buys"}});
  CHECK(words.task == Task::classification);
  CHECK(words.names == std::vector<std::string>{"no", "yes"});
  CHECK(words.classes == std::vector<std::int32_t>{1, 0, -1, 1});
  const Labels numbers = read_labels(table(), {.columns = {"grade"}});
  CHECK(numbers.names == std::vector<std::string>{"2", "9", "10"});
  CHECK(numbers.classes == std::vector<std::int32_t>{2, 1, 0, 2});
}

TEST_CASE("classes known to a model keep its order", "[data][node_labels]") {
  const Labels labels = read_labels(table(), {.columns = {"buys"}, .classes = {"yes", "maybe", "no"}});
  CHECK(labels.classes == std::vector<std::int32_t>{0, 2, -1, 0});
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"buys"}, .classes = {"maybe", "no"}}),
                    Contains("people.csv:2: column \"buys\": \"yes\" is not one of the model's classes (maybe, no)"));
  const Labels unknown =
      read_labels(table(), {.columns = {"none"}, .task = Task::classification, .classes = {"no", "yes"}});
  CHECK(unknown.classes == std::vector<std::int32_t>(4, -1));
}

TEST_CASE("classes known to a model have other spellings", "[data][node_labels]") {
  const test::TemporaryDirectory folder;
  const auto read = [&](const std::string& cells, std::vector<std::string> classes) {
    const io::NodeTable table = io::read_node_table(folder.write("l.csv", "id,y\n" + cells), {.texts = {{"y"}}});
    return read_labels(table, {.columns = {"y"}, .classes = std::move(classes)}).classes;
  };
  CHECK(read("a,TRUE\nb,false\nc,\n", {"False", "True"}) == std::vector<std::int32_t>{1, 0, -1});
  CHECK(read("a,1\nb,0\nc,1.0\n", {"False", "True"}) == std::vector<std::int32_t>{1, 0, 1});
  CHECK(read("a,1e1\nb,20.0\nc,+10\n", {"10", "20"}) == std::vector<std::int32_t>{0, 1, 0});
  CHECK_THROWS_AS(read("a,true\n", {"red", "blue"}), DataError);
}

TEST_CASE("numeric labels and several labels", "[data][node_labels]") {
  const Labels height = read_labels(table(), {.columns = {"height"}});
  CHECK(height.task == Task::regression);
  CHECK(height.targets(1, 0) == 1.75F);
  CHECK(std::isnan(height.targets(2, 0)));
  const Labels several = read_labels(table(), {.columns = {"likes", "owns"}});
  CHECK(several.task == Task::multilabel);
  CHECK(several.names == std::vector<std::string>{"likes", "owns"});
  CHECK(several.targets(1, 1) == 0);
  CHECK(several.targets(2, 1) == 1);
  CHECK(std::isnan(several.targets(3, 1)));
  CHECK(read_labels(table(), {.columns = {"height", "grade"}}).task == Task::regression);
  CHECK(read_labels(table(), {.columns = {"grade"}, .task = Task::regression}).targets(0, 0) == 10);
}

TEST_CASE("classes keep their spelling", "[data][node_labels]") {
  const test::TemporaryDirectory folder;
  io::NodeTable table = io::read_node_table(folder.write("a.csv", "id,code\na,02134\nb,2134\nc,unknown\n"));
  prepare_label_columns({"code"}, {"unknown"}, table);
  CHECK(read_labels(table, {.columns = {"code"}}).names == std::vector<std::string>{"02134", "2134"});

  const io::NodeTable texts =
      io::read_node_table(folder.write("b.csv", "id,code\na,1.0\nb,01\nc,2e0\n"), {.texts = {{"code"}}});
  CHECK(texts.at("code").text(1) == "01");
  CHECK(read_labels(texts, {.columns = {"code"}, .classes = {"1", "2"}}).classes == std::vector<std::int32_t>{0, 0, 1});
  CHECK(read_labels(texts, {.columns = {"code"}, .classes = {"2e0", "01", "1.0"}}).classes ==
        std::vector<std::int32_t>{2, 1, 0});
  CHECK_THROWS_WITH(read_labels(texts, {.columns = {"code"}, .classes = {"1", "2", "K1A"}}),
                    Contains("\"01\" is not one of the model's classes"));
}

TEST_CASE("targets that differ in digits that are not kept are refused", "[data][node_labels]") {
  const test::TemporaryDirectory folder;
  std::string rows = "id,at,same,rest,scale\n";
  for (int i = 0; i < 50; ++i)
    rows += std::to_string(i) + "," + std::to_string(1700000000 + 10 * i) + ",1700000001," + std::to_string(10 * i) +
            "," + std::to_string(16777217 * (i % 7)) + "\n";
  const io::NodeTable table = io::read_node_table(folder.write("times.csv", rows));
  for (const char* column : {"at", "same"})
    CHECK_THROWS_WITH(read_labels(table, {.columns = {column}, .task = Task::regression}),
                      Contains("times.csv: column \"" + std::string(column) + "\": the values differ only beyond"));
  for (const char* column : {"rest", "scale"})
    CHECK_NOTHROW(read_labels(table, {.columns = {column}, .task = Task::regression}));
}

TEST_CASE("a column becomes the logarithms of its numbers", "[data][node_labels]") {
  io::NodeTable people = table();
  prepare_label_columns({"log10(grade)", "log10(nowhere)", "height"}, {"2"}, people);
  CHECK(people.find("grade") == nullptr);  // or it would be a feature
  const Labels labels = read_labels(people, {.columns = {"log10(grade)"}});
  CHECK(labels.task == Task::regression);
  CHECK(labels.names == std::vector<std::string>{"log10(grade)"});
  CHECK(labels.targets(0, 0) == 1);
  CHECK(labels.targets(1, 0) == Approx(std::log10(9)));
  CHECK(std::isnan(labels.targets(2, 0)));  // 2 is a missing label
  CHECK(std::isnan(people.at("height").numbers[3]));
  prepare_label_columns({"log10(grade)"}, {}, people);  // once is enough
  CHECK(read_labels(people, {.columns = {"log10(grade)"}}).targets(0, 0) == 1);
  CHECK_THROWS_WITH(prepare_label_columns({"log10(likes)"}, {}, people),
                    Contains("people.csv:3") && Contains("\"likes\": expected a number above 0") && Contains("got 0"));
  CHECK_THROWS_WITH(prepare_label_columns({"log10(buys)"}, {}, people), Contains("expected a number, got \"yes\""));
}

TEST_CASE("targets whose logarithm is easier to learn are noted", "[data][node_labels]") {
  Labels labels{
      .task = Task::regression, .names = {"even", "prices", "with zeros", "few"}, .classes = {}, .targets = {}};
  labels.targets.resize(100, 4);
  for (Eigen::Index row = 0; row < 100; ++row) {
    const float along = static_cast<float>(row) / 10;
    labels.targets.row(row) << 1 + along, std::exp(along), row == 0 ? 0 : std::exp(along),
        row < 10 ? std::exp(along) : NAN;
  }
  const std::vector<std::string> notes = logarithm_notes(labels);
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], Contains("\"prices\" is above 0 everywhere") && Contains("\"log10(prices)\" in its place"));
  CHECK_THAT(notes[1], Contains("\"with zeros\" is 0 or above everywhere") && Contains("\"log1p(with zeros)\""));
  labels.targets(5, 2) = -1;
  CHECK(logarithm_notes(labels).size() == 1);
}

TEST_CASE("a class for nearly every row is noted", "[data][node_labels]") {
  Labels labels;
  for (std::int32_t i = 0; i < 30; ++i) {
    labels.names.push_back(std::to_string(i));
    labels.classes.push_back(i);
  }
  REQUIRE(class_notes(labels).size() == 1);
  CHECK_THAT(class_notes(labels)[0], Contains("30 classes for 30 labelled rows"));
  for (std::int32_t i = 0; i < 90; ++i) labels.classes.push_back(i % 30);
  CHECK(class_notes(labels).empty());
}

TEST_CASE("numbers that a task does not take are refused with their line", "[data][node_labels]") {
  const Task counts{.name = "counts", .shape = LabelShape::numbers, .are_whole = true, .least = 0};
  const io::NodeTable people = table();
  CHECK(read_labels(people, {.columns = {"likes"}, .task = counts}).task == counts);
  CHECK_THROWS_WITH(read_labels(people, {.columns = {"height"}, .task = counts}),
                    Contains("people.csv:2") && Contains("\"height\": expected a whole number of at least 0, got"));
}

TEST_CASE("unusable labels are refused", "[data][node_labels]") {
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"bought"}}), Contains("bought"));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"none"}}), Contains("no node has a label"));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"none"}, .noun = "molecule"}),
                    Contains("no molecule has a label"));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"none"}, .task = Task::regression}),
                    Contains("no node has a value"));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"one"}}), Contains("every label is \"x\"; expected two classes"));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"buys"}, .task = Task::regression}),
                    Contains("people.csv:2: column \"buys\": expected a number, got \"yes\""));
  CHECK_THROWS_WITH(read_labels(table(), {.columns = {"likes", "grade"}, .task = Task::multilabel}),
                    Contains("people.csv:2: column \"grade\": expected 0 or 1"));
  io::NodeTable header;
  header.file = "header.csv";
  header.columns.resize(1);
  header.columns[0].name = "buys";
  CHECK_THROWS_WITH(read_labels(header, {.columns = {"buys"}}), "header.csv: has a header and no rows");
  CHECK(read_labels(header, {.columns = {"buys"}, .classes = {"no", "yes"}}).classes.empty());
  CHECK_THROWS_AS(read_labels(table(), {}), UsageError);
  CHECK_THROWS_AS(read_labels(table(), {.columns = {"buys", "grade"}, .task = Task::classification}), UsageError);
}
