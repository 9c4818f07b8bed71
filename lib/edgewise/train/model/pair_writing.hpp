#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/model.hpp"
#include "edgewise/train/inputs/pair_map.hpp"
#include "edgewise/train/loop/beam_search.hpp"
#include "edgewise/train/targets/metrics.hpp"

/// @file
/// What a model writes for sources, as texts, and how good it is.
namespace edgewise::train {

/// Hypotheses that go on in each step, unless asked otherwise.
inline constexpr std::int64_t kUsualBeam = 5;

struct Writing {
  std::string text;
  double log_probability = 0;
};

/// The best hypotheses for each source, best first; see `search`.
std::vector<std::vector<Writing>> write(nn::Model& model, const PairMap& map, const PairSide& sources,
                                        const SearchOptions& options);

/// The share of the tokens of `targets` that are the most probable ones after those before them.
double token_accuracy(nn::Model& model, const PairSide& sources, const PairSide& targets);

/// Of the best hypotheses for the sources of some pairs: sequence_accuracy, word_error_rate (1 less that) and bleu.
/// Every target of a source is right. With no pairs, no metrics.
Metrics writing_metrics(nn::Model& model, const PairMap& map, const PairItems& pairs, const PairSide& sources,
                        std::span<const graph::Node> items, const SearchOptions& options);

}  // namespace edgewise::train
