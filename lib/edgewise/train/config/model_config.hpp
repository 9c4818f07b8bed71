#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/train/config/model_traits.hpp"

namespace edgewise::train {

/// "model" of a configuration: a preset or a baseline with its options, a list of blocks, or several to choose from.
/// What it says is read here alone; whoever needs its options as they are written, such as nn::Model, gets the JSON.
class ModelConfig {
 public:
  /// Nothing is said about the model.
  ModelConfig() = default;
  /// Throws UsageError unless the value is null or an object, and its "preset" a text.
  ModelConfig(json::Value value);
  ModelConfig(json::Object members) : ModelConfig(json::Value(std::move(members))) {}
  /// A preset or baseline as it is without options.
  static ModelConfig named(std::string_view preset);
  /// "model" of a configuration that need not be complete or right, or of the record of a training: nothing for what
  /// is no object.
  static ModelConfig of_job(const json::Value& config);

  const json::Value& json() const { return json_; }
  /// Whether nothing is said.
  bool is_empty() const { return json_.is_null() || json_.as_object().empty(); }

  /// "gat", "auto", or "blocks" for a model that is not a preset.
  const std::string& name() const { return name_; }
  /// The name of the preset; `fallback` without one.
  std::string preset_or(std::string_view fallback) const { return is_preset() ? name_ : std::string(fallback); }
  ModelTraits traits() const { return traits_of(name_); }
  bool is_preset() const { return has("preset"); }
  bool is_blocks() const { return has("blocks"); }
  bool is_baseline() const { return !traits().is_network; }
  /// Whether training leaves only predictions.
  bool has_no_model() const { return !traits().leaves_model; }
  /// Whether an option is given.
  bool has(std::string_view option) const { return !json_.is_null() && json_.find(option) != nullptr; }
  /// The same model with an option of this value.
  ModelConfig with(std::string_view option, json::Value value) const;

  /// Whether the model is chosen automatically among several: {"preset": "auto"}.
  bool is_choice() const { return name_ == "auto"; }
  /// Whether candidates are listed without saying that the model is chosen automatically, which it then is.
  bool is_open_choice() const { return has("candidates") && !is_preset() && !is_blocks(); }
  /// Whether the choice says what it is among: its candidates, or some of them.
  bool names_candidates() const { return has("candidates") || has("also"); }
  /// Of a choice: the models in "candidates", if that is given, and in "also".
  std::optional<std::vector<ModelConfig>> candidates() const;
  std::vector<ModelConfig> also() const;
  /// Whether a choice has candidates or options of its own, whose errors are those of the configuration.
  bool has_own_options() const;
  /// A candidate with these options.
  ModelConfig with_shared_options(ModelConfig candidate) const;

  /// Whether this is a different model rather than a change to `base`.
  bool replaces(const ModelConfig& base) const;

  friend bool operator==(const ModelConfig& a, const ModelConfig& b) { return a.json_ == b.json_; }

 private:
  json::Value json_;
  std::string name_ = "blocks";
};

}  // namespace edgewise::train
