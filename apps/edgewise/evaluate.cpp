#include <memory>
#include <utility>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/report/evaluation_page.hpp"
#include "edgewise/report/evaluation_result.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "edgewise/train/use/link_ranks.hpp"
#include "flags.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "train_config.hpp"

namespace edgewise::app {
namespace {

struct EvaluateArguments {
  ModelArguments model;
  std::string part = "auto";
  std::string negatives;
  std::string report;
};

void check_files(const EvaluateArguments& arguments, std::vector<train::NamedFile> inputs) {
  inputs.push_back({"the model", arguments.model.model});
  if (!arguments.negatives.empty() && arguments.negatives != train::kAllNodes)
    inputs.push_back({"--negatives", arguments.negatives});
  check_outputs({{"--report", arguments.report}}, inputs);
}

int evaluate_verb(const EvaluateArguments& arguments, const Session& session) {
  check_files(arguments, {});
  if (!arguments.negatives.empty() && !arguments.report.empty())
    throw UsageError("--report: its ranks are among drawn nodes; leave out --negatives");
  train::OpenModel opened = open_model(arguments.model);
  opened.parts = session.parts();
  check_files(arguments, train::input_files(opened.config.data, opened.config.split));
  std::vector<std::string> notes;
  const train::NoteHook say_note = [&](const std::string& line) {
    note(session, line);
    notes.push_back(line);
  };
  train::ModelData loaded = train::load_model_data(std::move(opened), train::Needs::labels, say_note);
  if (arguments.part != "all") check_share_flags(arguments.model.flags, loaded.split, loaded.data);
  const train::Evaluation result =
      train::evaluate(loaded, request_of(arguments.model), arguments.part, say_note, arguments.negatives);
  if (loaded.data.pairs && !arguments.report.empty()) throw UsageError("--report: not for models of pairs");
  json::Value object = json::Object{{"schema", "edgewise.evaluate/1"}, {"model", arguments.model.model}};
  const json::Value measured = report::evaluation_json(loaded, result);
  for (const auto& [name, value] : measured.as_object()) object.set(name, value);
  object.set("threads", threads());
  if (!arguments.report.empty()) {
    object.set("report", arguments.report);
    write_output(arguments.report,
                 to_html(report::EvaluationPage{session.command, loaded, result, arguments.model.model, notes,
                                                report::places_of(loaded, result)}));
  }
  session.print_result(report::evaluation_text(arguments.model.model, loaded, result), object);
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
  verb.add_option(
      "--negatives", arguments->negatives,
      "Ties: rank the true node among all nodes, or among pairs without ties in a CSV file, not drawn ones");
  add_report_flag(verb, arguments->report);
  add_examples(verb, {"edgewise evaluate model.safetensors",
                      "edgewise evaluate model.safetensors --edges new.csv --nodes new-people.csv"});
  session.add_verb(verb, [arguments, &session] {
    return with_model(arguments->model, [&] { return evaluate_verb(*arguments, session); });
  });
}

}  // namespace edgewise::app
