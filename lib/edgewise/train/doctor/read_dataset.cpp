#include "edgewise/train/doctor/read_dataset.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/train/doctor/bound_notes.hpp"
#include "edgewise/train/doctor/data_checks.hpp"
#include "edgewise/train/doctor/data_warnings.hpp"
#include "edgewise/train/doctor/leaks.hpp"
#include "edgewise/train/doctor/mixed_measurements.hpp"
#include "edgewise/train/doctor/odd_values.hpp"
#include "edgewise/train/doctor/repeats.hpp"
#include "edgewise/train/source/atom_items.hpp"
#include "edgewise/train/source/edge_items.hpp"
#include "edgewise/train/source/link_data.hpp"
#include "edgewise/train/source/pretraining.hpp"
#include "edgewise/train/source/row_weights.hpp"
#include "edgewise/train/source/sources.hpp"
#include "edgewise/train/source/split_columns.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

/// What the user should know about columns and labels before anything is learnt from them.
std::vector<std::string> notes_on(const Dataset& data, const std::vector<std::string>& split_columns) {
  std::vector<std::string> notes = column_type_warnings(data, split_columns);
  const auto add = [&](std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(notes)); };
  add(target_of(data.labels).notes(data.labels));
  add(spelling_warnings(data.labels));
  add(constant_labels(data.labels));
  add(bound_notes(data));
  add(mixed_measurement_notes(data));
  add(leak_warnings(data, split_columns));
  add(odd_value_warnings(data, split_columns));
  if (std::string classes = whole_number_classes(data); !classes.empty()) notes.push_back(std::move(classes));
  return notes;
}

}  // namespace

Dataset read_dataset(const DataConfig& config, const LoadOptions& options) {
  const Source& source = source_of(config);
  options.is_for_model() ? refuse_foreign_members_of_model(config)
                         : refuse_foreign_members(config, given_members(config));
  return read_dataset(source, config, options);
}

Dataset read_dataset(const Source& source, const DataConfig& config, const LoadOptions& options) {
  const bool is_for_training = options.needs_labels && !options.is_for_model();
  if (is_pretraining(config)) check_pretraining(config);
  if (is_of_links(config)) check_links(config);
  Dataset data = source.read(config, options);
  data.start = options.start;
  if (data.pairs || data.frozen) return data;  // what follows is about tables, edges and labels
  if (config.dataset.empty() && !is_of_links(config)) take_split_columns(options, data);
  const bool has_tables = !data.thawed;  // which a thawed network was made from
  if (has_tables && !options.is_for_model()) check_columns(config.dataset.empty() ? data.reading : config, data);
  if (has_tables) check_categorical(data.kinds ? data.reading : config, data);
  if (is_of_links(config)) {
    make_links(data, {.asks_all = options.has_split_file,
                      .time = options.split_time,
                      .has_two_sides = options.has_two_sides,
                      .fewest = options.is_for_model() ? 1U : 3U});
    if (!options.is_for_model()) std::ranges::move(repeated_relation_notes(data), std::back_inserter(data.notes));
    return data;
  }
  if (data.table.rows() == 0 && !data.table.columns.empty()) data.notes.push_back(data.table.no_rows());
  if (is_for_training) std::ranges::move(repeat_notes(data), std::back_inserter(data.notes));
  if (is_for_training && data.edges) std::ranges::move(edge_item_notes(data), std::back_inserter(data.notes));
  if (is_pretraining(config)) {
    label_masked(data);
    return data;
  }
  if (config.labels_atoms()) make_atom_items(options, data);
  if (!is_for_training) return data;
  data.labels.weights = read_row_weights(data);
  std::ranges::move(notes_on(data, options.split_columns), std::back_inserter(data.notes));
  return data;
}

}  // namespace edgewise::train
