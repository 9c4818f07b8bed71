#include "edgewise/autograd/placed_sum.hpp"

#include <algorithm>
#include <vector>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/core/check.hpp"

namespace edgewise::autograd {

using Eigen::Index;

namespace {

/// `body(i, place)` for each row of a part. No two have the same place, so that threads may share them.
template <class Body>
void for_each_place(const PlacedRows& part, const Body& body) {
  detail::for_each_rows(part.rows.rows(), part.rows.cols(), [&](Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) body(i, static_cast<Index>(part.places[static_cast<std::size_t>(i)]));
  });
}

void check_part(const PlacedRows& part, Index rows, Index cols) {
  check_shape("placed_sum", "rows", shape_of(part.rows), {static_cast<Index>(part.places.size()), cols});
  for (const graph::Node place : part.places)
    check_index("placed_sum", "places", place, static_cast<std::size_t>(rows));
}

}  // namespace

Variable placed_sum(Tape& tape, Index rows, Index cols, std::span<const PlacedRows> parts) {
  for (const PlacedRows& part : parts) check_part(part, rows, cols);
  Variable y = tape.make(rows, cols, std::ranges::any_of(parts, [](const PlacedRows& part) {
                           return part.rows.needs_gradient();
                         }));
  MatrixMap sum = y.value();
  sum.setZero();
  for (const PlacedRows& part : parts) {
    const MatrixMap from = part.rows.value();
    for_each_place(part, [&](Index i, Index place) { sum.row(place) += from.row(i); });
  }
  const auto& kept = tape.keep(std::vector(parts.begin(), parts.end()));
  tape.on_backward(y, [y, of = &kept] {
    const MatrixMap dy = y.gradient();
    for (const PlacedRows& part : *of) {
      if (!part.rows.needs_gradient()) continue;
      MatrixMap to = part.rows.gradient();
      for_each_place(part, [&](Index i, Index place) { to.row(i) += dy.row(place); });
    }
  });
  return y;
}

}  // namespace edgewise::autograd
