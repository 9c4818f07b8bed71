#include "edgewise/train/inputs/link_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr int kBuyers = 30, kGoods = 14;

/// People who buy three things each and know each other; the first purchases of the first people are left out.
train::Dataset small_shop(const test::TemporaryDirectory& directory, int left_out,
                          const char* relation = "people:buys:goods") {
  Random random(5, Stream::generate);
  std::string people = "id,age\n", goods = "id,price\n", purchases = "person,good\n", friends = "person,friend\n";
  for (int good = 0; good < kGoods; ++good) goods += fmt::format("{},{}\n", good, random.below(90));
  for (int person = 0; person < kBuyers; ++person) {
    people += fmt::format("{},{}\n", person, random.below(70));
    friends += fmt::format("{},{}\n", person, (person + 1 + static_cast<int>(random.below(5))) % kBuyers);
    for (const int step : {0, 1, 4})
      if (step > 0 || person >= left_out) purchases += fmt::format("{},{}\n", person, (3 * person + step) % kGoods);
  }
  const auto write = [&](const char* name, const std::string& text) {
    const std::string path = (directory.path() / name).string();
    std::ofstream(path) << text;
    return path;
  };
  using Named = std::vector<std::pair<std::string, std::string>>;
  train::DataConfig config;
  config.nodes = FileList(Named{{"people", write("people.csv", people)}, {"goods", write("goods.csv", goods)}});
  config.edges = FileList(Named{{"people:buys:goods", write("purchases.csv", purchases)},
                                {"people:knows:people", write("friends.csv", friends)}});
  config.task = "links";
  config.relation = relation;
  return train::read_dataset(config, {});
}

train::NodePairs pairs_between(int sources, int targets, graph::Node first_target) {
  train::NodePairs pairs;
  for (int source = 0; source < sources; ++source)
    for (int target = 0; target < targets; ++target)
      pairs.add(static_cast<graph::Node>(source), first_target + static_cast<graph::Node>(target));
  return pairs;
}

/// What is seen of data without ties of which `is_seen` says no.
struct Seen {
  train::Dataset data;
  train::FeatureMap map;
  data::Features features;
  graph::FrozenGraph frozen;
  train::LinkFeatures alike;
  train::LinkGraph graph;

  Seen(train::Dataset read, const std::vector<bool>& is_seen)
      : data(std::move(read)),
        map(train::FeatureMap::fit(data, {}, data::Split(data.links->size(), data::Role::train))),
        features(map.apply(data)),
        frozen(train::freeze(data, {})),
        alike(train::link_features(data, map, features)),
        graph(data, features, frozen, alike, is_seen) {}
};

}  // namespace

TEST_CASE("numbers of pairs between kinds do not depend on ties that may not be seen", "[train][link_graph]") {
  const test::TemporaryDirectory directory;
  constexpr int kHidden = 7;
  train::Dataset whole = small_shop(directory, 0);
  std::vector<bool> is_seen(whole.links->size(), true);
  for (std::size_t person = 0; person < kHidden; ++person) is_seen[3 * person] = false;
  const Seen without(std::move(whole), is_seen);
  const Seen lacking(small_shop(directory, kHidden), {});
  const std::vector<std::string> names = without.graph.number_names();
  REQUIRE(names == lacking.graph.number_names());
  for (const char* name : {"nearest_targets", "matrix_factors", "any_common_neighbours", "near_own"})
    CHECK(std::ranges::count(names, name) == 1);
  CHECK(std::ranges::count(names, "common_neighbours") == 0);
  const train::NodePairs pairs = pairs_between(kBuyers, kGoods, kBuyers);
  const Matrix one = without.graph.numbers(pairs, names);
  CHECK(one.allFinite());
  CHECK(one == lacking.graph.numbers(pairs, names));
  const Seen all(small_shop(directory, 0), {});
  const Matrix other = all.graph.numbers(pairs, names);
  for (std::size_t column = 0; column < names.size(); ++column) {
    const auto place = static_cast<Eigen::Index>(column);
    INFO(names[column]);
    CHECK(one.col(place) != other.col(place));  // each sees something of the ties
    CHECK(one.col(place).maxCoeff() > one.col(place).minCoeff());
  }
}

TEST_CASE("ties that are no items are always seen", "[train][link_graph]") {
  const test::TemporaryDirectory directory;
  train::Dataset whole = small_shop(directory, 0), sampled = whole;
  sampled.links->others = sampled.links->size() - 3;
  std::vector<bool> is_seen(whole.links->size(), true);
  is_seen[1] = false;
  const Seen one(std::move(whole), is_seen);
  is_seen.resize(sampled.links->size());
  const Seen other(std::move(sampled), is_seen);
  const train::NodePairs pairs = pairs_between(kBuyers, kGoods, kBuyers);
  const std::vector<std::string> names = {"nearest_targets", "matrix_factors", "any_common_neighbours"};
  CHECK(one.graph.numbers(pairs, names) == other.graph.numbers(pairs, names));
  CHECK(other.graph.ties().degree(one.data.links->sources[1]) == one.graph.ties().degree(one.data.links->sources[1]));
}

TEST_CASE("numbers of pairs within one of several kinds", "[train][link_graph]") {
  const test::TemporaryDirectory directory;
  const Seen friends(small_shop(directory, 0, "people:knows:people"), {});
  const std::vector<std::string> names = friends.graph.number_names();
  for (const char* name : {"common_neighbours", "any_common_neighbours", "own_own"})
    CHECK(std::ranges::count(names, name) == 1);
  CHECK(std::ranges::count(names, "matrix_factors") == 0);
  const train::NodePairs pairs = pairs_between(kBuyers, kBuyers, 0);
  const std::vector<std::string> wanted = {"any_common_neighbours", "common_neighbours"};
  const Matrix numbers = friends.graph.numbers(pairs, wanted);
  CHECK((numbers.col(0) - numbers.col(1)).minCoeff() >= 0);  // what both bought, too
  CHECK(numbers.col(0).sum() > numbers.col(1).sum());
  const std::vector<std::string> unknown = {"katzz"};
  CHECK_THROWS_WITH(friends.graph.numbers(pairs, unknown), Contains("katzz"));
}
