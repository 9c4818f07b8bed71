#pragma once

#include <array>

#include "edgewise/attention/variants.hpp"
#include "support/gradient_check.hpp"

namespace edgewise::test {

inline constexpr std::array kScores = {attention::Score::additive, attention::Score::gatv2,
                                       attention::Score::dot_product};

struct HeadSizes {
  int heads;
  int width;
};

/// Normal random numbers of the shapes that fit `mask`.
inline attention::AttentionInputs random_inputs(const graph::FrozenGraph& mask, attention::Score score,
                                                HeadSizes sizes) {
  const auto destinations = static_cast<Eigen::Index>(mask.destination_count());
  const auto sources = static_cast<Eigen::Index>(mask.source_count());
  const int columns = sizes.heads * sizes.width;
  const int score_columns = score == attention::Score::additive ? sizes.heads : columns;
  attention::AttentionInputs inputs;
  inputs.score = score;
  inputs.heads = sizes.heads;
  inputs.width = sizes.width;
  inputs.query = random_matrix(destinations, score_columns, 1);
  inputs.key = random_matrix(sources, score_columns, 2);
  if (score == attention::Score::gatv2)
    inputs.attention_vector = random_matrix(1, columns, 4);
  else
    inputs.value = random_matrix(sources, columns, 3);
  return inputs;
}

}  // namespace edgewise::test
