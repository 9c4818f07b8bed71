#pragma once

#include <fmt/format.h>

#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/train/jobs/config.hpp"
#include "model_data.hpp"

namespace edgewise::app {

/// Calls `ask(trained, input)`, which returns something with `records`, on the models of an average in turn and returns
/// the first answer that has attention records, with a note that the other models are ignored. Throws ModelError when
/// no model has an attention layer.
template <class Ask>
auto ask_attending_model(const Session& session, const std::string& path, ModelData& loaded, const Ask& ask) {
  const std::vector<train::TrainedModel*> kinds = train::kinds_of(loaded.trained);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    auto answer = ask(*kinds[i], loaded.inputs[i]);
    if (answer.records.empty()) continue;
    if (kinds.size() > 1)
      note(session, fmt::format("{}: an average of {} models; only {} is explained", path, kinds.size(),
                                train::model_name(kinds[i]->training.at("model"))));
    return answer;
  }
  const char* other = loaded.trained.model.is_graph_level() ? "gatv2" : "gat";
  throw ModelError(
      fmt::format("{}: the model has no attention layer; train --model {} makes one that does", path, other));
}

}  // namespace edgewise::app
