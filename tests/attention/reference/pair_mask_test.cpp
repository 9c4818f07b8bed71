#include "edgewise/attention/reference/pair_mask.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using attention::reference::PairMask;

TEST_CASE("a pair mask has a bit for each pair, in both layouts", "[attention][reference]") {
  // Destination 0 attends to sources 1 and 70, destination 1 to none, destination 2 to source 0.
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 2, 2, 3}, {1, 70, 0}}, 80);
  const PairMask by_destination(mask, PairMask::Rows::destinations);
  CHECK(by_destination.rows() == 3);
  REQUIRE(by_destination.groups() == 2);
  CHECK(by_destination.words(0)[0] == 0b10);
  CHECK(by_destination.words(1)[0] == 1U << 6);
  CHECK(by_destination.words(0)[1] == 0);
  CHECK(by_destination.words(0)[2] == 1);
  const PairMask by_source(mask, PairMask::Rows::sources);
  CHECK(by_source.rows() == 80);
  REQUIRE(by_source.groups() == 1);
  CHECK(by_source.words(0)[0] == 0b100);
  CHECK(by_source.words(0)[1] == 0b1);
  CHECK(by_source.words(0)[70] == 0b1);
  CHECK(by_source.words(0)[2] == 0);
  CHECK(occupied_tiles(by_source) == std::vector<std::uint8_t>{1, 1});
  CHECK(occupied_tiles(by_destination) == std::vector<std::uint8_t>{1, 1});
}

TEST_CASE("tiles without a pair are not occupied", "[attention][reference]") {
  graph::Csr csr;
  csr.offsets.assign(131, 0);
  csr.columns = {129};
  csr.offsets.back() = 1;  // destination 129 attends to source 129
  const PairMask mask(graph::freeze(std::move(csr), 130), PairMask::Rows::sources);
  CHECK(occupied_tiles(mask) == std::vector<std::uint8_t>{0, 0, 0, 0, 0, 0, 0, 0, 1});
}

TEST_CASE("a pair mask refuses a repeated pair", "[attention][reference]") {
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 2}, {1, 1}}, 2);
  CHECK_THROWS_AS(PairMask(mask, PairMask::Rows::sources), UsageError);
}
