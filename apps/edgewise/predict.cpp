#include "edgewise/train/predict.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "edgewise/core/parallel.hpp"
#include "model_data.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

using Clock = std::chrono::steady_clock;

struct PredictArguments {
  ModelArguments model;
  std::string out = "predictions.csv";
};

int predict_verb(const PredictArguments& arguments, const Session& session) {
  check_predictions_path(arguments.out);
  const Clock::time_point start = Clock::now();
  ModelData loaded = load_model_data(session, arguments.model, Needs::features);
  const Clock::time_point read = Clock::now();
  const auto examples = loaded.examples();
  Matrix deviations;
  const Matrix predictions = train::predict(loaded.bundle, *examples, &deviations);
  const Clock::time_point predicted = Clock::now();
  write_predictions_of(arguments.out, loaded.data, loaded.bundle.task, loaded.bundle.label_names, predictions,
                       deviations);
  json::Value object;
  object.set("schema", "edgewise.predict/1");
  object.set("model", arguments.model.model);
  object.set("dataset", loaded.data.name);
  object.set("task", train::to_string(loaded.bundle.task));
  object.set("labels", loaded.bundle.label_names);
  if (loaded.data.graphs) object.set("graphs", static_cast<std::int64_t>(loaded.data.items().size()));
  object.set("nodes", static_cast<std::int64_t>(loaded.data.graph.node_count()));
  object.set("threads", threads());
  if (!loaded.data.graphs) object.set("reorder", loaded.order.name);
  object.set("read_seconds", std::chrono::duration<double>(read - start).count());
  object.set("predict_seconds", std::chrono::duration<double>(predicted - read).count());
  object.set("out", arguments.out);
  session.print_result(fmt::format("{}: predictions of {} {}", arguments.out, loaded.data.items().size(),
                                   loaded.data.graphs ? "graphs" : "nodes"),
                       object);
  return kDone;
}

}  // namespace

/// edgewise predict: what a model says of every node, or graph.
void add_predict(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("predict", "Write what a model says of every node or graph, with probabilities");
  auto arguments = std::make_shared<PredictArguments>();
  add_model_arguments(verb, arguments->model);
  ConfigFlags(verb, arguments->model.flags).add_reorder_flag();
  verb.add_option("--out", arguments->out, "Where to: .csv or .jsonl, also with .gz")->capture_default_str();
  session.add_verb(verb, [arguments, &session] { return predict_verb(*arguments, session); });
}

}  // namespace edgewise::app
