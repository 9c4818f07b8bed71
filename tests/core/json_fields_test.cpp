#include "edgewise/core/json_fields.hpp"

#include <array>
#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;

namespace {

enum class Colour { red, green };
std::vector<std::string> colour_names() { return {"red", "green"}; }

struct Inner {
  std::int64_t depth = 2;

  friend bool operator==(const Inner&, const Inner&) = default;
};

struct Options {
  bool is_on = false;
  std::string name = {};
  std::vector<std::string> paths = {};
  Colour colour = Colour::red;
  std::int64_t count = 3;
  double share = 0.5;
  float dropout = 0;
  float rate = 0.1F;
  Inner inner = {};

  friend bool operator==(const Options&, const Options&) = default;
};

constexpr std::array kInnerFields = {
    json::make_field<Inner, &Inner::depth, json::Integer<1, 10>>("depth", "how deep"),
};
std::span<const json::Field<Inner>> inner_fields() { return kInnerFields; }

constexpr std::array kFields = {
    json::make_field<Options, &Options::is_on, json::Flag>("on", "whether it is on", "--on"),
    json::make_field<Options, &Options::name, json::Text>("name", "what it is called"),
    json::make_field<Options, &Options::paths, json::Texts>("paths", "where it is"),
    json::make_field<Options, &Options::colour, json::Choice<colour_names>>("colour", "how it looks"),
    json::make_field<Options, &Options::count, json::Integer<0>>("count", "how many"),
    json::make_field<Options, &Options::share, json::Number<0.0, 1.0>>("share", "of all"),
    json::make_field<Options, &Options::dropout, json::Probability>("dropout", "of an element"),
    json::make_field<Options, &Options::rate, json::Required<json::AboveZero>>("rate", "of learning"),
    json::make_field<Options, &Options::inner, json::Nested<inner_fields>>("inner", "what is within"),
};
std::span<const json::Field<Options>> fields() { return kFields; }

Options read(const std::string& text) { return json::read_fields(json::parse(text, "c.json"), fields()); }

}  // namespace

TEST_CASE("fields are read, and keep their defaults where they are missing", "[core][json_fields]") {
  CHECK(read(R"({"rate": 0.1})") == Options());
  CHECK(read(R"({"on": true, "name": "n", "paths": ["a", "b"], "colour": "green", "count": 0, "share": 1,
                 "dropout": 0.25, "rate": 2, "inner": {"depth": 10}})") ==
        Options{true, "n", {"a", "b"}, Colour::green, 0, 1, 0.25F, 2, {10}});
  CHECK(read(R"({"rate": 1, "paths": "a"})").paths == std::vector<std::string>{"a"});
  CHECK(read(R"({"rate": 1, "inner": null})").inner == Inner());
}

TEST_CASE("fields that are written are read as they were", "[core][json_fields]") {
  for (const Options& options : {Options(), Options{true, "n", {"a", "b"}, Colour::green, 7, 0, 0.5F, 3, {1}}}) {
    json::Value object = json::Object{};
    json::write_fields(fields(), options, object);
    CHECK((object.find("name") == nullptr) == options.name.empty());
    CHECK((object.find("paths") == nullptr) == options.paths.empty());
    CHECK(json::read_fields(object, fields()) == options);
  }
}

TEST_CASE("values that a field does not take are refused by its path", "[core][json_fields]") {
  const auto [text, message] = GENERATE(table<std::string, std::string>({
      {R"({"colour": "blue"})", "c.json: colour: expected one of red, green, got \"blue\""},
      {R"({"colour": 1})", "c.json: colour: expected one of red, green, got 1"},
      {R"({"count": -1})", "c.json: count: expected an integer of at least 0, got -1"},
      {R"({"share": 1.5})", "c.json: share: expected a number in [0, 1], got 1.5"},
      {R"({"dropout": 1})", "c.json: dropout: expected a probability of at least 0 and below 1, got 1"},
      {R"({"dropout": 1e99})", "c.json: dropout: expected a number within the range of floats, got 1e99"},
      {R"({"rate": 0})", "c.json: rate: expected a number above 0, got 0"},
      {R"({"rate": 1, "inner": {"depth": 11}})", "c.json: inner.depth: expected an integer from 1 to 10, got 11"},
  }));
  INFO(text);
  CHECK_THROWS_WITH(read(text), message);
  CHECK_THROWS_AS(read(R"({})"), UsageError);                                  // "rate" is required
  CHECK_THROWS_AS(read(R"({"rate": 1, "inner": {"width": 1}})"), UsageError);  // inner objects have their fields only
}

TEST_CASE("members that are no fields are refused where only those are allowed", "[core][json_fields]") {
  const json::Value object = json::parse(R"({"rate": 1, "type": "t", "cuont": 3})", "c.json");
  CHECK_THROWS_WITH(json::allow_fields(object, fields(), {"type"}), Catch::Matchers::Contains("cuont"));
  CHECK_NOTHROW(json::allow_fields(object, fields(), {"type", "cuont"}));
}

TEST_CASE("fields have names, types and those within them", "[core][json_fields]") {
  const std::vector<json::FieldDoc> docs = json::docs_of(fields());
  REQUIRE(docs.size() == std::size(kFields));
  CHECK(docs.front().name == "on");
  CHECK(docs.front().flag == "--on");
  CHECK(docs.front().type == json::FieldType::boolean);
  CHECK(docs.back().type == json::FieldType::object);
  REQUIRE(docs.back().fields.size() == 1);
  CHECK(docs.back().fields[0].doc == "how deep");
}
