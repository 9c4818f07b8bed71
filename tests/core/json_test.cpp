#include "edgewise/core/json.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <limits>

#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("json keeps order, types and numbers", "[core][json]") {
  const json::Value value = json::parse(R"({"b": [1, 2.5, true, null, "x"], "a": {"c": -7}})", "t");
  CHECK(json::dump(value) == R"({"b":[1,2.5,true,null,"x"],"a":{"c":-7}})");
  CHECK(value.at("a").get("c", 0) == -7);
  CHECK(value.get("missing", 3) == 3);
}

TEST_CASE("json reads numbers to the last bit", "[core][json]") {
  const auto number = [](const std::string& text) { return json::parse(text, "t").as_number(); };
  const std::string zeros(400, '0');
  CHECK(number("0.1") == 0.1);
  CHECK(number("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(number("1.7976931348623157e308") == std::numeric_limits<double>::max());
  CHECK(number("9007199254740993.0") == 9007199254740992.0);  // halfway: round to even
  CHECK(number("18446744073709551615") == 18446744073709551615.0);
  CHECK(number(fmt::format("0.{}1", zeros)) == 0);
  CHECK(number(fmt::format("0.{}1e400", zeros)) == Approx(0.1));
  CHECK(number("-1e-99999999999") == 0);
  CHECK(json::parse("9223372036854775807", "t").as_integer() == std::numeric_limits<std::int64_t>::max());
  CHECK(json::parse("-0", "t").as_integer() == 0);
  CHECK_THROWS_WITH(json::parse(fmt::format("[1{}]", zeros), "f.json"), Contains("f.json:1:"));
}

TEST_CASE("json writes a float with its own digits", "[core][json]") {
  CHECK(json::dump(json::Value(0.1F)) == "0.1");
  CHECK(json::dump(json::Value(16777216.0F)) == json::dump(json::Value(16777216.0)));
  for (const float value : {0.076725006F, 1e-40F, 3.4e38F, -1.0F / 3})
    CHECK(static_cast<float>(json::Value(value).as_number()) == value);
}

TEST_CASE("json keeps how numbers are spelt on request", "[core][json]") {
  const json::Value spelt = json::parse("[1e2, 18446744073709551616, -0, 7, 0.50]", "t", json::Numbers::spelt);
  const json::Array& numbers = spelt.as_array();
  CHECK(numbers[0].as_spelt() == "1e2");
  CHECK(numbers[0].as_number() == 100);
  CHECK(numbers[1].as_spelt() == "18446744073709551616");
  CHECK(numbers[2].as_spelt() == "-0");
  CHECK(numbers[3].as_integer() == 7);
  CHECK(numbers[3].as_spelt() == "7");
  CHECK(json::dump(spelt) == "[100.0,18446744073709553000.0,-0.0,7,0.5]");
  CHECK(json::parse("1e2", "t").as_spelt() == "100.0");
  CHECK_THROWS_AS(json::parse("\"7\"", "t").as_spelt(), UsageError);
}

TEST_CASE("json reports the position of an error", "[core][json]") {
  CHECK_THROWS_WITH(json::parse("{\n  \"a\": }", "f.json"), Contains("f.json:2:8"));
  CHECK_THROWS_WITH(json::parse(R"({"a": 1, "a": 2})", "f.json"), Contains("\"a\" appears here a second time"));
  CHECK_THROWS_AS(json::parse("", "f.json"), DataError);
  CHECK_THROWS_AS(json::parse("{} x", "f.json"), DataError);
  CHECK_THROWS_AS(json::parse("[1e999]", "f.json"), DataError);
  CHECK_THROWS_AS(json::parse("\"\xff\"", "f.json"), DataError);
  CHECK_THROWS_WITH(json::parse(std::string(100000, '['), "f.json"), Contains("nested deeper"));
}

TEST_CASE("json values get the same paths as in parsing", "[core][json]") {
  const char* text = R"({"a": {"b": [1, {"c": 2.5}, []]}, "d": null, "e": [[true]]})";
  const json::Value parsed = json::parse(text, "file.json");
  const json::Value rooted = json::parse(text, "elsewhere").rooted_at("file.json");
  CHECK(rooted == parsed);
  CHECK(rooted.path() == "file.json");
  CHECK(rooted.at("d").path() == parsed.at("d").path());
  const json::Value& inner = rooted.at("a").at("b").as_array()[1].at("c");
  CHECK(inner.path() == "file.json: a.b[1].c");
  CHECK(inner.path() == parsed.at("a").at("b").as_array()[1].at("c").path());
  CHECK(rooted.at("e").as_array()[0].as_array()[0].path() == parsed.at("e").as_array()[0].as_array()[0].path());
  CHECK(json::parse("[[1]]", "o").as_array()[0].path() == json::parse("[[1]]", "").rooted_at("o").as_array()[0].path());
}

TEST_CASE("json getters report the value by its path", "[core][json]") {
  const json::Value value = json::parse(R"({"blocks": [{}, {"heads": "many"}]})", "m.json");
  CHECK_THROWS_WITH(value.at("blocks").as_array()[1].get("heads", 1),
                    Contains("m.json: blocks[1].heads: expected an integer, got \"many\""));
  CHECK_THROWS_WITH(value.at("bloks"), Contains("\"bloks\" is missing"));
  CHECK_THROWS_WITH(value.allow_only({"layers"}), Contains("unknown member \"blocks\"; known are layers"));
}

TEST_CASE("JSON knows the path to a value, even in copies that outlive the document", "[core][json]") {
  json::Value inner;
  {
    const json::Value root = json::parse(R"({"a": [{"b": {"c": [1, "x"]}}], "d": {}, "e": []})", "f.json");
    inner = root.at("a").as_array()[0].at("b").at("c").as_array()[1];
    CHECK(root.path() == "f.json");
    CHECK(root.at("a").path() == "f.json: a");
    CHECK(root.at("e").path() == "f.json: e");
  }
  CHECK(inner.path() == "f.json: a[0].b.c[1]");
  CHECK(json::parse("[[1, 2]]", "g").as_array()[0].as_array()[1].path() == "g[0][1]");
  CHECK(json::Value("x").path().empty());
}

TEST_CASE("JSON finds repeated names among many", "[core][json]") {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) text += "\"k" + std::to_string(i) + "\":0,";
  CHECK(json::parse(text + "\"last\":0}", "f").as_object().size() == 100'001);
  for (const char* name : {"k3", "k15", "k16", "k99999"})
    CHECK_THROWS_AS(json::parse(text + "\"" + name + "\":0}", "f"), DataError);
}

TEST_CASE("JSON nested under long names takes proportional memory", "[core][json]") {
  std::string text;
  for (int i = 0; i < 200; ++i) text.append("{\"").append(1000, 'n').append("\":");
  text += "[0";
  for (int i = 0; i < 100'000; ++i) text += ",0";
  text.append("]").append(200, '}');
  const double before = peak_rss_mib();
  json::parse(text, "f");
  CHECK(peak_rss_mib() - before < 100);
}

TEST_CASE("members are found and set by their path", "[core][json]") {
  json::Value root;
  json::set_at(root, "training.schedule.kind", "cosine");
  json::set_at(root, "training.epochs", 3);
  CHECK(json::dump(root) == R"({"training":{"schedule":{"kind":"cosine"},"epochs":3}})");
  REQUIRE(json::find_at(root, "training.schedule.kind") != nullptr);
  CHECK(json::find_at(root, "training.schedule.kind")->as_string() == "cosine");
  CHECK(json::find_at(root, "training.schedule.steps") == nullptr);
  CHECK(json::find_at(root, "training.epochs.kind") == nullptr);
  CHECK(json::find_at(root, "model") == nullptr);
  CHECK_THROWS_AS(json::set_at(root, "training.epochs.kind", 1), UsageError);
}

TEST_CASE("a byte order mark before JSON is skipped", "[core][json]") {
  CHECK(json::parse("\xef\xbb\xbf{\"a\": 1}", "c.json").at("a").as_integer() == 1);
  CHECK_THROWS_WITH(json::parse("\xef\xbb\xbf{\n  x}", "c.json"), Contains("c.json:2:"));
}
