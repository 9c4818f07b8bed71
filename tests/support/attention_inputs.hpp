#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/attention/variants.hpp"
#include "edgewise/core/parallel.hpp"
#include "support/gradient_check.hpp"

namespace edgewise::test {

template <class Value>
std::vector<Value> values_named(const std::vector<std::string>& names, Value named(std::string_view)) {
  std::vector<Value> values;
  for (const std::string& name : names) values.push_back(named(name));
  return values;
}
inline const std::vector kScores = values_named(attention::score_names(), attention::score_named);
inline const std::vector kNormalisers = values_named(attention::normaliser_names(), attention::normaliser_named);

struct HeadSizes {
  int heads;
  int width;
};

/// Normally distributed inputs with shapes that fit `mask`.
inline attention::AttentionInputs random_inputs(const graph::FrozenGraph& mask, attention::AnyScore score,
                                                HeadSizes sizes,
                                                attention::Normaliser normaliser = attention::Normaliser::softmax) {
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  const int columns = sizes.heads * sizes.width;
  const int score_columns = score->columns(sizes.heads, sizes.width);
  attention::AttentionInputs inputs;
  inputs.score = score;
  inputs.normaliser = normaliser;
  inputs.heads = sizes.heads;
  inputs.width = sizes.width;
  inputs.query = random_matrix(destinations, score_columns, 1);
  inputs.key = random_matrix(sources, score_columns, 2);
  if (!score->value_is_key) inputs.value = random_matrix(sources, columns, 3);
  if (score->has_vector) inputs.attention_vector = random_matrix(1, columns, 4);
  return inputs;
}

/// The largest difference relative to the largest entry.
inline double apart(const Matrix& a, const Matrix& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.cols() == b.cols());
  if (a.size() == 0) return 0;
  return (a - b).cwiseAbs().maxCoeff() / std::max(1e-6F, b.cwiseAbs().maxCoeff());
}

/// Checks that output and gradients of the fused kernels do not depend on the number of threads.
inline void check_bits_over_threads(const graph::FrozenGraph& mask, const attention::AttentionInputs& inputs) {
  using namespace attention;
  const Matrix output_gradient = random_matrix(inputs.query.rows(), inputs.heads * inputs.width, 5);
  const int before = threads();
  set_threads(1);
  Attention one(Variant::sparse_fused, Purpose::training, mask, inputs);
  const Matrix& output = one.forward();
  const AttentionGradients& gradients = one.backward(output_gradient);
  for (const int count : {2, 3}) {
    set_threads(count);
    CAPTURE(inputs.score->name, count);
    Attention more(Variant::sparse_fused, Purpose::training, mask, inputs);
    CHECK(more.forward() == output);
    const AttentionGradients& others = more.backward(output_gradient);
    CHECK(others.query == gradients.query);
    CHECK(others.key == gradients.key);
    CHECK(others.value == gradients.value);
  }
  set_threads(before);
}

}  // namespace edgewise::test
