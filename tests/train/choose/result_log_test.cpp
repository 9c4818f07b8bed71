#include "edgewise/train/choose/result_log.hpp"

#include <catch2/catch.hpp>

#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// A log of squares: {"number": 3, "square": 9}.
struct Squares {
  test::FriendFiles files;

  ResultLog open(const char* name, const std::string& about = "these") const {
    const std::string path = *name == '\0' ? "" : files.path(name);
    const auto check = [](const json::Value& result) { result.at("square").as_integer(); };
    return {path,
            {.schema = "squares/1", .about = "calculation", .list = "squares", .key = {"number"}, .check = check},
            {json::Value(about), {{"data.edges", files.path("friends.csv")}}}};
  }

  static json::Value square(std::int64_t number) {
    return json::Object{{"number", number}, {"square", number * number}};
  }
};

json::Object numbered(std::int64_t of) { return {{"number", of}}; }

}  // namespace

TEST_CASE("a log that is opened again has its results", "[train][result_log]") {
  const Squares squares;
  {
    ResultLog log = squares.open("log.json");
    CHECK(log.results().empty());
    log.add(Squares::square(3));
    log.add(Squares::square(4));
    log.add(Squares::square(3));
  }
  const ResultLog log = squares.open("log.json");
  CHECK(log.results().size() == 2);
  REQUIRE(log.find(numbered(4)) != nullptr);
  CHECK(log.find(numbered(4))->at("square").as_integer() == 16);
  CHECK(log.find(numbered(5)) == nullptr);
}

TEST_CASE("two that write one log lose nothing", "[train][result_log]") {
  const Squares squares;
  ResultLog first = squares.open("log.json"), second = squares.open("log.json");
  first.add(Squares::square(1));
  second.add(Squares::square(2));
  first.add(Squares::square(3));
  CHECK(first.results().size() == 3);
  CHECK(squares.open("log.json").results().size() == 3);
}

TEST_CASE("without a path results are kept in memory", "[train][result_log]") {
  const Squares squares;
  ResultLog log = squares.open("");
  log.add(Squares::square(2));
  CHECK(log.find(numbered(2)) != nullptr);
}

TEST_CASE("a log that could not be written is refused at once", "[train][result_log]") {
  CHECK_THROWS_WITH(Squares().open("absent/log.json"), Contains("absent/log.json: cannot be written"));
}

TEST_CASE("a log of something else is refused", "[train][result_log]") {
  const Squares squares;
  squares.open("log.json").add(Squares::square(1));
  CHECK_THROWS_WITH(squares.open("log.json", "others"), Contains("log.json: is of another calculation"));
  squares.files.write("friends.csv", "source,target\na,b\n");
  CHECK_THROWS_WITH(squares.open("log.json"), Contains("is of files that have changed since"));
  squares.files.write("broken.json", "");
  CHECK_THROWS_WITH(squares.open("broken.json"), Contains("broken.json:1:1: not valid JSON"));
  for (const char* text : {"[]", "{\"schema\": \"cubes/1\"}", "{\"schema\": \"squares/1\"}"}) {
    squares.files.write("broken.json", text);
    INFO(text);
    CHECK_THROWS_WITH(squares.open("broken.json"), Contains("broken.json: is not a log of a calculation"));
  }
}
