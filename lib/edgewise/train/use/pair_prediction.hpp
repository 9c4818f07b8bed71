#pragma once

#include <string>
#include <vector>

#include "edgewise/io/alignment.hpp"
#include "edgewise/train/model/pair_writing.hpp"
#include "edgewise/train/use/model_data.hpp"

/// @file
/// What a model for pairs writes for sources, and what it looks at meanwhile.
namespace edgewise::train {

/// For each source of the data the best hypotheses, best first.
std::vector<std::vector<Writing>> predict_pairs(ModelData& loaded, const SearchOptions& options);

/// The same for sources that are given as texts. `name` names the model in messages. Throws ModelError for a model of
/// anything but pairs of texts.
std::vector<std::vector<Writing>> predict_texts(TrainedModel trained, const std::string& name,
                                                std::vector<std::string> sources, const SearchOptions& options);

/// The best hypothesis for the source of one pair.
struct AlignedWriting {
  Writing written;
  io::Alignment alignment;  ///< The last target is the mark at the end.
};

/// What was looked at for each token of it. Throws UsageError for a model that does not attend to its source.
AlignedWriting align_pair(ModelData& loaded, std::size_t pair, const SearchOptions& options);

/// Metrics over some pairs, which have targets: accuracy of tokens after a known start, and `writing_metrics`.
Metrics evaluate_pairs(ModelData& loaded, std::span<const graph::Node> items, const SearchOptions& options);

}  // namespace edgewise::train
