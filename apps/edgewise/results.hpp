#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::app {

/// Those that a metric is shown with: four, one from a thousand on, none from a million on.
int decimals_of(double value);

/// "0.8310", or "-" for what is not defined (such as a metric of no nodes).
std::string format_metric(double value);

/// "0.8310 ± 0.0070" of {"mean": ..., "std": ..., "values": [...]}, without the spread of a single value.
std::string format_summary(const json::Value& summary);

/// What stands beside the predictions of the items.
struct Beside {
  std::vector<io::TextColumn> kept = {};   ///< In front of them. A column of ours of the same name is left out.
  std::vector<io::TextColumn> known = {};  ///< Behind them.
};

/// Predictions [items, names], or those of `selected` items alone, with what stands beside them, a cell for each item.
io::Predictions prediction_table(const train::JobData& data, data::Task task, const std::vector<std::string>& names,
                                 const Matrix& predictions, const Matrix& deviations, Beside beside,
                                 std::vector<graph::Node> selected = {});

/// The columns "known" and "split" of items whose part in training is known.
std::vector<io::TextColumn> known_and_split(const train::JobData& data, const std::vector<std::string>& labels,
                                            const std::optional<data::Split>& split);

/// Leaves the rows at these places alone.
void keep_rows(const std::vector<std::size_t>& places, io::Predictions& table);

/// Predictions [items, names] as CSV or JSON Lines, by the end of `path`; `deviations` of the same shape, or empty.
/// One row for each row of a table of molecules, in its order: those that could not be read say why.
void write_predictions_of(const std::string& path, const train::JobData& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations,
                          Beside beside = {});

}  // namespace edgewise::app
