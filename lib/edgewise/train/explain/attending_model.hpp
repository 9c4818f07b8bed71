#pragma once

#include <fmt/format.h>

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/train/config/data_config.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/use/model_data.hpp"

namespace edgewise::train {

/// Notes which models of an average or an ensemble are not explained.
inline void note_ignored_models(const std::string& path, std::size_t kinds, const TrainedModel& explained,
                                const NoteHook& note) {
  const std::string name = model_of(explained).name();
  if (kinds > 1) note(fmt::format("{}: an average of {} models; only {} is explained", path, kinds, name));
  if (!explained.other_members.empty())
    note(fmt::format("{}: {} is an ensemble of {} models; only the first is explained", path, name,
                              explained.other_members.size() + 1));
}

/// Calls `ask(trained, input)`, which returns something with `records`, on the models of an average in turn and returns
/// the first answer that has attention records, with a note on the models that are ignored. Throws ModelError when no
/// model has an attention layer, UsageError for a frozen network.
template <class Ask>
auto first_with_attention(const std::string& path, ModelData& loaded, const NoteHook& note, const Ask& ask) {
  refuse_frozen("explain", loaded.data.reading);
  const std::vector<TrainedModel*> kinds = components_of(loaded.trained);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto answer = ask(*kinds[i], loaded.inputs[i]);
    if (answer.records.empty()) continue;
    note_ignored_models(path, kinds.size(), *kinds[i], note);
    return answer;
  }
  const bool has_other_pairs = loaded.data.collection && loaded.data.graph.edge_count() == 0;
  const char* other = has_other_pairs ? "attention" : loaded.trained.model.is_graph_level() ? "gatv2" : "gat";
  throw ModelError(fmt::format("{}: the model has no attention layer; train {} {} makes one that does", path,
                               setting("model.preset"), other));
}

}  // namespace edgewise::train
