#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/report/evaluation_page.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/target_table.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

constexpr std::size_t kMostClassesShown = 50;  // in the confusion matrix

struct EvaluateArguments {
  ModelArguments model;
  std::string part = "auto";
  std::string report;
};

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
  const std::size_t width = report::width_of(names);
  std::string text =
      fmt::format("\n\n{:<{}}{:>10}{:>10}{:>10}{:>10}", "class", width, "precision", "recall", "f1", "count");
  for (std::size_t i = 0; i < reports.size(); ++i)
    text += fmt::format("\n{:<{}}{:>10.4f}{:>10.4f}{:>10.4f}{:>10}", names[i], width, reports[i].precision,
                        reports[i].recall, reports[i].f1, reports[i].support);
  if (names.size() > kMostClassesShown)
    return text + fmt::format("\n\nconfusion matrix: of {} classes; {}", names.size(),
                              confusion.size() > 0 ? "--json has it" : "there is none of so many");
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
    text += fmt::format("\n{:<24}{:>10}", name, report::format_metric(value));
  }
  object.set("metrics", std::move(metrics));
}

/// How far probabilities can be trusted; of numbers there is nothing to say.
void add_calibration(const train::ModelData& loaded, const train::Evaluation& result, json::Value& object,
                     std::string& text) {
  if (loaded.data.labels.has_numbers()) return;
  const double error = train::reliability(loaded.data.labels, result.predictions, result.items).expected_error;
  object.set(report::kCalibrationError, error);
  text += fmt::format("\n{:<26}{:>8}", report::kCalibrationError, report::format_metric(error));
}

/// How often sets or intervals hold the truth, and whether deviations tell which predictions are worse.
void add_coverage(const train::ModelData& loaded, const train::Evaluation& result, json::Value& object,
                  std::string& text) {
  const data::Task task = loaded.data.labels.task;
  const bool are_intervals = task.has_numbers();
  const std::vector<std::string>& names = loaded.trained.label_names;
  json::Array rows;
  for (std::size_t i = 0; i < std::max(result.coverage.size(), result.error_correlations.size()); ++i) {
    json::Value row = json::Object{{"level", train::kUsualLevel}};
    if (!task.has_classes()) row.set("target", names[i]);
    const bool is_one = task.has_classes() || names.size() == 1;
    const std::string of_name = is_one ? "" : fmt::format(" ({})", names[i]);
    if (i < result.coverage.size()) {
      const auto& [held, size] = result.coverage[i];
      row.set("held", held);
      row.set("size", size);
      text += fmt::format("\n{} of {:.0f} % hold {} of the truths; mean {} {}{}", are_intervals ? "intervals" : "sets",
                          100 * train::kUsualLevel, report::format_metric(held), are_intervals ? "width" : "size",
                          report::format_metric(size), of_name);
    }
    if (i < result.error_correlations.size()) {
      row.set("error_correlation", result.error_correlations[i]);
      text += fmt::format("\nrank correlation of deviations and errors: {}{}",
                          report::format_metric(result.error_correlations[i]), of_name);
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) object.set("coverage", std::move(rows));
}

/// Each of several targets or labels with its own metrics.
void add_targets(const train::Evaluation& result, json::Value& object, std::string& text) {
  report::TargetTable table;
  table.add_run("", result.targets);
  object.set("targets", table.to_json());
  text += "\n\n" + table.to_text();
}

void add_classes(const std::vector<std::string>& names, const train::Evaluation& result, json::Value& object,
                 std::string& text) {
  object.set("per_class", per_class(names, result.classes));
  object.set("labels", names);
  if (result.confusion.size() > 0) object.set("confusion", to_json(result.confusion));
  text += class_table(names, result.classes, result.confusion);
}

/// Says which of two classes roc_auc and average_precision are about.
void add_positive_class(const std::vector<std::string>& names, const std::string& positive, json::Value& object,
                        std::string& text) {
  object.set("positive_class", positive);
  text += fmt::format("\n(roc_auc and average_precision: \"{}\" against \"{}\")", positive,
                      names[positive == names[0] ? 1 : 0]);
}

/// Says which of several runs the part is of. The model is that of the run with the best validation metric, which may
/// have been lucky with its split.
void add_run(const train::TrainedModel& trained, const train::Evaluation& result, json::Value& object,
             std::string& text) {
  if (!result.run) return;
  const std::int64_t runs = trained.training.get("runs", std::int64_t{1});
  object.set("run", *result.run);
  object.set("runs", runs);
  text += fmt::format("\n(of the split of run {} of {}, kept for its validation items: not the mean of the runs)",
                      *result.run + 1, runs);
}

void check_files(const EvaluateArguments& arguments, std::vector<train::NamedFile> inputs) {
  inputs.push_back({"the model", arguments.model.model});
  check_outputs({{"--report", arguments.report}}, inputs);
}

int evaluate_verb(const EvaluateArguments& arguments, const Session& session) {
  check_files(arguments, {});
  train::OpenModel opened = open_model(arguments.model);
  check_files(arguments, train::input_files(opened.config.data, opened.config.split));
  std::vector<std::string> notes;
  const train::NoteHook say_note = [&](const std::string& line) {
    note(session, line);
    notes.push_back(line);
  };
  train::ModelData loaded = train::load_model_data(std::move(opened), train::Needs::labels, say_note);
  if (arguments.part != "all") check_share_flags(arguments.model.flags, loaded.split, loaded.data);
  const train::Evaluation result =
      train::evaluate(loaded, request_of(arguments.model), arguments.part, say_note);
  const std::vector<std::string>& names = loaded.trained.label_names;
  const char* what = loaded.data.pairs ? "pairs" : loaded.data.graphs ? "graphs" : "nodes";
  json::Value object = json::Object{{"schema", "edgewise.evaluate/1"},
                                    {"model", arguments.model.model},
                                    {"dataset", loaded.data.name},
                                    {"part", result.part},
                                    {what, static_cast<std::int64_t>(result.items.size())},
                                    {"threads", threads()}};
  if (!loaded.data.graphs && !loaded.data.pairs) object.set("reorder", loaded.inputs.front().order.name);
  std::string text = fmt::format("{} on {}, {}: {} {}", arguments.model.model, loaded.data.name, result.part,
                                 result.items.size(), what);
  add_run(loaded.trained, result, object, text);
  add_metrics(result.metrics, object, text);
  if (loaded.data.pairs) {
    if (!arguments.report.empty()) throw UsageError("--report: not for models of pairs");
    session.print_result(text, object);
    return kDone;
  }
  add_calibration(loaded, result, object, text);
  add_coverage(loaded, result, object, text);
  if (result.positive_class) add_positive_class(names, *result.positive_class, object, text);
  if (!result.targets.empty()) add_targets(result, object, text);
  if (!result.classes.empty()) add_classes(names, result, object, text);
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report,
                 to_html(report::EvaluationPage{session.command, loaded, result, arguments.model.model, notes}));
  }
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
  add_report_flag(verb, arguments->report);
  add_examples(verb, {"edgewise evaluate model.safetensors",
                      "edgewise evaluate model.safetensors --edges new.csv --nodes new-people.csv"});
  session.add_verb(verb, [arguments, &session] {
    return with_model(arguments->model, [&] { return evaluate_verb(*arguments, session); });
  });
}

}  // namespace edgewise::app
