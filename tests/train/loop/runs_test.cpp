#include "edgewise/train/loop/runs.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace edgewise;

TEST_CASE("runs are summarised by mean and sample standard deviation", "[train][runs]") {
  const auto summaries = train::summarise(
      std::vector<train::Metrics>{{{"accuracy", 0.8}, {"f1", 1}}, {{"accuracy", 0.9}, {"f1", 2}},
                                  {{"accuracy", 0.7}, {"f1", std::nan("")}}});
  REQUIRE(summaries.size() == 2);
  CHECK(summaries[0].second.mean == Approx(0.8));
  CHECK(summaries[0].second.std == Approx(0.1));
  CHECK(std::isnan(summaries[1].second.mean));
  CHECK(std::isnan(summaries[1].second.std));
  CHECK(json::dump(train::to_json(summaries).at("f1")) == R"({"mean":null,"std":null,"values":[1.0,2.0,null]})");
  CHECK(std::isnan(train::summarise(std::vector<double>{3}).std));
  CHECK(std::isnan(train::summarise(std::vector<double>{}).mean));
  CHECK(train::summarise(std::vector<train::Metrics>{}).empty());
}

TEST_CASE("the median of odd, even and no values", "[train][runs]") {
  CHECK(train::median({3, 1, 2}) == 2);
  CHECK(train::median({4, 1, 2, 3}) == 2.5);
  CHECK(std::isnan(train::median({})));
}
