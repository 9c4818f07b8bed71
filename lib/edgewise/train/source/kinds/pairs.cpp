#include "edgewise/core/error.hpp"
#include "edgewise/train/source/defaults.hpp"
#include "edgewise/train/source/kinds.hpp"
#include "edgewise/train/source/pair_data.hpp"

namespace edgewise::train {

const Source& pairs_source() {
  static const Source kSource{
      .noun = "pairs",
      .named_by = {"pairs", "source_texts", "target_texts"},
      .takes = {DataGroup::pairs},
      .replaces = {"pairs", "source_texts", "target_texts"},
      .shape = [](const json::Value&) { return DataShape::pairs; },
      .check =
          [](const DataConfig& config) {
            if (!config.pairs.empty() && !(config.source_texts.empty() && config.target_texts.empty()))
              throw UsageError("data: give one file of pairs, or one of sources and one of targets, not both");
            if (!(config.label.empty() && config.row_weight.empty() && config.categorical.empty() &&
                  config.ignore.empty() && config.task == "auto"))
              throw UsageError("data: pairs have no columns and one task (no label, weights, categories, task)");
          },
      .read = load_pairs,
      .suits = [](const data::CatalogueSet& set) { return set.is_pairs(); },
      .read_set = load_pair_set,
      .defaults = pair_defaults,
      .candidates = [](const Dataset& data) -> std::vector<std::string> {
        if (!data.pairs) return {};
        return {"lstm_pair", "lstm_attention_pair", "transformer_pair"};
      }};
  return kSource;
}

}  // namespace edgewise::train
