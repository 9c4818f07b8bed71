#include "edgewise/train/baselines/boosted_trees.hpp"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/data/target_scaler.hpp"
#include "edgewise/train/baselines/detail/competition_loss.hpp"
#include "edgewise/train/baselines/detail/known_rows.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

using detail::KnownRows;
using graph::Node;

constexpr const char* kModelName = "boosted trees";
constexpr std::size_t kMaxTrees = 20000;  // over all fits: these still fit in a model file

void check(int status) {
  if (status != 0) throw Error(fmt::format("{}: {}", kModelName, XGBGetLastError()));
}

/// Feature rows, with labels once they are set.
using Table = std::unique_ptr<void, int (*)(DMatrixHandle)>;

Table table_of(const SparseMatrix& features) {
  const std::vector<std::size_t> offsets(features.outerIndexPtr(), features.outerIndexPtr() + features.rows() + 1);
  const std::vector<unsigned> columns(features.innerIndexPtr(), features.innerIndexPtr() + features.nonZeros());
  DMatrixHandle made = nullptr;
  check(XGDMatrixCreateFromCSREx(offsets.data(), columns.data(), features.valuePtr(), offsets.size(), columns.size(),
                                 static_cast<std::size_t>(features.cols()), &made));
  return {made, XGDMatrixFree};
}

/// These rows with their labels, and the weights of all rows if they have any.
Table select(const Table& all, std::span<const Node> rows, const std::vector<float>& labels,
             const std::vector<float>& weights) {
  const std::vector<int> places(rows.begin(), rows.end());
  DMatrixHandle made = nullptr;
  check(XGDMatrixSliceDMatrix(all.get(), places.data(), places.size(), &made));
  Table some(made, XGDMatrixFree);
  check(XGDMatrixSetFloatInfo(made, "label", labels.data(), labels.size()));
  if (weights.empty()) return some;
  std::vector<float> selected;
  for (const Node row : rows) selected.push_back(weights[row]);
  check(XGDMatrixSetFloatInfo(made, "weight", selected.data(), selected.size()));
  return some;
}

/// One fit: its training data, and how its trees become outputs.
struct Problem {
  KnownRows rows;
  std::vector<float> train, validation;  ///< Labels of these rows.
  const char* objective;
  const char* loss;
  std::string start = "0";  ///< XGBoost's prediction before any tree.
  std::size_t trees = 1;  ///< Trees per round.
  double bias = 0;        ///< Output before any tree.
  double scale = 1;       ///< Factor for the trees' contributions.
  double row_weight = 1;  ///< Second derivative of the loss at `bias`.
  std::size_t competing_rows = 0;
};

/// Rows that compete, see BoostedTreesOptions::competing_rows.
Problem ranking_of(KnownRows rows, std::size_t competing_rows) {
  Problem problem{.rows = std::move(rows),
                  .train = {},
                  .validation = {},
                  .objective = "reg:squarederror",  // not asked: gradients are given
                  .loss = "rmse",
                  .competing_rows = competing_rows};
  problem.train.resize(problem.rows.train.size());
  problem.validation.resize(problem.rows.validation.size());
  return problem;
}

/// The trees learn scaled numbers. Without a link they add up to numbers in the user's units, with one to outputs.
Problem problem_of_numbers(KnownRows rows, const data::Labels& labels, const data::TargetScaler& scaler) {
  const Target& target = target_of(labels);
  const auto output = static_cast<std::size_t>(rows.output);
  const double mean = scaler.mean()[output], deviation = scaler.deviation()[output];
  Problem problem{.rows = std::move(rows),
                  .train = {},
                  .validation = {},
                  .objective = target.tree_loss().objective,
                  .loss = target.tree_loss().measured,
                  .start = target.tree_loss().start,
                  .bias = target.has_link() ? 0 : mean,
                  .scale = target.has_link() ? 1 : deviation};
  const auto scaled = [&](Node row) {
    return static_cast<float>((static_cast<double>(labels.targets(row, problem.rows.output)) - mean) / deviation);
  };
  std::ranges::transform(problem.rows.train, std::back_inserter(problem.train), scaled);
  std::ranges::transform(problem.rows.validation, std::back_inserter(problem.validation), scaled);
  return problem;
}

Problem classification_of(KnownRows rows, const data::Labels& labels) {
  const std::vector<std::int32_t> train = detail::classes_of(labels, rows.output, rows.train);
  const std::vector<std::int32_t> validation = detail::classes_of(labels, rows.output, rows.validation);
  Problem problem{.rows = std::move(rows),
                  .train = {train.begin(), train.end()},
                  .validation = {validation.begin(), validation.end()},
                  .objective = "multi:softprob",
                  .loss = "mlogloss",
                  .trees = labels.names.size()};
  const double even_share = 1 / static_cast<double>(labels.names.size());
  problem.row_weight = 2 * even_share * (1 - even_share);
  if (!detail::is_binary(labels)) return problem;
  problem.objective = "binary:logistic";
  problem.loss = "logloss";
  problem.trees = 1;
  const auto with = static_cast<double>(std::ranges::count(train, 1)), all = static_cast<double>(train.size());
  problem.bias = std::log((with + 0.5) / (all - with + 0.5));
  problem.start = fmt::format("{}", 1 / (1 + std::exp(-problem.bias)));
  const double share = (with + 0.5) / (all + 1);
  problem.row_weight = share * (1 - share);
  return problem;
}

/// The first output that the trees of a fit add to.
std::size_t first_output(const Problem& problem, const data::Labels& labels) {
  if (!labels.has_classes()) return static_cast<std::size_t>(problem.rows.output);
  return detail::is_binary(labels) ? 1 : 0;  // with two classes the first has logit 0
}

double count_columns(DMatrixHandle table) {
  bst_ulong columns = 0;
  check(XGDMatrixNumCol(table, &columns));
  return static_cast<double>(std::max<bst_ulong>(columns, 1));
}

/// The share of the columns that is drawn for each tree.
double drawn_share(const BoostedTreesOptions& options, DMatrixHandle table) {
  const double share = static_cast<double>(options.min_columns) / count_columns(table);
  return std::clamp(share, options.column_share, 1.0);
}

/// Grows trees, one round at a time.
class Booster {
 public:
  Booster(const Problem& problem, const Table& train, const Table& validation, const BoostedTreesOptions& options)
      : train_(train.get()), validation_(validation.get()), competing_rows_(problem.competing_rows) {
    const DMatrixHandle tables[] = {train_, validation_};
    BoosterHandle made = nullptr;
    check(XGBoosterCreate(tables, std::size(tables), &made));
    handle_.reset(made);
    set("nthread", "1");
    set("verbosity", "0");
    set("tree_method", "hist");
    set("objective", problem.objective);
    set("eval_metric", problem.loss);
    set("base_score", problem.start);
    if (problem.trees > 1) set("num_class", fmt::format("{}", problem.trees));
    set("learning_rate", fmt::format("{}", options.forest > 0 ? 1 : options.learning_rate));
    set("max_depth", fmt::format("{}", options.depth));
    set("max_bin", fmt::format("{}", options.bins));
    set("subsample", fmt::format("{}", options.row_share));
    if (options.forest > 0)
      set_forest(problem, options);
    else
      set("colsample_bytree", fmt::format("{}", drawn_share(options, train_)));
  }

  void grow() {
    if (competing_rows_ == 0) return check(XGBoosterUpdateOneIter(handle_.get(), rounds_++, train_));
    const std::span<const float> outputs = outputs_of(train_);
    std::vector<float> gradient(outputs.size()), curvature(outputs.size());
    detail::competition_loss(outputs, competing_rows_, gradient, curvature);
    check(XGBoosterBoostOneIter(handle_.get(), train_, gradient.data(), curvature.data(), gradient.size()));
    ++rounds_;
  }

  /// Loss on the validation table.
  double loss() {
    if (competing_rows_ > 0) return detail::competition_loss(outputs_of(validation_), competing_rows_);
    const char* name = "validation";
    const char* line = nullptr;  // "[12]\tvalidation-rmse:0.5"
    check(XGBoosterEvalOneIter(handle_.get(), rounds_, &validation_, &name, 1, &line));
    const std::string_view text(line);
    const std::string_view number = text.substr(text.rfind(':') + 1);
    double loss = std::numeric_limits<double>::quiet_NaN();
    std::from_chars(number.data(), number.data() + number.size(), loss);
    if (!std::isfinite(loss)) throw NumericalError(fmt::format("{}: the loss is not a number: {}", kModelName, text));
    return loss;
  }

  json::Value model() {
    bst_ulong size = 0;
    const char* text = nullptr;
    check(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "json"})", &size, &text));
    return json::parse({text, size}, kModelName).at("learner").at("gradient_booster").at("model");
  }

 private:
  /// Until the next call.
  std::span<const float> outputs_of(DMatrixHandle table) {
    constexpr int kSums = 1;
    bst_ulong count = 0;
    const float* outputs = nullptr;
    check(XGBoosterPredict(handle_.get(), table, kSums, 0, 0, &count, &outputs));
    return {outputs, count};
  }

  void set_forest(const Problem& problem, const BoostedTreesOptions& options) {
    const double columns = count_columns(train_);
    const double share = options.column_share > 0 ? options.column_share : std::sqrt(columns) / columns;
    set("num_parallel_tree", fmt::format("{}", options.forest));
    set("colsample_bynode", fmt::format("{}", std::clamp(share, 1 / columns, 1.0)));
    set("min_child_weight", fmt::format("{}", options.leaf_rows * problem.row_weight));
    set("lambda", "0");
  }

  void set(const char* name, const std::string& value) { check(XGBoosterSetParam(handle_.get(), name, value.c_str())); }

  DMatrixHandle train_, validation_;
  std::size_t competing_rows_;
  std::unique_ptr<void, int (*)(BoosterHandle)> handle_{nullptr, XGBoosterFree};
  int rounds_ = 0;
};

/// The first `count` trees of an XGBoost model.
std::vector<std::vector<TreeNode>> first_trees(const json::Value& model, std::size_t count, double scale) {
  std::vector<std::vector<TreeNode>> trees;
  for (const json::Value& tree : std::span(model.at("trees").as_array()).first(count)) {
    const std::vector<double> below = tree.at("left_children").as_numbers();
    const std::vector<double> above = tree.at("right_children").as_numbers();
    const std::vector<double> columns = tree.at("split_indices").as_numbers();
    const std::vector<double> values = tree.at("split_conditions").as_numbers();  // for leaves: their contribution
    const std::vector<double> goes_below = tree.at("default_left").as_numbers();
    std::vector<TreeNode>& nodes = trees.emplace_back(below.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (below[i] < 0) {
        nodes[i].value = static_cast<float>(values[i] * scale);
        continue;
      }
      nodes[i] = {.column = static_cast<std::int32_t>(columns[i]),
                  .value = static_cast<float>(values[i]),
                  .below = static_cast<std::uint32_t>(below[i]),
                  .above = static_cast<std::uint32_t>(above[i])};
      nodes[i].missing = goes_below[i] != 0 ? nodes[i].below : nodes[i].above;
    }
  }
  return trees;
}

/// Maximum number of rounds for the training table.
std::size_t max_rounds(const Problem& problem, const Table& train, const BoostedTreesOptions& options) {
  constexpr std::size_t kMinRounds = 50;
  if (options.max_entries == 0) return options.max_rounds;
  bst_ulong entries = 0;
  check(XGDMatrixNumNonMissing(train.get(), &entries));
  const std::size_t of_round = std::max<std::size_t>(entries * problem.trees, 1);
  return std::min(options.max_rounds, std::max(kMinRounds, options.max_entries / of_round));
}

std::vector<std::vector<TreeNode>> fit(const Problem& problem, const Table& train, const Table& validation,
                                       const BoostedTreesOptions& options) {
  Booster booster(problem, train, validation, options);
  if (options.forest > 0) {
    report_step("growing a forest");
    booster.grow();
    return first_trees(booster.model(), options.forest * problem.trees, problem.scale);
  }
  const bool is_judged = !problem.validation.empty();
  const std::size_t limit = max_rounds(problem, train, options);
  const std::size_t most = is_judged ? limit : std::min(options.unjudged_rounds, limit);
  std::size_t kept = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto is_best = [&] {
    if (!is_judged) return true;
    const double loss = booster.loss();
    const bool is_less = loss < least;
    if (is_less) least = loss;
    return is_less;
  };
  for (std::size_t round = 1; round <= most && round - kept <= options.patience; ++round) {
    report_step("growing trees", static_cast<double>(round - 1), static_cast<double>(most));
    booster.grow();
    if (is_best()) kept = round;
    if (options.should_stop && options.should_stop()) break;
  }
  return first_trees(booster.model(), kept * problem.trees, problem.scale);
}

}  // namespace

TreeMap fit_boosted_trees(const SparseMatrix& features, const data::Labels& labels, std::span<const Node> train,
                          std::span<const Node> validation, const BoostedTreesOptions& options) {
  std::vector<Problem> problems;
  std::vector<KnownRows> known =
      detail::known_rows(kModelName, static_cast<std::size_t>(features.rows()), labels, train, validation);
  const data::TargetScaler scaler = target_of(labels).fit_scaler(labels, train);
  for (KnownRows& rows : known) {
    if (options.competing_rows > 0)
      problems.push_back(ranking_of(std::move(rows), options.competing_rows));
    else
      problems.push_back(labels.has_numbers() ? problem_of_numbers(std::move(rows), labels, scaler)
                                              : classification_of(std::move(rows), labels));
  }
  std::size_t trees_of_round = 0;
  for (const Problem& problem : problems) trees_of_round += problem.trees;
  BoostedTreesOptions limited = options;
  limited.max_rounds = std::min(options.max_rounds, std::max<std::size_t>(1, kMaxTrees / trees_of_round));
  const Table all = table_of(features);
  std::vector<std::vector<std::vector<TreeNode>>> trees(problems.size());
  parallel_chunks(problems.size(), [&](std::size_t i) {
    const Problem& problem = problems[i];
    trees[i] = fit(problem, select(all, problem.rows.train, problem.train, labels.weights),
                   select(all, problem.rows.validation, problem.validation, labels.weights), limited);
  });

  TreeMap map(static_cast<std::size_t>(features.cols()));
  std::vector<double> biases(labels.names.size(), 0);
  for (const Problem& problem : problems) biases[first_output(problem, labels)] = problem.bias;
  for (const double bias : biases) map.add_output(bias);
  for (std::size_t i = 0; i < problems.size(); ++i)
    for (std::size_t tree = 0; tree < trees[i].size(); ++tree) {
      // The trees of a forest are together for each class, those of boosting for each round.
      const std::size_t output = options.forest > 0 ? tree / options.forest : tree % problems[i].trees;
      map.add_tree(first_output(problems[i], labels) + output, trees[i][tree]);
    }
  return map;
}

}  // namespace edgewise::train
