#include "results.hpp"

#include <utility>

#include "edgewise/io/predictions.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/use/molecule_lists.hpp"

namespace edgewise::app {

std::vector<io::TextColumn> known_columns_of(const train::TrainedModel& trained, const train::DataConfig& config,
                                             train::Dataset& data) {
  const std::vector<std::string>& labels = train::label_columns_of(trained, config);
  train::prepare_known_labels(labels, trained.label_names, trained.task, config, data.table);
  if (labels != trained.data.label)
    for (const std::string& column : labels) data.table.at(column);  // throws, listing the columns
  data.labels = train::labels_for(trained, data, labels);
  return known_and_split(data, labels, train::training_split(trained, data));
}

std::vector<io::TextColumn> known_and_split(const train::Dataset& data, const std::vector<std::string>& labels,
                                            const std::optional<data::Split>& split) {
  std::vector<io::TextColumn> columns = train::known_columns(data, labels);
  if (split) columns.push_back(train::split_text(*split));
  return columns;
}

void write_predictions_of(const std::string& path, const train::Dataset& data, data::Task task,
                          const std::vector<std::string>& names, const Matrix& predictions, const Matrix& deviations,
                          train::ExtraColumns extra) {
  io::Predictions table = train::prediction_table(data, task, names, predictions, deviations, std::move(extra));
  io::write_predictions(path, train::names_of_rows(data), train::as_written(data, std::move(table)));
}

}  // namespace edgewise::app
