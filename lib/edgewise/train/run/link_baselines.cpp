#include "edgewise/train/run/link_baselines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/sparse_columns.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/train/baselines/boosted_trees.hpp"
#include "edgewise/train/config/model_traits.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/link_batches.hpp"
#include "edgewise/train/inputs/model_shape.hpp"
#include "edgewise/train/loop/predict.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kPairsOfTrees = 400'000;
constexpr std::size_t kTiesOfHeuristics = 10'000;
constexpr double kLeastSlope = 1e-2;  // few or odd ties do not turn the order around

/// Logit = slope * x + intercept.
struct Logistic {
  double slope = 0, intercept = 0;
};

/// The likeliest logistic regression of whether a pair is a tie on one number, by Newton's method, with the slightest
/// pull to 0 so that it is finite where the number tells all. The slope is at least kLeastSlope, which keeps the order.
Logistic fit_logistic(const Eigen::VectorXd& x, std::size_t ties) {
  constexpr int kSteps = 20;
  constexpr double kPull = 1e-3;
  Logistic fit;
  for (int step = 0; step < kSteps; ++step) {
    double of_slope = kPull * fit.slope, of_intercept = kPull * fit.intercept;  // the gradient
    double xx = kPull, xo = 0, oo = kPull;                                       // the curvature
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const double p = 1 / (1 + std::exp(-fit.slope * x[i] - fit.intercept)), weight = p * (1 - p);
      const double excess = p - (static_cast<std::size_t>(i) < ties ? 1 : 0);
      of_slope += excess * x[i];
      of_intercept += excess;
      xx += weight * x[i] * x[i];
      xo += weight * x[i];
      oo += weight;
    }
    const double determinant = xx * oo - xo * xo;
    fit.slope -= (oo * of_slope - xo * of_intercept) / determinant;
    fit.intercept -= (xx * of_intercept - xo * of_slope) / determinant;
  }
  if (fit.slope >= kLeastSlope) return fit;
  const double others = std::max(static_cast<double>(x.size()) - static_cast<double>(ties), 1.0);
  return {.slope = kLeastSlope,
          .intercept = std::log(std::max(static_cast<double>(ties), 1.0) / others) - kLeastSlope * x.mean()};
}

/// How many pairs without a tie trees learn from for each tie, and each of its ends: many where ties are few.
std::size_t negatives_of_trees(std::size_t ties) {
  return std::clamp<std::size_t>(kPairsOfTrees / std::max<std::size_t>(2 * ties, 1), 3, 10);
}

/// Writes each tie, followed by the pairs without a tie that belong to it, from row `first` on.
void copy_by_tie(const LinkSample& sample, Eigen::Index first, Matrix& rows) {
  const auto ties = static_cast<Eigen::Index>(sample.ties);
  const Eigen::Index others = ties == 0 ? 0 : sample.numbers.rows() / ties - 1;
  for (Eigen::Index tie = 0; tie < ties; ++tie) {
    const Eigen::Index row = first + tie * (1 + others);
    rows.row(row) = sample.numbers.row(tie);
    rows.middleRows(row + 1, others) = sample.numbers.middleRows(ties + tie * others, others);
  }
}

/// A model of the numbers of a pair alone.
json::Value blocks_of_numbers() {
  return json::Object{{"blocks", json::Array{json::Object{{"type", "link_readout"}, {"kind", "none"}},
                                             json::Object{{"type", "concat_set"}, {"set", nn::kLinkNumbers}},
                                             json::Object{{"type", "linear"}, {"width", "outputs"}}}}};
}

/// Trees on all numbers that rank each tie before its pairs without one, stopped by the validation ties.
TreeMap fit_trees(const LinkSample& train, const LinkSample& validation, std::size_t negatives,
                  const FitHooks& hooks) {
  Matrix rows(train.numbers.rows() + validation.numbers.rows(), train.numbers.cols());
  copy_by_tie(train, 0, rows);
  copy_by_tie(validation, train.numbers.rows(), rows);
  data::Labels labels{.task = data::Task::multilabel, .names = {"tie"}, .classes = {}, .targets = {}};
  labels.targets = Matrix::Zero(rows.rows(), 1);
  std::vector<graph::Node> of_train(train.size()), of_validation(validation.size());
  std::iota(of_train.begin(), of_train.end(), graph::Node{0});
  std::iota(of_validation.begin(), of_validation.end(), static_cast<graph::Node>(train.size()));
  return fit_boosted_trees(with_all_entries(rows), labels, of_train, of_validation,
                           {.max_entries = 6'000'000'000,
                            .learning_rate = 0.1,
                            .depth = 4,
                            .bins = 64,
                            .row_share = 0.5,
                            .column_share = 0.5,
                            .min_columns = 1,
                            .competing_rows = 1 + negatives,
                            .should_stop = [&hooks] { return hooks.is_over(); }});
}

/// Throws UsageError for a heuristic that says nothing of such ties.
void check_sides(const std::string& name, const LinkItems& links) {
  const TieSides sides = traits_of(name).sides;
  if (sides == TieSides::one && links.has_two_sides)
    throw UsageError(fmt::format("model: \"{}\" counts what both ends have ties with, which between two kinds of nodes "
                                 "is nothing",
                                 name));
  if (sides == TieSides::two && !links.has_two_sides)
    throw UsageError(fmt::format("model: \"{}\" is for ties from one kind of nodes to another ({} "
                                 "people:buys:products=FILE)",
                                 name, setting("data.edges")));
}

}  // namespace

void run_link_baseline(const Config& config, const Dataset& data, const FitHooks& hooks, Run& run) {
  const std::string name = config.model.name();
  config.model.json().allow_only({"preset"});
  if (!data.links)
    throw UsageError(fmt::format("model: \"{}\" is for ties ({} links); {} has labels", name, setting("data.task"),
                                 data.name));
  if (!config.model.traits().is_of_links)
    throw UsageError(fmt::format("model: \"{}\" is for labels, not for ties", name));
  check_sides(name, *data.links);
  FeatureMap map = FeatureMap::fit(data, config.split, run.split);
  const data::Features features = map.apply(data);
  const json::Value blocks = blocks_of_numbers();
  const graph::FrozenGraph frozen = graph::freeze(data.graph, nn::graph_options_of(blocks));
  LinkBatches batches(data, features, frozen, run.split, link_features(data, map, features));
  batches.set_negatives(config.training.negatives, [&](const std::string& line) { run.notes.push_back(line); });
  const std::uint64_t seed = config.training.seed;
  const std::vector<std::string> all = batches.seen().number_names();
  const bool are_trees = std::ranges::count(all, name) == 0;
  LinkMap numbers = batches.fit_numbers(are_trees ? all : std::vector<std::string>{name}, seed);
  LinkSample sample;
  if (are_trees) {
    const std::size_t ties = data::nodes_with_role(run.split, data::Role::train).size();
    const std::size_t of_end = negatives_of_trees(ties), negatives = 2 * of_end;
    sample = batches.training_sample(numbers.names(), negatives, kPairsOfTrees / (1 + negatives), seed);
    const LinkSample validation =
        batches.sample_of(data::nodes_with_role(run.split, data::Role::validation), numbers.names(), of_end, seed);
    numbers.set_negatives(negatives);
    numbers.set_trees(fit_trees(sample, validation, negatives, hooks));
    if (validation.ties > 0) sample = validation;
  } else {
    numbers.set_negatives(1);
    sample = batches.training_sample(numbers.names(), 1, kTiesOfHeuristics, seed);
  }
  const Logistic logistic = fit_logistic(numbers.apply(sample.numbers).col(0).cast<double>(), sample.ties);
  nn::Model model(blocks, shape_of(data, features, frozen, {}, numbers.columns()), 0);
  model.parameters().at(0)->value.setConstant(static_cast<float>(logistic.slope));
  model.parameters().at(1)->value.setConstant(static_cast<float>(logistic.intercept));
  batches.set_numbers(numbers);
  run.predictions = predict(model, batches, data.labels.task, run.report.scaler, &run.deviations);
  run.parameters = model.parameter_count();
  run.inputs = numbers.names().size();
  run.trained.emplace(TrainedModel{.model = std::move(model),
                                   .data = data.reading,
                                   .split = config.split,
                                   .features = std::move(map),
                                   .task = data.labels.task,
                                   .label_names = data.labels.names,
                                   .scaler = {},
                                   .training = {},
                                   .links = std::move(numbers)});
}

}  // namespace edgewise::train
