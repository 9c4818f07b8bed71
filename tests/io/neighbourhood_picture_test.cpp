#include "edgewise/io/neighbourhood_picture.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace edgewise;
using Catch::Matchers::Contains;
using io::WeighedName;

namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a node is drawn with its neighbours around it", "[io][neighbourhood_picture]") {
  const std::vector<WeighedName> neighbours = {{"bob", 1}, {"cid", -1}, {"dan", 0}}, features = {{"age", 0.5}};
  const std::string picture = io::draw_neighbourhood(
      "ada", neighbours, features, {.title = {"ada"}, .low = "less", .high = "more", .scale = "effect"});
  CHECK(count_of(picture, "<circle") == 4);
  CHECK(count_of(picture, "<line ") == 3);
  CHECK_THAT(picture, Contains(">bob</text>") && Contains("#FF7319") && Contains("#1973FF"));
  CHECK_THAT(picture, Contains(">feature age</text>") && Contains(">more</text>"));
  CHECK_THAT(picture, Contains("role='img'") && Contains("<title>what the neighbours of ada add</title>"));
  CHECK_THAT(picture, !Contains("not shown"));
}

TEST_CASE("of many neighbours those with the largest weights are drawn", "[io][neighbourhood_picture]") {
  std::vector<WeighedName> neighbours, features;
  for (int i = 0; i < 40; ++i) neighbours.push_back({"n" + std::to_string(i), i < 20 ? 0.5 : i / 100.0});
  for (int i = 0; i < 7; ++i) features.push_back({"f" + std::to_string(i), 0.1});
  const std::string picture = io::draw_neighbourhood("ada", neighbours, features, {});
  CHECK(count_of(picture, "<circle") == 25);
  CHECK_THAT(picture, Contains(">n19</text>") && Contains(">n39</text>") && !Contains(">n20</text>"));
  CHECK(count_of(picture, ">feature ") == 6);
  CHECK_THAT(picture, Contains("not shown, with smaller effects: 16 neighbours, 1 feature"));
}

TEST_CASE("names in the picture of a node are escaped and cut", "[io][neighbourhood_picture]") {
  const std::vector<WeighedName> neighbours = {{"</svg><script>", 0.1}, {std::string(200, 'x'), 0.1}};
  const std::string picture = io::draw_neighbourhood("a & b", neighbours, {}, {});
  CHECK_THAT(picture, !Contains("<script>") && !Contains(std::string(40, 'x')) && Contains("a &amp; b"));
  CHECK_THAT(io::draw_neighbourhood("alone", {}, {}, {}), Contains(">alone</text>"));
}
