#include "edgewise/train/config/config.hpp"
#include "edgewise/train/source/row_weights.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/doctor/leaks.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

DataConfig config_of(const test::TemporaryDirectory& folder, const std::string& rows) {
  return parse_config(json::Object{{"data", json::Object{{"molecules", folder.write("m.csv", "smiles,y,w\n" + rows)},
                                                         {"target", "y"},
                                                         {"task", "regression"},
                                                         {"weight", "w"}}}})
      .data;
}

}  // namespace

TEST_CASE("rows have the weights of a column", "[train][row_weights]") {
  const test::TemporaryDirectory folder;
  const Dataset data = read_dataset(config_of(folder, "CCO,1,2\nCC,,\nC,3,0.5\n?,4,1\n"));
  CHECK(data.reading.row_weight == "w");
  CHECK(data.labels.weights == std::vector<float>{2, 0, 0.5F, 0});
  CHECK(feature_columns(data).empty());
}

TEST_CASE("weights that are none are refused with their line", "[train][row_weights]") {
  const test::TemporaryDirectory folder;
  const auto load = [&](const std::string& rows) { return read_dataset(config_of(folder, rows)); };
  CHECK_THROWS_WITH(load("CCO,1,2\nCC,2,-1\n"),
                    Contains("m.csv:3") && Contains("\"w\": expected a weight of at least 0"));
  CHECK_THROWS_WITH(load("CCO,1,2\nCC,2,\n"), Contains("m.csv:3"));
  CHECK_THROWS_AS(load("CCO,1,heavy\nCC,2,1\n"), DataError);
  CHECK_THROWS_WITH(load("CCO,1,0\nCC,2,0\n"), Contains("no item with a label has a weight above 0"));
  DataConfig config = config_of(folder, "CCO,1,2\n");
  config.row_weight = "y";
  CHECK_THROWS_WITH(read_dataset(config), Contains("is a label"));
  config.row_weight = "v";
  CHECK_THROWS_WITH(read_dataset(config), Contains("\"v\""));
}
