#include "edgewise/train/run/work.hpp"

#include <catch2/catch.hpp>
#include <chrono>

#include "train/random_network.hpp"

using namespace edgewise;
using namespace edgewise::train;

TEST_CASE("work grows with the edges, for models that use them", "[train][work]") {
  const Config config = parse_config(json::Object{});
  const Dataset few = test::random_network(500, 2000), many = test::random_network(500, 20'000);
  CHECK(work_of(test::preset("mlp"), config, few).total() == work_of(test::preset("mlp"), config, many).total());
  CHECK(work_of(test::preset("gcn"), config, few).edges * 7 < work_of(test::preset("gcn"), config, many).edges);
  CHECK(work_of(test::preset("gcn"), config, many).total() < work_of(test::preset("gat"), config, many).total());
  CHECK(work_of(test::preset("label_propagation"), config, many).total() <
        work_of(test::preset("gcn"), config, many).total());
  const json::Value alone = json::parse(R"({"preset": "gcn", "graph": {"edges": false}})", "m");
  CHECK(work_of(alone, config, many).edges == 0);
}

TEST_CASE("an estimate is in words and follows the clock", "[train][work]") {
  const Dataset data = test::random_network(500, 20'000);
  std::chrono::steady_clock::time_point time;
  const auto clock = [&] { return time += std::chrono::milliseconds(1); };
  const double once = estimated_seconds({.rows = 1e12}, data, clock);
  CHECK(estimated_seconds({.rows = 2e12}, data, clock) == Approx(2 * once));
  CHECK(estimated_seconds({.rows = 1e12, .edges = 1e10}, data, clock) > once);
  CHECK(rough_time(0.2) == "less than 1 s");
  CHECK(rough_time(80) == "about 80 s");
  CHECK(rough_time(1500) == "about 25 min");
  CHECK(rough_time(4 * 3600) == "about 4 h");
  CHECK(grouped(7) == "7");
  CHECK(grouped(123) == "123");
  CHECK(grouped(12345678) == "12,345,678");
}
