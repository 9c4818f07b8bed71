#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgewise/core/matrix.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/use/prediction_table.hpp"

namespace edgewise::app {

/// The known labels of `data`, as the model names them, and for its training data the part of each item.
std::vector<io::TextColumn> known_columns_of(const train::TrainedModel& trained, const train::DataConfig& config,
                                             train::Dataset& data);

/// The known labels, and the column "split" if the split is given.
std::vector<io::TextColumn> known_and_split(const train::Dataset& data, const std::vector<std::string>& labels,
                                            const std::optional<data::Split>& split);

/// Writes predictions [items, names] as CSV or JSON Lines, depending on the extension of `path`; `deviations` has the
/// same shape or is empty. A table of molecules keeps all rows in order; rows that could not be read give the reason.
void write_predictions_of(const std::string& path, const train::Dataset& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations,
                          train::ExtraColumns extra = {});

}  // namespace edgewise::app
