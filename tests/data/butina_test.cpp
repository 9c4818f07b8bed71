#include "edgewise/data/butina.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "edgewise/core/parallel.hpp"

using namespace edgewise;
using namespace edgewise::data;

namespace {

MoleculeBits bits_of(std::initializer_list<std::size_t> set) {
  MoleculeBits bits;
  for (const std::size_t bit : set) bits.set(bit);
  return bits;
}

}  // namespace

TEST_CASE("the molecule with most neighbours is the first centre", "[data][butina]") {
  // 1 is alike to 0, 2 and 3; 3 and 4 are alike, but 3 is taken by then; 5 is alone.
  const std::vector<MoleculeBits> molecules = {bits_of({1, 2, 3, 4}),       bits_of({1, 2, 3, 4, 5, 6}),
                                               bits_of({3, 4, 5, 6}),       bits_of({1, 2, 5, 6, 7, 8}),
                                               bits_of({7, 8, 9, 1, 2, 5}), bits_of({100, 101})};
  CHECK(butina_clusters(molecules, 0.5) == std::vector<std::uint32_t>{1, 1, 1, 1, 4, 5});
  CHECK(butina_clusters(molecules, 1.0) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
  CHECK(butina_clusters(molecules, 0.0) == std::vector<std::uint32_t>(6, 0));
  CHECK(butina_clusters({}, 0.5).empty());
}

TEST_CASE("homologues are a cluster, at any number of threads", "[data][butina]") {
  const int before = threads();
  const std::vector<std::string> smiles = {"CCCCCO", "c1ccccc1CCC", "CCCCCCO", "c1ccccc1CCCC", "CCCCCCCO", "?"};
  const std::vector<std::uint32_t> clusters = butina_clusters(smiles);
  CHECK(clusters[0] == clusters[2]);
  CHECK(clusters[2] == clusters[4]);
  CHECK(clusters[1] == clusters[3]);
  CHECK(clusters[0] != clusters[1]);
  CHECK(clusters[5] == 5);
  set_threads(1);
  CHECK(butina_clusters(smiles) == clusters);
  set_threads(before);
}
