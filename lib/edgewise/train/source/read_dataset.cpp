#include "edgewise/train/source/read_dataset.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/train/source/data_checks.hpp"
#include "edgewise/train/source/data_warnings.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/leaks.hpp"
#include "edgewise/train/source/mixed_measurements.hpp"
#include "edgewise/train/source/pretraining.hpp"
#include "edgewise/train/source/odd_values.hpp"
#include "edgewise/train/source/repeats.hpp"
#include "edgewise/train/source/row_weights.hpp"
#include "edgewise/train/source/sources.hpp"
#include "edgewise/train/source/split_columns.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
Dataset read_dataset(const DataConfig& config, const LoadOptions& options) {
  const Source& source = source_of(config);
  std::vector<std::string_view> given = given_members(config);
  if (options.is_for_model())  // it keeps what was found in its training, which not all sources take
    std::erase_if(given, [](std::string_view member) { return group_of(member) != DataGroup::molecules; });
  refuse_foreign_members(config, given);
  return read_dataset(source, config, options);
}

Dataset read_dataset(const Source& source, const DataConfig& config, const LoadOptions& options) {
  if (is_pretraining(config)) check_pretraining(config);
  Dataset data = source.read(config, options);
  data.start = options.start;
  if (data.pairs || data.frozen) return data;  // what follows is about tables, edges and labels
  if (config.dataset.empty()) take_split_columns(options, data);
  if (!options.is_for_model()) check_columns(config.dataset.empty() ? data.reading : config, data);
  check_categorical(config, data);
  if (data.table.rows() == 0 && !data.table.columns.empty()) data.notes.push_back(data.table.no_rows());
  if (options.needs_labels && !options.is_for_model())
    std::ranges::copy(repeat_notes(data), std::back_inserter(data.notes));
  if (is_pretraining(config)) {
    label_masked(data);
    return data;
  }
  if (options.needs_labels && !options.is_for_model()) data.labels.weights = read_row_weights(data);
  if (options.needs_labels && !options.is_for_model()) {
    std::ranges::copy(column_type_warnings(data), std::back_inserter(data.notes));
    std::ranges::copy(target_of(data.labels).notes(data.labels), std::back_inserter(data.notes));
    std::ranges::copy(spelling_warnings(data.labels), std::back_inserter(data.notes));
    std::ranges::copy(constant_labels(data.labels), std::back_inserter(data.notes));
    std::ranges::copy(bound_notes(data), std::back_inserter(data.notes));
    std::ranges::copy(mixed_measurement_notes(data), std::back_inserter(data.notes));
    std::ranges::copy(leak_warnings(data, options.split_columns), std::back_inserter(data.notes));
    std::ranges::copy(odd_value_warnings(data, options.split_columns), std::back_inserter(data.notes));
    if (std::string classes = whole_number_classes(data); !classes.empty()) data.notes.push_back(std::move(classes));
  }
  return data;
}

std::optional<Dataset> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts) {
  if (named_source(to_json(config)) == nullptr) return std::nullopt;
  const Source& source = source_of(config);
  return source.read_rows == nullptr ? std::nullopt : source.read_rows(config, texts);
}

}  // namespace edgewise::train
