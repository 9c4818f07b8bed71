#pragma once

#include <cstdint>
#include <string>

#include "edgewise/train/use/model_data.hpp"
#include "session.hpp"

/// @file
/// What the verbs do with a model that writes targets for sources.
namespace edgewise::app {

/// Writes the best hypotheses for each source to `out`, a row each (.csv, .jsonl; - is standard output, as CSV).
int predict_pairs(const Session& session, const std::string& path, train::ModelData& loaded, std::int64_t beam,
                  const std::string& out);

/// Shows what was looked at for each token that is written for the source of line `row`, and writes it to `out` if that
/// is not empty.
int explain_pair(const Session& session, const std::string& path, train::ModelData& loaded, std::int64_t row,
                 const std::string& out);

}  // namespace edgewise::app
