#include "edgewise/autograd/linear_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "edgewise/autograd/detail/elementwise.hpp"
#include "edgewise/autograd/detail/optional_variable.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::autograd {
namespace {

using detail::for_each_rows;
using Eigen::Index;
using Results = std::array<Variable, kMaxMaps>;

/// What the backward pass needs.
struct GroupedMaps {
  Variable x;
  MatrixMap taken;  // [rows, K]: x[rows]
  RowGroups groups;
  std::vector<LinearFactor> factors;
  std::size_t maps;  // of each group
  Results results;

  std::span<const LinearFactor> of_group(std::size_t g) const { return std::span(factors).subspan(g * maps, maps); }
  Index begin(std::size_t g) const { return static_cast<Index>(groups.begins[g]); }
  Index size(std::size_t g) const { return begin(g + 1) - begin(g); }
};

void check_factors(Variable x, const RowGroups& groups, std::span<const LinearFactor> factors, std::size_t maps) {
  if (maps < 1 || maps > kMaxMaps || factors.size() != maps * groups.count())
    throw UsageError(fmt::format("linear_groups: expected 1 to {} factors for each of {} groups, got {}", kMaxMaps,
                                 groups.count(), factors.size()));
  for (const graph::Node row : groups.rows)
    check_index("linear_groups", "rows", row, static_cast<std::size_t>(x.rows()));
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Index outputs = factors[i % maps].weight.cols();
    check_shape("linear_groups", "weight", shape_of(factors[i].weight), {x.cols(), outputs});
    if (factors[i].bias.is_set()) check_shape("linear_groups", "bias", shape_of(factors[i].bias), {1, outputs});
  }
}

/// The maps of a group are those of as many rows of their own; the gradient of x goes to each of its rows once.
void backward(const GroupedMaps& of) {
  Tape& tape = of.x.tape();
  Index largest = 0;
  for (std::size_t g = 0; g < of.groups.count(); ++g) largest = std::max(largest, of.size(g));
  MatrixMap dx = of.x.needs_gradient() ? tape.scratch(largest, of.x.cols()) : MatrixMap{nullptr, 0, 0};
  MatrixMap to = of.x.needs_gradient() ? of.x.gradient() : MatrixMap{nullptr, 0, 0};
  for (std::size_t g = 0; g < of.groups.count(); ++g) {
    if (of.size(g) == 0) continue;
    std::array<AffineGradients, kMaxMaps> maps;
    for (std::size_t i = 0; i < of.maps; ++i) {
      const auto& [weight, bias] = of.of_group(g)[i];
      maps[of.maps - 1 - i] = {.outputs = weight.cols(),
                               .weight = weight.value().data(),
                               .y_gradient = of.results[i].gradient().row(of.begin(g)).data(),
                               .weight_gradient = detail::gradient_or_null(weight),
                               .bias_gradient = detail::gradient_or_null(bias)};
    }
    MatrixMap of_rows(dx.data(), of.size(g), of.x.cols());
    affine_backward(of.taken.middleRows(of.begin(g), of.size(g)), std::span(maps).first(of.maps), of_rows,
                    Result::replace, tape.workspace());
    if (dx.data() == nullptr) continue;
    for_each_rows(of.size(g), of.x.cols(), [&](Index begin, Index count) {
      for (Index i = begin; i < begin + count; ++i)
        to.row(of.groups.rows[static_cast<std::size_t>(of.begin(g) + i)]) += of_rows.row(i);
    });
  }
}

}  // namespace

Results linear_groups(Variable x, const RowGroups& groups, std::span<const LinearFactor> factors) {
  const std::size_t count = factors.size() / std::max<std::size_t>(groups.count(), 1);
  check_factors(x, groups, factors, count);
  Tape& tape = x.tape();
  bool is_differentiated = x.needs_gradient();
  for (const auto& [weight, bias] : factors)
    is_differentiated = is_differentiated || weight.needs_gradient() || detail::needs_gradient(bias);
  const auto rows = static_cast<Index>(groups.rows.size());
  GroupedMaps made{.x = x,
                   .taken = tape.scratch(rows, x.cols()),
                   .groups = groups,
                   .factors = {factors.begin(), factors.end()},
                   .maps = count,
                   .results = {}};
  const MatrixMap from = x.value();
  for_each_rows(rows, x.cols(), [&](Index begin, Index size) {
    for (Index row = begin; row < begin + size; ++row)
      made.taken.row(row) = from.row(groups.rows[static_cast<std::size_t>(row)]);
  });
  for (std::size_t i = 0; i < count; ++i)
    made.results[i] = tape.make(rows, factors[i].weight.cols(), is_differentiated);
  for (std::size_t g = 0; g < groups.count(); ++g) {
    if (made.size(g) == 0) continue;
    std::array<AffineMap, kMaxMaps> maps;
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [weight, bias] = made.of_group(g)[i];
      maps[i] = {.outputs = weight.cols(),
                 .weight = weight.value().data(),
                 .bias = detail::values_or_null(bias),
                 .y = made.results[i].value().row(made.begin(g)).data()};
    }
    affine(made.taken.middleRows(made.begin(g), made.size(g)), std::span(maps).first(count), tape.workspace());
  }
  const Results results = made.results;
  const GroupedMaps& kept = tape.keep(std::move(made));
  tape.on_backward(std::span(results).first(count), [of = &kept] { backward(*of); });
  return results;
}

}  // namespace edgewise::autograd
