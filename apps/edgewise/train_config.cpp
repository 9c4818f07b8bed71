#include "train_config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/config/input_files.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/checkpoint.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/source/merge_configs.hpp"

namespace edgewise::app {
namespace {

/// The configuration of the job that the checkpoint belongs to, of which all is checked that does not depend on data.
json::Value config_of_checkpoint(const std::string& path) {
  try {
    const json::Value config = train::read_checkpoint(path).note.value.at("config");
    const train::Config read = train::parse_config(config);
    train::check_model_name(read.model);
    if (!read.model.is_baseline() && !read.model.is_choice()) nn::expand_model(read.model.json());
    return config;
  } catch (const UsageError& error) {
    throw damaged_checkpoint(path, error);
  }
}

/// How long to train is all that a resumed training may change of itself.
bool says_only_how_long(const json::Value& training) {
  constexpr const char* kLengths[] = {"epochs", "patience", "runs", "budget"};
  return std::ranges::all_of(training.as_object(),
                             [&](const auto& member) { return std::ranges::count(kLengths, member.first) > 0; });
}

/// Whether the flags or the positional argument say something about what is at `path`.
bool says_something(const ConfigSources& sources, std::string_view path) {
  if (path == "data" && !sources.dataset.empty()) return true;
  const json::Value* given = json::find_at(sources.flags, path);
  return given != nullptr && !(path == "training" && says_only_how_long(*given));
}

bool all_exist(const std::vector<train::NamedFile>& files) {
  return std::ranges::all_of(files, [](const auto& file) { return file.path.empty() || is_there(file.path); });
}

/// Throws ModelError if the data cannot be loaded as the checkpoint alone says, although its files are there.
void check_data_of_checkpoint(const std::string& path) {
  if (path.empty()) return;
  try {
    const train::Config config = train::parse_config(train::with_defaults(config_of_checkpoint(path)));
    if (!all_exist(train::input_files(config.data, config.split))) return;
    train::read_dataset(config.data, train::load_options_for(config));
  } catch (const UsageError& error) {
    throw damaged_checkpoint(path, error);
  } catch (const DataError& error) {
    throw damaged_checkpoint(path, error);
  }
}

}  // namespace

void add_model_flags(CLI::App& verb, ConfigFlags& flags) {
  start_group(verb, "Model");
  flags.text("--model", "model.preset", fmt::format("{}", fmt::join(train::model_names(), ", ")))->default_str("auto");
  flags.integer("--heads", "model.heads", "Number of attention heads")->default_str(std::to_string(nn::kDefaultHeads));
  flags.integer("--hidden", "model.hidden", "Hidden units of all heads together");
  flags.integer("--layers", "model.layers", "Number of layers");
  flags.text("--mask", "model.mask", "What nodes attend over: " + graph::mask_usages());
  flags.text("--readout", "model.readout", "Graphs: mean, sum, max, sum_mean_max, attention, query or set2set");
  flags.yes("--own-encoders", "model.own_encoders", "Several molecules in a row: each column has weights of its own");
  flags.yes("--cross", "model.cross", "Several molecules in a row: atoms attend to those of the others");
  flags.number("--dropout", "model.dropout", "Dropout on the inputs of layers");
  flags.number("--attention-dropout", "model.attention_dropout", "Dropout on attention weights");
}

bool is_as_checkpoint_says(const ConfigSources& sources, ConfigPaths paths) {
  if (sources.resume.empty() || !sources.file.empty()) return false;
  return std::ranges::none_of(paths, [&](const char* path) { return says_something(sources, path); });
}

ModelError damaged_checkpoint(const std::string& path, const Error& error) {
  return ModelError(fmt::format("{}: the checkpoint's configuration is damaged: {}", path, error.what()));
}

train::Dataset load_data(const ConfigSources& sources, const train::Config& config, const train::PartHolding& parts) {
  try {
    train::LoadOptions options = train::load_options_for(config);
    options.parts = parts;
    return train::read_dataset(config.data, options);
  } catch (const UsageError&) {
    check_data_of_checkpoint(sources.resume);
    throw;
  } catch (const DataError&) {
    check_data_of_checkpoint(sources.resume);
    throw;
  }
}

void check_split_flags(const json::Value& flags, const train::SplitConfig& effective) {
  const json::Value* split = flags.find("split");
  if (split != nullptr && split->find("folds") != nullptr && effective.kind != train::SplitKind::k_fold)
    throw UsageError(fmt::format("--folds: is for --split k_fold; here the split is \"{}\"", name_of(effective.kind)));
}

void check_share_flags(const json::Value& flags, const train::SplitConfig& effective, const train::Dataset& data) {
  const json::Value* split = flags.find("split");
  if (split == nullptr || train::is_drawn_by_shares(data, effective)) return;
  const bool is_given = train::takes_given_split(data, effective);
  const std::string_view kind = name_of(is_given ? train::SplitKind::given : effective.kind);
  for (const auto& [member, flag] : {std::pair{"train", "--train-share"}, {"validation", "--validation-share"}})
    if (split->find(member) != nullptr)
      throw UsageError(fmt::format(
          "{}: is for splits drawn by shares, such as --split random; here the split is \"{}\"", flag, kind));
}

void read_files(ConfigSources& sources) {
  sources.files = json::Object{};
  if (!sources.resume.empty()) sources.files = config_of_checkpoint(sources.resume);
  if (sources.file.empty()) return;
  const json::Value file = json::parse_file(sources.file);
  train::check_members(file);
  sources.files = train::merge_configs(*sources.files, file);
}

train::Config read_config(const ConfigSources& sources) {
  if (!sources.files) {
    ConfigSources read = sources;
    read_files(read);
    return read_config(read);
  }
  json::Value flags = sources.flags;
  if (!sources.dataset.empty()) set_dataset(sources.dataset, flags);
  json::Value config = blame_checkpoint(sources, {"data", "split", "model", "training"}, [&] {
    return train::with_defaults(train::merge_configs(*sources.files, flags));
  });
  // Messages give the path of each value, wherever it came from.
  train::Config read = train::parse_config(config.rooted_at(sources.file.empty() ? "configuration" : sources.file));
  check_split_flags(flags, read.split);
  return read;
}

}  // namespace edgewise::app
