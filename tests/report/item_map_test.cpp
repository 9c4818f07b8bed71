#include "edgewise/report/item_map.hpp"

#include <fmt/format.h>

#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "edgewise/report/svg_shapes.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::report;
using Catch::Matchers::Contains;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

void check_drawing(const std::string& svg) {
  std::istringstream in(svg);
  boost::property_tree::ptree tree;
  REQUIRE_NOTHROW(boost::property_tree::read_xml(in, tree));
  CHECK_THAT(svg, !Contains("nan") && !Contains("<script") && !Contains("url("));
  CHECK(count_of(svg, "http") == 1);  // the namespace
}

std::vector<graph::Node> all_items(const train::Dataset& data) {
  std::vector<graph::Node> items(data.items().size());
  std::iota(items.begin(), items.end(), graph::Node{0});
  return items;
}

/// Three people, whose names and classes are markup. "b" is taken for what it is not.
train::Dataset hostile_people(test::FriendFiles& files) {
  files.write("friends.csv", "source,target\n<a>,b\nb,\"c\"\"'&\"\n");
  files.write("people.csv", "id,buys,x\n<a>,<yes>,1\nb,no,2\n\"c\"\"'&\",<yes>,3\n");
  return train::read_dataset(files.config.data);
}

}  // namespace

TEST_CASE("a map of a small network shows its edges, and where predictions are wrong", "[report][item_map]") {
  test::FriendFiles files;
  const train::Dataset data = hostile_people(files);
  REQUIRE(data.labels.names.size() == 2);
  const auto yes = static_cast<Eigen::Index>(data.labels.classes[0]);
  Matrix values = Matrix::Constant(3, 2, 0.1F);
  values.col(yes).setConstant(0.9F);
  const std::optional<ItemPlaces> places = item_places(data, values, {});
  REQUIRE(places);
  CHECK(places->is_network);
  CHECK(places->items == all_items(data));
  const Scored scored{data, data.labels, values, {1, 2}, "test"};
  const std::string svg = draw(item_map(scored, *places, {}));
  check_drawing(svg);
  CHECK(count_of(svg, "class=\"ring\"") == 2);  // around "b", and in the legend
  CHECK_THAT(svg, Contains("<title>b: &lt;yes&gt;, probability 0.90, but it is no</title>"));
  CHECK_THAT(svg, Contains("<title>&lt;a&gt;: &lt;yes&gt;, probability 0.90</title>"));
  CHECK_THAT(svg, Contains("<title>c&quot;&#39;&amp;: &lt;yes&gt;, probability 0.90, right</title>"));
  CHECK_THAT(svg, Contains("aria-label=\"Map of the nodes: predicted class. ") && Contains("&lt;yes&gt;: 3, no: 0"));
  CHECK_THAT(svg, Contains("wrong, of the 2 test nodes: 1"));
  CHECK(count_of(svg.substr(svg.find("class=\"ties\"")), "M") >= 2);
  check_drawing(stand_alone(svg));
  CHECK_THAT(stand_alone(svg), Contains("prefers-color-scheme: dark"));
}

TEST_CASE("nodes without a prediction are on the map of their network", "[report][item_map]") {
  test::FriendFiles files;
  const train::Dataset data = hostile_people(files);
  Matrix values = Matrix::Constant(3, 2, 0.5F);
  values.row(1).setConstant(std::nanf(""));
  const std::optional<ItemPlaces> places = item_places(data, values, {});
  REQUIRE(places);
  CHECK(places->items == std::vector<graph::Node>{0, 2});
  const std::string svg = draw(item_map({data, data.labels, values, {}, "test"}, *places, {}));
  check_drawing(svg);
  CHECK_THAT(svg, Contains("class=\"mark other\" opacity=\"0.60\"><title>b</title>") && !Contains("class=\"ring\""));
}

TEST_CASE("numbers are drawn in ranges, the fainter the wider they may be off", "[report][item_map]") {
  test::FriendFiles files;
  files.config.data.label = {"age"};
  files.config.data.task = {"regression"};
  const train::Dataset data = train::read_dataset(files.config.data);
  const auto items = static_cast<Eigen::Index>(data.items().size());
  Matrix values = data.labels.targets, deviations = Matrix::Constant(items, 1, 2);
  values(7, 0) += 50;
  deviations(3, 0) = 4;
  const std::optional<ItemPlaces> places = item_places(data, values, {});
  REQUIRE(places);
  const std::string svg = draw(item_map({data, data.labels, values, all_items(data), "all"}, *places, deviations));
  check_drawing(svg);
  for (const char* style : {"r0", "r1", "r2", "r3", "r4"})
    CHECK(count_of(svg, std::string("class=\"mark ") + style) > 10);
  CHECK(count_of(svg, "class=\"ring\"") == 11);
  CHECK_THAT(svg, Contains(" ± 4, off by 0</title>") && Contains("off by 50</title>"));
  CHECK(count_of(svg, "opacity=\"0.30\"") == 1);
}

TEST_CASE("of other data a sample of the embeddings is drawn", "[report][item_map]") {
  test::FriendFiles files;
  std::string edges = "source,target\n", people = "id,buys,x\n";
  constexpr std::size_t kNodes = 2500;
  for (std::size_t i = 0; i < kNodes; ++i) {
    edges += fmt::format("{},{}\n", i, (i + 1) % kNodes);
    people += fmt::format("{},{},{}\n", i, i % 2 == 0 ? "yes" : "no", i % 7);
  }
  files.write("friends.csv", edges);
  files.write("people.csv", people);
  const train::Dataset data = train::read_dataset(files.config.data);
  const Matrix values = Matrix::Constant(kNodes, 2, 0.5F);
  CHECK_FALSE(item_places(data, values, {}));
  const auto embed = [](std::span<const graph::Node> items) {
    Matrix rows(static_cast<Eigen::Index>(items.size()), 3);
    for (std::size_t i = 0; i < items.size(); ++i)
      rows.row(static_cast<Eigen::Index>(i)) << static_cast<float>(items[i]), 1, std::nanf("");
    return rows;
  };
  const std::optional<ItemPlaces> places = item_places(data, values, embed);
  REQUIRE(places);
  CHECK(places->items.size() == kMostPlaces);
  CHECK(std::ranges::is_sorted(places->items));
  CHECK(places->items == item_places(data, values, embed)->items);
  CHECK(std::abs(std::abs(places->places(0, 0) - places->places(kMostPlaces - 1, 0)) - 1) < 1e-5F);
  const Figure figure = map_figure(item_map({data, data.labels, values, {}, "test"}, *places, {}));
  check_drawing(figure.svg);
  CHECK_THAT(figure.caption, Contains("2000 of the 2500 nodes are drawn, by lot."));
  CHECK_THAT(figure.svg, !Contains("class=\"ties\""));
  CHECK(figure.svg.size() < 400'000);
}

TEST_CASE("nothing is drawn of predictions of something else than labels", "[report][item_map]") {
  test::FriendFiles files;
  const train::Dataset data = train::read_dataset(files.config.data);
  CHECK_FALSE(item_places(data, Matrix::Constant(80, 5, 0.5F), {}));
  CHECK_FALSE(item_places(data, Matrix::Constant(80, 2, std::nanf("")), {}));
  CHECK(map_section({data, data.labels, Matrix(), {}, "test"}, std::nullopt, {}).empty());
}
