#include "generate/purchases.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/data/splits.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::app;
using data::NodeData;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("purchase data is ready to train on", "[apps][generate]") {
  const NodeData data = purchase_data({.nodes = 500});
  CHECK(data.graph.node_count() == 500);
  CHECK(data.graph.direction() == graph::Direction::directed);
  CHECK(data.graph.names()[7] == "p7");
  CHECK(data.features.rows() == 500);
  CHECK(data.features.columns() == 19);
  CHECK(data.features.names.size() == 19);
  CHECK(data.features.dense.allFinite());
  CHECK(data.labels.classes.size() == 500);
  REQUIRE(data.splits.size() == 1);
  check_split(data.splits[0], data.labels);
  for (std::size_t i = 0; i < 500; ++i) CHECK((data.splits[0][i] == data::Role::none) == (data.labels.classes[i] < 0));
  CHECK(data::nodes_with_role(data.splits[0], data::Role::train).size() > 200);

  const NodeData wide = purchase_data({.nodes = 500}, 64);
  CHECK(wide.features.columns() == 64);
  CHECK(wide.features.dense.allFinite());
  CHECK(wide.labels.classes == data.labels.classes);
}

TEST_CASE("generated purchase files equal the shipped ones", "[apps][generate]") {
  const test::TemporaryDirectory folder;
  const PurchaseNetworkOptions options{.nodes = 2000, .seed = 7};
  write_purchase_files(folder.path("new"), generate_purchase_network(options), options.seed);
  for (const char* name : {"friends.csv", "people.csv"}) {
    const std::string text = text_of(folder.path(std::string("new/") + name));
    CHECK(text.size() > 1000);
    CHECK(text == text_of(std::filesystem::path(EDGEWISE_SOURCE_DIR) / "datasets" / "purchases" / name));
  }
  CHECK_THROWS_AS(write_purchase_files("/proc/nowhere", generate_purchase_network(options), 7), DataError);
}

TEST_CASE("an interruption ends the writing of a purchase network, and leaves no file", "[apps][generate]") {
  const test::TemporaryDirectory folder;
  const PurchaseNetwork network = generate_purchase_network({.nodes = 2000, .seed = 7});
  const Observed observed({.is_over = [] { return true; }});
  CHECK_THROWS_AS(write_purchase_files(folder.path("new"), network, 7), Interrupted);
  CHECK_FALSE(std::filesystem::exists(folder.path("new/friends.csv")));
}
