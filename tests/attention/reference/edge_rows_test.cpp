#include "edgewise/attention/reference/edge_rows.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "support/gradient_check.hpp"
#include "support/random_graph.hpp"

using namespace edgewise;
using namespace edgewise::attention::reference;

TEST_CASE("rows go from nodes to slots and back", "[attention][reference]") {
  // Edges 1 -> 0, 2 -> 0, 0 -> 2.
  const graph::FrozenGraph mask = graph::freeze(graph::Csr{{0, 2, 2, 3}, {1, 2, 0}}, 3);
  const Matrix nodes{{1, 10}, {2, 20}, {3, 30}};
  Matrix slots;
  gather_sources(mask, nodes, slots);
  CHECK(slots == Matrix{{2, 20}, {3, 30}, {1, 10}});
  Matrix sums = Matrix::Ones(3, 2);
  add_to_destinations(mask, slots, sums);
  CHECK(sums == Matrix{{6, 51}, {1, 1}, {2, 11}});
  gather_destinations(mask, nodes, slots);
  CHECK(slots == Matrix{{1, 10}, {1, 10}, {3, 30}});
  sums.setOnes();
  add_to_sources(mask, slots, sums);
  CHECK(sums == Matrix{{4, 31}, {2, 11}, {2, 11}});
  Matrix dots(3, 2);
  dot_heads(mask, 2, slots, slots, dots);
  CHECK(dots == Matrix{{1, 100}, {1, 100}, {9, 900}});
  scale_heads(mask, 2, slots, dots, slots);
  CHECK(slots == Matrix{{1, 1000}, {1, 1000}, {27, 27000}});
}

TEST_CASE("log-sum-exp is right at any number of heads", "[attention][reference]") {
  const graph::FrozenGraph mask = test::random_mask(40, 90, 10, 3);
  for (const int heads : {1, 2, 3, 4, 8, 9}) {
    const Matrix scores = test::random_matrix(static_cast<Eigen::Index>(mask.slot_count()), heads, 1, -30, 30);
    Matrix got(40, heads);
    log_sum_exp(mask, scores, got);
    CHECK(got.row(0).maxCoeff() == -INFINITY);  // no edge
    for (graph::Node v = 1; v < 40; ++v)
      for (int h = 0; h < heads; ++h) {
        double sum = 0;
        for (auto k = mask.incoming.offsets[v]; k < mask.incoming.offsets[v + 1]; ++k)
          sum += std::exp(static_cast<double>(scores(static_cast<Eigen::Index>(k), h)));
        CHECK(got(v, h) == Approx(std::log(sum)).margin(1e-5));
      }
  }
}
