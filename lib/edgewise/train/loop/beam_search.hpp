#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "edgewise/train/loop/pair_batches.hpp"

namespace edgewise::train {

struct SearchOptions {
  std::size_t beam = 1;       ///< Hypotheses that go on in each step; 1: greedy.
  std::size_t longest = 0;    ///< Tokens of a hypothesis; 0: twice those of the source, and 20.
  std::size_t at_once = 64;   ///< Sources searched side by side.
};

struct Hypothesis {
  std::vector<std::int32_t> tokens = {};  ///< Without the mark at the end.
  double log_probability = 0;             ///< With that of the mark; natural logarithm.
  double score = 0;                       ///< What hypotheses are compared by: log probability / tokens, with the mark.
};

/// The best hypotheses for each source, up to `beam`, best first. Token 0 is the mark at both ends. In each step the
/// `beam` most probable continuations go on; one that ends is a result, and a source is done once it has `beam` results
/// or nothing to go on with. After `longest` tokens only the mark can follow. What a step needs of those before is kept
/// (nn/kept_rows.hpp), so it costs its new tokens. Throws ModelError if the model does not fit, NumericalError if its
/// logits are not finite, UsageError for a beam of 0, 0 sources at once, and a model that cannot write one token after
/// another.
std::vector<std::vector<Hypothesis>> search(nn::Model& model, const PairSide& source, const SearchOptions& options);

}  // namespace edgewise::train
