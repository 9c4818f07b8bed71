#include "edgewise/train/source/merge_configs.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "edgewise/train/config/config.hpp"

using namespace edgewise;

namespace {

/// The merged "data" of these members.
std::string merged_data(const std::string& base, const std::string& over) {
  const json::Value from = json::parse("{\"data\": {" + base + "}}", "base");
  return json::dump(train::merge_configs(from, json::parse("{\"data\": {" + over + "}}", "over")).at("data"));
}

}  // namespace

TEST_CASE("configurations merge member by member, but another model replaces the model", "[train][merge_configs]") {
  const json::Value base = json::parse(
      R"({"model": {"preset": "gat", "heads": 8, "width": 8}, "training": {"epochs": 5, "seed": 1}})", "base");
  const auto merged = [&](const std::string& over) {
    return json::dump(train::merge_configs(base, json::parse(over, "over")));
  };
  CHECK(merged(R"({"model": {"heads": 4}, "training": {"seed": 2}})") ==
        R"({"model":{"preset":"gat","heads":4,"width":8},"training":{"epochs":5,"seed":2}})");
  CHECK(merged(R"({"model": {"preset": "gcn"}})") == R"({"model":{"preset":"gcn"},"training":{"epochs":5,"seed":1}})");
  CHECK(merged(R"({"model": {"blocks": []}})") == R"({"model":{"blocks":[]},"training":{"epochs":5,"seed":1}})");
  CHECK(merged(R"({"model": {"preset": "gat"}})") == json::dump(base));
  const json::Value blocks = json::parse(R"({"model": {"blocks": []}})", "base");
  CHECK(json::dump(train::merge_configs(blocks, json::parse(R"({"model": {"preset": "gat"}})", "over"))) ==
        R"({"model":{"preset":"gat"}})");
  // Members of a preset are invalid with a list of blocks: Model refuses them.
  CHECK(json::dump(train::merge_configs(blocks, json::parse(R"({"model": {"heads": 4}})", "over"))) ==
        R"({"model":{"blocks":[],"heads":4}})");
  const json::Value files = json::parse(R"({"data": {"edges": "e.csv", "nodes": "n.csv", "directed": true}})", "base");
  const auto data = [&](const std::string& over) {
    return json::dump(train::merge_configs(files, json::parse(over, "over")).at("data"));
  };
  CHECK(data(R"({"data": {"nodes": "m.csv"}})") == R"({"edges":"e.csv","nodes":"m.csv","directed":true})");
  CHECK(data(R"({"data": {"graph": "g.gml"}})") == R"({"directed":true,"graph":"g.gml"})");
  const json::Value columns = json::parse(R"({"data": {"edges": "e.csv", "source": "a", "target": "b"}})", "base");
  CHECK(json::dump(train::merge_configs(columns, json::parse(R"({"data": {"graph": "g.gml"}})", "over"))) ==
        R"({"data":{"graph":"g.gml"}})");
  CHECK(data(R"({"data": {"dataset": "cora"}})") == R"({"dataset":"cora"})");  // which says how it is read
  const json::Value read = json::parse(R"({"data": {"edges": "e.csv", "weight": "w", "ignore": ["a"]}})", "base");
  CHECK(json::dump(train::merge_configs(read, json::parse(R"({"data": {"dataset": "cora"}})", "over"))) ==
        R"({"data":{"dataset":"cora"}})");
  const json::Value molecules =
      json::parse(R"({"data": {"molecules": "m.csv", "features": "standard/1", "descriptors": ["rdkit"]}})", "base");
  CHECK(json::dump(train::merge_configs(molecules, json::parse(R"({"data": {"edges": "e.csv"}})", "over"))) ==
        R"({"data":{"edges":"e.csv"}})");
  CHECK(train::merge_configs({}, json::Value(json::Object{})) == json::Value(json::Object{}));
}

TEST_CASE("another source of data replaces what is of the old one", "[train][merge_configs]") {
  const std::string files = R"("edges": "e", "nodes": "n", "id": "i", "label": "y", "directed": true, "task": "auto")";
  CHECK(merged_data(files, R"("dataset": "cora")") == R"({"task":"auto","dataset":"cora"})");
  const std::string edges = R"("edges": "e", "edge_features": ["x"], "edge_categories": {"x": ["a"]})";
  CHECK(merged_data(edges, R"("dataset": "cora")") == R"({"dataset":"cora"})");
  CHECK(merged_data(files, R"("molecules": "m")") ==
        R"({"label":"y","task":"auto","molecules":"m"})");
  CHECK(merged_data(files, R"("tu": "t")") == R"({"task":"auto","tu":"t"})");
  CHECK(merged_data(files, R"("graph": "g")") == R"({"label":"y","directed":true,"task":"auto","graph":"g"})");
  CHECK(merged_data(R"("graph": "g", "nodes": "n")", R"("edges": "e")") == R"({"nodes":"n","edges":"e"})");
  const std::string rows = R"("nodes": "n", "graph_column": "g", "order": "o", "edges": "e", "directed": true)";
  CHECK(merged_data(rows, R"("nodes": "m")") == R"({"graph_column":"g","order":"o","directed":true,"nodes":"m"})");
  CHECK(merged_data(rows, R"("dataset": "ewt")") == R"({"directed":true,"dataset":"ewt"})");
  const std::string molecules = R"("molecules": "m", "label": "y", "features": "f", "smiles": "s")";
  CHECK(merged_data(molecules, R"("target": "z")") ==
        R"({"molecules":"m","features":"f","smiles":"s","target":"z"})");
  CHECK(merged_data(molecules, R"("edges": "e")") == R"({"label":"y","edges":"e"})");
}
