#include "edgewise/train/source/load_options.hpp"

#include <algorithm>
#include <iterator>

#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {

LoadOptions load_options_for(const SplitConfig& split) {
  LoadOptions options{.split_name = split.name,
                      .split_columns = split.columns(),
                      .has_split_file = !split.file.empty(),
                      .split_time = split.time};
  for (const std::string& column : {split.group, split.time})  // groups and times are compared as they are spelt
    if (!column.empty()) options.texts.names.push_back(column);
  return options;
}

io::ReadAsText read_as_text(const DataConfig& config, const LoadOptions& options) {
  io::ReadAsText texts = options.texts;
  std::ranges::copy(config.categorical_of_nodes(), std::back_inserter(texts.names));
  return texts;
}

std::optional<data::Task> task_of(const std::string& name) {
  const data::Task* found = find_task(name);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<data::Task> task_of(const DataConfig& config, const LoadOptions& options) {
  return task_of(options.known_task.empty() ? config.task : options.known_task);
}

data::LabelOptions label_options(const DataConfig& config, std::optional<data::Task> task,
                                 const LoadOptions& options) {
  data::LabelOptions wanted{.columns = config.label, .task = task, .allows_any = !options.needs_labels};
  wanted.are_categories = std::ranges::any_of(
      config.label, [&](const std::string& name) { return std::ranges::count(config.categorical, name) > 0; });
  if (task && task->has_classes()) wanted.classes = options.known_labels;
  return wanted;
}

}  // namespace edgewise::train
