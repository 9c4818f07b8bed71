#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/job_split.hpp"
#include "edgewise/train/jobs/known_items.hpp"
#include "edgewise/train/loop/metrics.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "results.hpp"
#include "target_table.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string part = "auto";
};

/// The nodes or graphs to evaluate on, those with a known label: in a part of the split, or all.
struct Part {
  std::string name;
  std::vector<graph::Node> items;
};

bool names_data(const EvaluateArguments& arguments) {
  return !arguments.model.dataset.empty() || arguments.model.flags.find("data") != nullptr;
}

/// Whether the data has a split that keeps the training items apart: its own, one that flags ask for, or that of
/// training. The latter, drawn again for other data, would mix training items into the test part.
bool has_split(const EvaluateArguments& arguments, const ModelData& loaded) {
  if (!names_data(arguments) || arguments.model.flags.find("split") != nullptr) return true;
  const bool has_own = !loaded.data.splits.empty() || !train::split_column(loaded.data, loaded.split).empty();
  return has_own || train::training_split(loaded.trained, loaded.data).has_value();
}

/// Whether the items are those of training, but in other parts.
bool is_split_otherwise(const EvaluateArguments& arguments, const ModelData& loaded, const data::Split& split) {
  const json::Value* mark = loaded.trained.training.find("split_mark");
  return !names_data(arguments) && mark != nullptr && train::mark_of(loaded.data.items(), split) != mark->as_string();
}

Part choose_part(const EvaluateArguments& arguments, const ModelData& loaded, const Session& session) {
  const bool has_parts = has_split(arguments, loaded);
  std::string name = arguments.part;
  if (name == "auto") name = has_parts ? "test" : "all";
  if (name == "all") return {name, data::labelled_nodes(loaded.data.labels)};
  const std::optional<data::Role> role = data::parse_role(name);
  if (!role || *role == data::Role::none)
    throw UsageError(fmt::format("--part: expected train, validation, test or all, got \"{}\"", name));
  if (!has_parts)
    throw UsageError(fmt::format("--part: {} has no split, and its items are not those of training in the same order; "
                                 "use --part all, or say which they are with --split-file",
                                 loaded.data.name));
  check_share_flags(arguments.model.flags, loaded.split, loaded.data);
  const auto seed = static_cast<std::uint64_t>(loaded.trained.training.get("seed", std::int64_t{0}));
  const std::int64_t run = loaded.trained.training.get("run", std::int64_t{0});
  const data::Split split = train::make_split(loaded.data, loaded.split, seed, run);
  if (is_split_otherwise(arguments, loaded, split))
    note(session, "the split is not that of training: the model may have been trained on some of these items");
  return {name, train::labelled(loaded.data.labels, data::nodes_with_role(split, *role))};
}

json::Value per_class(const std::vector<std::string>& names, const std::vector<train::ClassReport>& reports) {
  json::Array rows;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    json::Value row;
    row.set("class", names[i]);
    row.set("precision", reports[i].precision);
    row.set("recall", reports[i].recall);
    row.set("f1", reports[i].f1);
    row.set("support", reports[i].support);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::Value to_json(const train::ConfusionMatrix& confusion) {
  json::Array rows;
  for (Eigen::Index r = 0; r < confusion.rows(); ++r) {
    json::Array row;
    for (Eigen::Index c = 0; c < confusion.cols(); ++c) row.emplace_back(confusion(r, c));
    rows.emplace_back(std::move(row));
  }
  return rows;
}

std::string class_table(const std::vector<std::string>& names, const std::vector<train::ClassReport>& reports,
                        const train::ConfusionMatrix& confusion) {
  const std::size_t width = width_of(names);
  std::string text =
      fmt::format("\n\n{:<{}}{:>10}{:>10}{:>10}{:>10}", "class", width, "precision", "recall", "f1", "count");
  for (std::size_t i = 0; i < reports.size(); ++i)
    text += fmt::format("\n{:<{}}{:>10.4f}{:>10.4f}{:>10.4f}{:>10}", names[i], width, reports[i].precision,
                        reports[i].recall, reports[i].f1, reports[i].support);
  text += "\n\nconfusion matrix: rows are true classes, columns are predicted classes";
  for (Eigen::Index r = 0; r < confusion.rows(); ++r) {
    text += fmt::format("\n{:<{}}", names[static_cast<std::size_t>(r)], width);
    for (Eigen::Index c = 0; c < confusion.cols(); ++c) text += fmt::format("{:>8}", confusion(r, c));
  }
  return text;
}

void add_metrics(const train::Metrics& values, json::Value& object, std::string& text) {
  json::Value metrics{json::Object{}};
  for (const auto& [name, value] : values) {
    metrics.set(name, value);
    text += fmt::format("\n{:<24}{:>10}", name, format_metric(value));
  }
  object.set("metrics", std::move(metrics));
}

/// Each of several targets or labels with its own metrics.
void add_targets(const data::Labels& labels, const Matrix& predictions, const Part& part, json::Value& object,
                 std::string& text) {
  TargetTable table;
  table.add_run("", train::evaluate_targets(labels, predictions, part.items));
  object.set("targets", table.to_json());
  text += "\n\n" + table.to_text();
}

void add_classes(const data::Labels& labels, const Matrix& predictions, const Part& part, json::Value& object,
                 std::string& text) {
  const train::ConfusionMatrix confusion = train::confusion_matrix(
      labels.classes, train::predicted_classes(predictions), labels.names.size(), part.items);
  const std::vector<train::ClassReport> reports = train::class_reports(confusion);
  object.set("per_class", per_class(labels.names, reports));
  object.set("labels", labels.names);
  object.set("confusion", to_json(confusion));
  text += class_table(labels.names, reports, confusion);
}

/// Other data may have more of the class that was the rarer one in training.
void keep_positive_class(const train::TrainedModel& trained, data::Labels& labels) {
  const json::Value* positive = trained.training.find("positive_class");
  if (positive == nullptr || !train::has_positive_class(labels)) return;
  labels.positive = *positive == json::Value(labels.names[0]) ? 0 : 1;
}

/// Says which of two classes roc_auc and average_precision are about.
void add_positive_class(const data::Labels& labels, json::Value& object, std::string& text) {
  const std::string& name = labels.names[static_cast<std::size_t>(train::positive_class(labels))];
  object.set("positive_class", name);
  text += fmt::format("\n(roc_auc and average_precision: \"{}\" against \"{}\")", name,
                      labels.names[name == labels.names[0] ? 1 : 0]);
}

int evaluate_verb(const EvaluateArguments& arguments, const Session& session) {
  ModelData loaded = load_model_data(session, arguments.model, Needs::labels);
  data::Labels& labels = loaded.data.labels;
  if (labels.names != loaded.trained.label_names)
    throw ModelError(fmt::format("{}: the data has the labels {}, the model knows {}", arguments.model.model,
                                 fmt::join(labels.names, ", "), fmt::join(loaded.trained.label_names, ", ")));
  keep_positive_class(loaded.trained, labels);
  const Part part = choose_part(arguments, loaded, session);
  if (part.items.empty())
    throw DataError(fmt::format("{}, {}: no item there has a known label to evaluate on", loaded.data.name, part.name));
  train::hide_labels(loaded.trained, part.items, loaded.inputs);  // scored labels must not be inputs
  const Matrix predictions = train::predict(loaded.trained, loaded.data, loaded.inputs);
  const char* what = loaded.data.graphs ? "graphs" : "nodes";
  json::Value object = json::Object{{"schema", "edgewise.evaluate/1"},
                                    {"model", arguments.model.model},
                                    {"dataset", loaded.data.name},
                                    {"part", part.name},
                                    {what, static_cast<std::int64_t>(part.items.size())},
                                    {"threads", threads()}};
  if (!loaded.data.graphs) object.set("reorder", loaded.inputs.front().order.name);
  std::string text = fmt::format("{} on {}, {}: {} {}", arguments.model.model, loaded.data.name, part.name,
                                 part.items.size(), what);
  add_metrics(train::evaluate(labels, predictions, part.items, loaded.trained.scaler.deviation()), object, text);
  if (train::has_positive_class(labels)) add_positive_class(labels, object, text);
  const bool has_classes = labels.task == data::Task::classification;
  if (!has_classes && labels.names.size() > 1) add_targets(labels, predictions, part, object, text);
  if (has_classes) add_classes(labels, predictions, part, object, text);
  session.print_result(text, object);
  return kDone;
}

}  // namespace

/// edgewise evaluate: measures a model on items with known labels.
void add_evaluate(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("evaluate", "Evaluate a model: metrics, per-class results, confusion matrix");
  auto arguments = std::make_shared<EvaluateArguments>();
  add_model_arguments(verb, arguments->model);
  ConfigFlags(verb, arguments->model.flags).add("training.reorder");
  verb.add_option("--part", arguments->part,
                  "train, validation, test or all; by default the test part of the split, or all of other data");
  add_examples(verb, {"edgewise evaluate model.safetensors",
                      "edgewise evaluate model.safetensors --edges new.csv --nodes new-people.csv"});
  session.add_verb(verb, [arguments, &session] { return evaluate_verb(*arguments, session); });
}

}  // namespace edgewise::app
