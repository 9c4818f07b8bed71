#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/standard_scale.hpp"
#include "edgewise/data/vocabulary.hpp"
#include "edgewise/train/loop/pair_batches.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// Maps pairs to the tokens of a model, and tokens to texts. Fitted to the training pairs, stored in the model file.
class PairMap {
 public:
  /// Throws UsageError for tokens that do not suit the sources.
  static PairMap fit(const Dataset& data, std::span<const graph::Node> train_pairs);

  /// One row per token of a source; or its rows, scaled. Throws DataError with the line for a source of more than
  /// `longest` tokens, ModelError for rows of other columns than in training. `notes`, if set, receives remarks for the
  /// user.
  PairSide sources(const PairItems& pairs, std::int64_t longest, std::vector<std::string>* notes = nullptr) const;

  /// One row per token of a target, before it the mark: what a decoder reads. Throws as `sources` does.
  PairSide targets(const PairItems& pairs, std::int64_t longest) const;

  /// What comes after each row of `targets`: the classes to learn.
  static std::vector<std::int32_t> next_tokens(const PairSide& targets);

  /// Throws ModelError unless a model of this shape reads these sources and writes these targets.
  void check_fits(const nn::ModelShape& shape) const;

  const data::Vocabulary& target() const { return target_; }
  /// The tokens of a source, or the numbers of its rows: what a picture calls them.
  std::vector<std::string> source_tokens(const PairItems& pairs, std::size_t pair) const;

  json::Value to_json() const;
  /// Throws ModelError if `value` was not made by `to_json`.
  static PairMap from_json(const json::Value& value);

 private:
  data::Vocabulary source_;  ///< Unless there are columns.
  data::Vocabulary target_;
  std::vector<std::string> columns_;  ///< Of the rows.
  std::vector<StandardScale> scales_;
};

}  // namespace edgewise::train
