#include "edgewise/train/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/config/budget.hpp"

namespace edgewise::train {
namespace {

using json::Flag;
using json::Integer;
using json::make_field;
using json::OneOf;
using json::refuse;
using json::section;
using json::Text;

constexpr const char* kSchema = "edgewise.config/1";

constexpr const char* kCorrectAndSmooth[] = {"auto", "always", "never"};

constexpr const char* kInputs[] = {"features", "identity", "words"};

constexpr std::array kRepeatFields = {
    make_field<Config, &Config::runs, Integer<1, 100'000>>("runs", "Number of runs, with seeds seed, seed + 1, ...",
                                                           "--runs"),
    make_field<Config, &Config::ensemble, Integer<1, 1000>>(
        "ensemble", "Models per run; predictions are their mean, with its spread", "--ensemble"),
    make_field<Config, &Config::correct_and_smooth, OneOf<kCorrectAndSmooth>>(
        "correct_and_smooth",
        "Spread known labels after a model of nodes: auto (if it pays, when the model is chosen), always, never",
        "--correct-and-smooth"),
    make_field<Config, &Config::from, json::File>(
        "from",
        "Model file to start from: tensors that fit are taken, the rest are initialized from scratch",
        "--from"),
    make_field<Config, &Config::freeze, Flag>("freeze", "Freeze the tensors that are taken from it", "--freeze"),
    make_field<Config, &Config::inputs, OneOf<kInputs>>(
        "inputs",
        "What a network sees of a node: features, identity (only the structure of the graph), or words (features, and "
        "the names of neighbours in kinds without columns)", "--inputs"),
    make_field<Config, &Config::budget, Text>(
        "budget", "Time limit such as 90s, 10m or 2h: the best model until then is kept", "--budget"),
};

/// Models far larger than anything useful are typing errors; building them would first exhaust the memory.
void check_sizes(const json::Value& model) {
  constexpr std::pair<const char*, std::int64_t> kLargest[] = {{"layers", 1000}, {"heads", 4096}, {"hidden", 1 << 20}};
  for (const auto& [name, largest] : kLargest) {
    const json::Value* value = model.find(name);
    if (value != nullptr && value->is_integer() && value->as_integer() > largest)
      refuse(model, name, fmt::format("expected at most {}", largest));
  }
}

}  // namespace

void check_members(const json::Value& value) { value.allow_only({"schema", "data", "split", "model", "training"}); }

Config parse_config(const json::Value& value) {
  check_members(value);
  if (const std::string schema = value.get("schema", kSchema); schema != kSchema)
    throw UsageError(fmt::format("configuration: expected the schema {}, got \"{}\"", kSchema, schema));
  Config config;
  config.data = parse_data(section(value, "data"));
  config.split = parse_split(section(value, "split"));
  config.model = section(value, "model");
  if (!config.model.is_preset() && !config.model.is_blocks())
    config.model =
        config.model.with("preset", config.model.is_empty() || config.model.is_open_choice() ? "auto" : "gat");
  check_sizes(config.model.json());
  const json::Value& training = section(value, "training");
  config.training = parse_train_options(training, {"runs", "ensemble", "correct_and_smooth", "from", "freeze", "inputs",
                                                     "budget"});
  for (const auto& field : kRepeatFields) field.read(training, field.name, config);
  if (!config.budget.empty()) seconds_of_budget(training.path() + ".budget", config.budget);
  if (config.freeze && config.from.empty())
    refuse(training, "freeze", "expected \"from\" as well (--from): only tensors of a model file can be frozen");
  return config;
}

json::Value to_json(const Config& config) {
  json::Value value;
  value.set("schema", kSchema);
  value.set("data", to_json(config.data));
  value.set("split", to_json(config.split));
  value.set("model", config.model.json());
  json::Value training = to_json(config.training);
  // The last two are left out unless they are given.
  json::write_fields(std::span<const json::Field<Config>>(kRepeatFields).first(kRepeatFields.size() - 2), config,
                     training);
  if (config.inputs != Config{}.inputs) training.set("inputs", OneOf<kInputs>::write(config.inputs));
  if (!config.budget.empty()) training.set("budget", config.budget);
  value.set("training", std::move(training));
  return value;
}

std::vector<json::FieldDoc> config_fields() {
  using json::FieldType;
  std::vector<json::FieldDoc> training = json::docs_of(train_fields());
  for (const auto& field : kRepeatFields) training.push_back({field.name, field.doc, field.flag, field.type});
  return {{.name = "data",
           .doc = "Nodes, edges and labels",
           .type = FieldType::object,
           .fields = json::docs_of(data_fields())},
          {.name = "split",
           .doc = "Training, validation and test parts",
           .type = FieldType::object,
           .fields = json::docs_of(split_fields())},
          {.name = "training", .doc = "How a model is trained", .type = FieldType::object, .fields = training}};
}

std::string flag_of(std::string_view path) {
  if (path == "model.preset") return "--model";
  const std::size_t dot = path.rfind('.');
  std::string name(path.substr(dot == path.npos ? 0 : dot + 1));
  for (const json::FieldDoc& section : config_fields())
    for (const json::FieldDoc& field : section.fields)
      if (path == fmt::format("{}.{}", section.name, field.name) && !field.flag.empty()) return std::string(field.flag);
  std::ranges::replace(name, '_', '-');
  return fmt::format("--{}", name);
}

}  // namespace edgewise::train
