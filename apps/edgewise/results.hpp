#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/data/node_data.hpp"

namespace edgewise::app {

/// "0.8310 ± 0.0070" of {"mean": ..., "std": ..., "values": [...]}, without the spread of a single value.
std::string format_summary(const json::Value& summary);

/// Predictions [nodes, names] as CSV or JSON Lines, by the end of `path`.
void write_predictions_of(const std::string& path, const graph::NodeNames& nodes, data::NodeTask task,
                          const std::vector<std::string>& names, const Matrix& predictions);

}  // namespace edgewise::app
