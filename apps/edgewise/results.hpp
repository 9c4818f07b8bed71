#pragma once

#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::app {

/// Four decimals, or "-" for what is not defined (such as a metric of no nodes).
std::string format_metric(double value);

/// "0.8310 ± 0.0070" of {"mean": ..., "std": ..., "values": [...]}, without the spread of a single value.
std::string format_summary(const json::Value& summary);

/// Predictions [items, names] as CSV or JSON Lines, by the end of `path`; `deviations` of the same shape, or empty.
/// One row for each row of a table of molecules, in its order: those that could not be read say why.
void write_predictions_of(const std::string& path, const train::JobData& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations);

}  // namespace edgewise::app
