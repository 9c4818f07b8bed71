#include "edgewise/train/loop/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "edgewise/core/memory.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/io/predictions.hpp"
#include "edgewise/train/jobs/graph_job_data.hpp"
#include "edgewise/train/jobs/job.hpp"
#include "model_data.hpp"
#include "outputs.hpp"
#include "progress.hpp"
#include "results.hpp"

namespace edgewise::app {
namespace {

using Clock = std::chrono::steady_clock;

struct PredictArguments {
  ModelArguments model;
  std::string out = "predictions.csv";
};

/// What the model says, and what it took.
struct Answers {
  train::JobData data;  ///< What was asked about.
  Matrix values;
  Matrix deviations;
  std::size_t nodes = 0;
  std::string order;  ///< "" when graphs are asked about.
  double read_seconds = 0;
  double featurise_seconds = 0;  ///< Molecules.
  double predict_seconds = 0;
};

/// What one piece of a table of molecules becomes.
void predict_molecules(train::TrainedModel& trained, std::size_t first, std::size_t count, Answers& answers) {
  const Clock::time_point start = Clock::now();
  const train::JobData piece = train::make_molecules(answers.data, first, count);
  train::check_pairs(trained.model, piece);
  const data::Features features = trained.features.apply(piece);
  const graph::FrozenGraph graph = graph::freeze(piece.graph, trained.model.graph_options());
  const auto batches = train::make_batches(piece, features, graph, train::TrainOptions{}.batch_size, {});
  const Clock::time_point made = Clock::now();
  Matrix deviations;
  const auto row = static_cast<Eigen::Index>(first), rows = static_cast<Eigen::Index>(count);
  answers.values.middleRows(row, rows) = train::predict(trained, *batches, &deviations);
  if (answers.deviations.size() > 0) answers.deviations.middleRows(row, rows) = deviations;
  answers.nodes += piece.graph.node_count();
  answers.featurise_seconds += seconds_between(start, made);
  answers.predict_seconds += seconds_between(made, Clock::now());
}

/// Molecules are made graphs and predicted some thousands at a time: a table of any length takes the memory of its texts.
Answers predict_table(const Session& session, train::TrainedModel& trained, train::JobData rows) {
  constexpr std::size_t kRowsAtOnce = 4096;
  Answers answers{.data = std::move(rows), .values = {}, .deviations = {}, .order = {}};
  const std::size_t count = answers.data.items().size();
  answers.values.resize(static_cast<Eigen::Index>(count), trained.model.shape().outputs);
  if (!trained.others.empty()) answers.deviations.resizeLike(answers.values);
  for (std::size_t first = 0; first < count; first += kRowsAtOnce)
    predict_molecules(trained, first, std::min(kRowsAtOnce, count - first), answers);
  train::note_bad_molecules(answers.data);
  for (const std::string& line : answers.data.notes) note(session, line);
  return answers;
}

/// Nodes, or graphs that are no molecules.
Answers predict_at_once(const Session& session, train::TrainedModel& trained, const train::Config& config) {
  const Clock::time_point start = Clock::now();
  ModelData loaded = load_model_data(session, {std::move(trained), config}, Needs::features);
  const Clock::time_point read = Clock::now();
  const auto batches = loaded.batches();
  Answers answers{.data = {}, .values = {}, .deviations = {}, .order = {}};
  answers.values = train::predict(loaded.trained, *batches, &answers.deviations);
  answers.nodes = loaded.data.graph.node_count();
  if (!loaded.data.graphs) answers.order = loaded.order.name;
  answers.read_seconds = seconds_between(start, read);
  answers.predict_seconds = seconds_between(read, Clock::now());
  answers.data = std::move(loaded.data);
  trained = std::move(loaded.trained);
  return answers;
}

Answers predict_all(const Session& session, OpenModel& model) {
  const Clock::time_point start = Clock::now();
  train::DataConfig config = model.config.data;
  config.label.clear();
  std::optional<train::JobData> rows = train::read_molecule_rows(config);
  if (!rows) return predict_at_once(session, model.trained, model.config);
  train::check_order(*rows, model.config.training.reorder);
  const Clock::time_point read = Clock::now();
  Answers answers = predict_table(session, model.trained, std::move(*rows));
  answers.read_seconds = seconds_between(start, read);
  return answers;
}

int predict_verb(const PredictArguments& arguments, const Session& session) {
  io::predictions_format(arguments.out);
  check_outputs({{"--out", arguments.out}}, {{"the model", arguments.model.model}});
  OpenModel model = open_model(arguments.model);
  check_outputs({{"--out", arguments.out}}, input_files(model.config.data, model.config.split));
  const Answers answers = predict_all(session, model);
  const train::TrainedModel& trained = model.trained;
  write_predictions_of(arguments.out, answers.data, trained.task, trained.label_names, answers.values,
                       answers.deviations);
  const std::size_t items = answers.data.items().size();
  json::Value object;
  object.set("schema", "edgewise.predict/1");
  object.set("model", arguments.model.model);
  object.set("dataset", answers.data.name);
  object.set("task", train::to_string(trained.task));
  object.set("labels", trained.label_names);
  if (answers.data.graphs) object.set("graphs", static_cast<std::int64_t>(items));
  object.set("nodes", static_cast<std::int64_t>(answers.nodes));
  object.set("threads", threads());
  if (!answers.data.graphs) object.set("reorder", answers.order);
  object.set("read_seconds", answers.read_seconds);
  if (answers.data.graphs && answers.data.graphs->are_molecules)
    object.set("featurise_seconds", answers.featurise_seconds);
  object.set("predict_seconds", answers.predict_seconds);
  object.set("peak_rss_mib", peak_rss_mib());
  object.set("out", arguments.out);
  session.print_result(
      fmt::format("{}: predictions of {} {}", arguments.out, items, answers.data.graphs ? "graphs" : "nodes"), object);
  return kDone;
}

}  // namespace

/// edgewise predict: what a model says of every node, or graph.
void add_predict(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand("predict", "Write what a model says of every node or graph, with probabilities");
  auto arguments = std::make_shared<PredictArguments>();
  add_model_arguments(verb, arguments->model);
  ConfigFlags(verb, arguments->model.flags).add("training.reorder");
  verb.add_option("--out", arguments->out, "Where to: .csv or .jsonl, also with .gz")->capture_default_str();
  session.add_verb(verb, [arguments, &session] { return predict_verb(*arguments, session); });
}

}  // namespace edgewise::app
