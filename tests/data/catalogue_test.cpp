#include "edgewise/data/catalogue.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/data/sha256.hpp"
#include "support/dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::data;
using Catch::Matchers::Contains;
using test::kShipped;

namespace {

std::string entry(const std::string& name, const std::string& sha256, const std::string& more = "") {
  return R"({"name": ")" + name + R"(", "title": "t", "task": "node classification", "format": "rows", "split": "s",
    "splits": [], "metric": "accuracy", "source": "s", "licence": "l", "counts": {"nodes": 2}, "published": [],)" +
         more + R"("files": [{"role": "edges", "path": "x/edges.csv", "sha256": ")" + sha256 + R"("}]})";
}

}  // namespace

TEST_CASE("the catalogue is complete", "[data][catalogue]") {
  const Catalogue catalogue = read_catalogue(kShipped);
  CHECK(catalogue.datasets.size() >= 40);
  std::set<std::string> names;
  for (const CatalogueSet& dataset : catalogue.datasets) {
    INFO(dataset.name);
    CHECK(names.insert(dataset.name).second);
    CHECK_FALSE(dataset.title.empty());
    CHECK_FALSE(dataset.source.empty());
    CHECK_FALSE(dataset.licence.empty());
    CHECK_FALSE(dataset.counts.empty());
    CHECK_FALSE(dataset.files.empty());
    for (const DatasetFile& file : dataset.files) CHECK(file.sha256.size() == 64);
    if (dataset.is_node_level()) {
      CHECK(dataset.count("nodes").value_or(0) > 0);
      CHECK(dataset.count("edges").value_or(0) > 0);
      CHECK(dataset.count("features").value_or(0) > 0);
      CHECK(dataset.count("classes").value_or(0) > 0);
    }
    const bool has_split_column =
        dataset.format == "table" || dataset.format == "molecules" || dataset.is_collection() ||
        dataset.is_pairs();  // or one file per part
    for (const std::string& split : dataset.splits)
      CHECK((has_split_column || dataset.file("split", split) != nullptr));
  }
  for (const char* name :
       {"cora", "citeseer", "pubmed", "musae-facebook", "musae-github", "hetero-minesweeper", "hetero-tolokers",
        "twitch-de", "karate-club", "purchases", "tu-MUTAG", "esol", "ewt", "fsdd"})
    CHECK(names.contains(name));
  CHECK(find_dataset(catalogue, "cora").count("nodes") == 2708U);
}

TEST_CASE("shipped data sets are present and undamaged", "[data][catalogue]") {
  const Catalogue catalogue = read_catalogue(kShipped);
  for (const CatalogueSet& dataset : catalogue.datasets) {
    if (!dataset.shipped) continue;
    const DatasetStatus status = dataset_status(catalogue, dataset, {});
    INFO(dataset.name << ": " << status.detail);
    CHECK(status.state == DatasetState::here);
    CHECK(status.bytes > 0);
    CHECK(status.bytes < 400'000);
  }
}

TEST_CASE("missing and changed files are reported", "[data][catalogue]") {
  const test::TemporaryDirectory folder;
  folder.write("catalogue.json", R"({"version": 1, "datasets": [)" + entry("toy", sha256("abc")) + "]}");
  const Catalogue catalogue = read_catalogue(folder.path());
  const CatalogueSet& toy = find_dataset(catalogue, "toy");
  const std::vector<std::string> elsewhere = {folder.path("nowhere"), folder.path("data")};
  CHECK(dataset_status(catalogue, toy, elsewhere).state == DatasetState::missing);
  CHECK(dataset_status(catalogue, toy, elsewhere).detail == "x/edges.csv is missing");
  folder.write("data/x/edges.csv", "abd");
  CHECK(dataset_status(catalogue, toy, elsewhere).state == DatasetState::damaged);
  CHECK_THAT(dataset_status(catalogue, toy, elsewhere).detail, Contains("checksum"));
  folder.write("data/x/edges.csv", "abc");
  CHECK(dataset_status(catalogue, toy, elsewhere).state == DatasetState::here);
  CHECK(locate(catalogue, toy.files[0], elsewhere) == folder.path("data/x/edges.csv"));
  folder.write("x/edges.csv", "abc");
  CHECK(locate(catalogue, toy.files[0], elsewhere) == folder.path("x/edges.csv"));
}

TEST_CASE("an unknown name suggests others", "[data][catalogue]") {
  const Catalogue catalogue = read_catalogue(kShipped);
  CHECK_THROWS_WITH(find_dataset(catalogue, "coar"), Contains("did you mean cora"));
  CHECK_THROWS_WITH(find_dataset(catalogue, "facebook"), Contains("musae-facebook"));
  CHECK_THROWS_WITH(find_dataset(catalogue, "minesweeper"), Contains("hetero-minesweeper"));
  CHECK_THROWS_WITH(find_dataset(catalogue, "q"), Contains("is not in the catalogue"));
  CHECK_THROWS_AS(find_dataset(catalogue, ""), UsageError);
}

TEST_CASE("a wrong catalogue is refused", "[data][catalogue]") {
  const test::TemporaryDirectory folder;
  const auto read = [&](const std::string& text) {
    folder.write("catalogue.json", text);
    return read_catalogue(folder.path());
  };
  const std::string good = entry("toy", "0");
  CHECK_NOTHROW(read(R"({"version": 1, "datasets": [)" + good + "]}"));
  CHECK_THROWS_WITH(read(R"({"version": 2, "datasets": []})"), Contains("version 2"));
  CHECK_THROWS_WITH(read(R"({"version": 1, "datasets": [)" + good + "," + good + "]}"), Contains("twice"));
  const std::string coloured = entry("toy", "0", R"("colour": 1,)");
  CHECK_THROWS_WITH(read(R"({"version": 1, "datasets": [)" + coloured + "]}"), Contains("colour"));
  CHECK_THROWS_WITH(read(R"({"version": 1, "datasets": [{"name": "x"}]})"), Contains("title"));
  std::string outside = good;
  outside.replace(outside.find("x/edges"), 7, "../edge");
  CHECK_THROWS_WITH(read(R"({"version": 1, "datasets": [)" + outside + "]}"), Contains("below the data directory"));
  CHECK_THROWS_AS(read("{"), DataError);
  CHECK_THROWS_AS(read_catalogue(folder.path("nowhere")), DataError);
}

TEST_CASE("data directories are separated by colons", "[data][catalogue]") {
  const char* value = std::getenv("EDGEWISE_DATA");
  const std::string before = value == nullptr ? "" : value;
  ::setenv("EDGEWISE_DATA", "/a::/b/c:", 1);
  CHECK(default_data_directories() == std::vector<std::string>{"/a", "/b/c"});
  ::unsetenv("EDGEWISE_DATA");
  CHECK(default_data_directories().empty());
  if (value != nullptr) ::setenv("EDGEWISE_DATA", before.c_str(), 1);
}
