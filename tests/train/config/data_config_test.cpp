#include "edgewise/train/config/data_config.hpp"

#include <catch2/catch.hpp>

#include "edgewise/train/config/config.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

TEST_CASE("target means label for molecules and data sets of the catalogue", "[train][data_config]") {
  const auto data_of = [](const std::string& text) { return train::parse_config(json::parse(text, "config")).data; };
  for (const std::string source : {R"("molecules": "m.csv")", R"("dataset": "esol")"}) {
    const train::DataConfig data = data_of("{\"data\": {" + source + R"(, "target": "a,b"}})");
    CHECK(data.label == std::vector<std::string>{"a", "b"});
    CHECK(data.target.empty());
    CHECK_THROWS_WITH(data_of("{\"data\": {" + source + R"(, "target": "a", "label": "b"}})"), Contains("not both"));
  }
  CHECK(data_of(R"({"data": {"edges": "e.csv", "source": "from", "target": "to"}})").target == "to");
}

TEST_CASE("the weight of molecules is that of rows", "[train][data_config]") {
  const auto data_of = [](const char* source) {
    return train::parse_config(json::Object{{"data", json::Object{{source, "x.csv"}, {"weight", "w"}}}}).data;
  };
  CHECK(data_of("molecules").row_weight == "w");
  CHECK(data_of("molecules").weight.empty());
  CHECK(data_of("edges").weight == "w");
  CHECK(data_of("edges").row_weight.empty());
}

TEST_CASE("edges and nodes may be lists of files", "[train][data_config]") {
  const auto read = [](const char* data) {
    return train::parse_config(json::parse(std::string("{\"data\": ") + data + "}", "c.json").rooted_at("c.json"));
  };
  const train::DataConfig several = read(R"({"edges": ["a.csv", "b.csv"], "nodes": ["n.csv"]})").data;
  CHECK(several.edges.files() == std::vector<std::string>{"a.csv", "b.csv"});
  CHECK(several.edges.text() == "a.csv, b.csv");
  CHECK(several.nodes == FileList("n.csv"));
  CHECK(json::dump(train::to_json(several).at("edges")) == R"(["a.csv","b.csv"])");
  CHECK(train::to_json(several).at("nodes") == json::Value("n.csv"));
  CHECK_THROWS_WITH(read(R"({"edges": ["a.csv", "a.csv"]})"),
                    Contains("data.edges: expected each file once, got \"a.csv\" twice"));
}
