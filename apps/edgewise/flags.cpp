#include "flags.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <vector>

#include "edgewise/core/error.hpp"

namespace edgewise::app {
namespace {

std::vector<std::string> split_names(const std::string& path) {
  std::vector<std::string> names(1);
  for (const char c : path) {
    if (c == '.')
      names.emplace_back();
    else
      names.back() += c;
  }
  return names;
}

void set_below(json::Value& parent, const std::vector<std::string>& names, std::size_t depth, json::Value value) {
  if (depth + 1 == names.size()) return parent.set(names[depth], std::move(value));
  const json::Value* old = parent.find(names[depth]);
  json::Value child = old != nullptr ? *old : json::Value(json::Object{});
  set_below(child, names, depth + 1, std::move(value));
  parent.set(names[depth], std::move(child));
}

/// JSON, or else the text itself: `--set model.preset=gat` needs no quotes.
json::Value json_or_text(const std::string& text) {
  try {
    return json::parse(text, "--set");
  } catch (const DataError&) {
    return text;
  }
}

}  // namespace

void set_at(json::Value& root, const std::string& path, json::Value value) {
  set_below(root, split_names(path), 0, std::move(value));
}

CLI::Validator integer_in(std::int64_t smallest, std::int64_t largest) {
  const std::string expected = largest == std::numeric_limits<std::int64_t>::max()
                                   ? fmt::format("expected an integer of at least {}", smallest)
                                   : fmt::format("expected an integer from {} to {}", smallest, largest);
  const auto check = [smallest, largest, expected](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_fine = error == std::errc() && end == text.data() + text.size() && value >= smallest &&
                         value <= largest;
    return is_fine ? "" : fmt::format("{}, got \"{}\"", expected, text);
  };
  return CLI::Validator(check, "");
}

void ConfigFlags::text(const std::string& flag, const std::string& path, const std::string& help) {
  verb_
      .add_option_function<std::string>(
          flag, [config = &config_, path](const std::string& value) { set_at(*config, path, value); }, help)
      ->take_last();
}

void ConfigFlags::integer(const std::string& flag, const std::string& path, const std::string& help) {
  verb_
      .add_option_function<std::int64_t>(
          flag, [config = &config_, path](std::int64_t value) { set_at(*config, path, value); }, help)
      ->take_last();
}

void ConfigFlags::number(const std::string& flag, const std::string& path, const std::string& help) {
  verb_
      .add_option_function<double>(
          flag,
          [config = &config_, path, flag](double value) {
            if (!std::isfinite(value)) throw UsageError(fmt::format("{}: expected a finite number", flag));
            set_at(*config, path, value);
          },
          help)
      ->take_last();
}

void ConfigFlags::list(const std::string& flag, const std::string& path, const std::string& help) {
  verb_
      .add_option_function<std::vector<std::string>>(
          flag,
          [config = &config_, path](const std::vector<std::string>& values) {
            set_at(*config, path, values);
          },
          help)
      ->delimiter(',')
      ->allow_extra_args(false);
}

void ConfigFlags::yes(const std::string& flag, const std::string& path, const std::string& help) {
  verb_.add_flag_callback(flag, [config = &config_, path] { set_at(*config, path, true); }, help);
}

void ConfigFlags::add_data_flags() {
  text("--edges", "data.edges", "Edge list: CSV, TSV or blanks, also .gz");
  text("--nodes", "data.nodes", "Node table: CSV with a header");
  text("--molecules", "data.molecules", "Table of molecules: CSV with a column of SMILES, or SDF, also .gz");
  text("--smiles", "data.smiles", "Column of the SMILES");
  text("--graph", "data.graph", "Nodes and edges in one file: GraphML, GML, DOT, node-link JSON");
  text("--features", "data.features",
       "Sparse features: node,feature,value CSV or {\"node\": [feature]} JSON; of molecules: the name of a set of "
       "features");
  list("--label", "data.label", "Column(s) of the node table to be learnt");
  text("--task", "data.task", "auto, classification, multilabel or regression");
  text("--id", "data.id", "Column of the node table that names the node");
  text("--source", "data.source", "Column of the edge list (name, or position from 1)");
  text("--target", "data.target", "Column of the edge list; of molecules: the column(s) to be learnt, as --label");
  text("--weight", "data.weight", "Column of the edge list");
  list("--edge-features", "data.edge_features", "Columns of the edge list that are features of the edge");
  list("--categorical", "data.categorical", "Node columns that are categories although they hold numbers");
  list("--ignore", "data.ignore", "Node columns that are no features");
  yes("--normalise-rows", "data.normalise_rows", "Divide each row of bag-of-words features by its sum");
  yes("--directed", "data.directed", "An edge source,target lets only the target attend to the source");
  text("--duplicates", "data.duplicates", "keep_first, keep_all or refuse");
  text("--self-loops", "data.self_loops", "keep, drop or refuse");
  yes("--hydrogens", "data.hydrogens", "Molecules: hydrogens are atoms of their own");
  yes("--strict", "data.strict", "Molecules: stop at the first that cannot be read");
  yes("--degree", "data.encodings.degree", "Graphs: tell each node its degree");
  integer("--random-walk", "data.encodings.random_walk", "Graphs: return probabilities of walks of so many steps");
  integer("--laplacian", "data.encodings.laplacian", "Graphs: so many eigenvectors of the Laplacian");
  integer("--distances", "data.encodings.distances", "Graphs: shortest paths up to here, for attention between all");
  yes("--virtual-node", "data.encodings.virtual_node", "Graphs: one more node, tied to all others");
}

void ConfigFlags::add_training_flags() {
  integer("--epochs", "training.epochs", "Epochs at most");
  integer("--patience", "training.patience", "Evaluations without progress before it stops; 0: never stop");
  text("--stopping", "training.stopping", "validation_metric, validation_loss, gat (the paper's) or none");
  text("--metric", "training.metric", "What stopping looks at: accuracy, macro_f1, roc_auc, rmse, ...");
  integer("--evaluate-every", "training.evaluate_every", "Epochs between evaluations");
  integer("--seed", "training.seed", "Seed of the first run; run r has seed + r");
  integer("--ensemble", "training.ensemble", "Models a run; predictions are their mean, with its spread");
  integer("--batch-size", "training.batch_size", "Graphs a step");
  text("--optimiser", "training.optimiser", "adam or adamw");
  number("--learning-rate", "training.learning_rate", "Learning rate");
  number("--weight-decay", "training.weight_decay", "L2 (adam) or decoupled (adamw) weight decay");
  number("--clip", "training.clip_norm", "Largest norm of the gradient; 0: no clipping");
  number("--average", "training.average", "Decay of the average of the weights that is kept, below 1; 0: none");
  text("--schedule", "training.schedule.kind", "constant, cosine or plateau");
  integer("--warmup", "training.schedule.warmup", "Epochs of rising learning rate");
  text("--class-weights", "training.class_weights", "none or balanced");
}

void ConfigFlags::add_split_flags() {
  text("--split", "split.kind", "given, random, stratified, k_fold, per_class, scaffold or balanced_scaffold");
  text("--split-name", "split.name", "Which kind of given split of a data set, such as geom-gcn");
  text("--split-file", "split.file", "CSV node,split with train, validation, test or none");
  text("--split-column", "split.column", "Column of the node table that holds the split");
  integer("--split-index", "split.index", "Which of several given splits; without it run r takes split r");
  integer("--split-seed", "split.seed", "One split for all runs; without it each run draws its own");
  number("--train-share", "split.train", "Share of the nodes that train (random, stratified)");
  number("--validation-share", "split.validation", "Share of the nodes that validate");
  integer("--folds", "split.folds", "Number of folds (k_fold)");
}

void ConfigFlags::add_reorder_flag() {
  text("--reorder", "training.reorder",
       "Put neighbours near one another in memory: none, degree, cuthill_mckee, clustering or auto");
}

void ConfigFlags::add_set_flag() {
  verb_
      .add_option_function<std::vector<std::string>>(
          "--set",
          [config = &config_](const std::vector<std::string>& settings) {
            for (const std::string& setting : settings) {
              const std::size_t equals = setting.find('=');
              if (equals == std::string::npos || equals == 0)
                throw UsageError("--set: expected path=value such as training.clip_norm=1, got \"" + setting + "\"");
              set_at(*config, setting.substr(0, equals), json_or_text(setting.substr(equals + 1)));
            }
          },
          "Any member of the configuration: path=value, the value as JSON or text")
      ->allow_extra_args(false);
}

}  // namespace edgewise::app
