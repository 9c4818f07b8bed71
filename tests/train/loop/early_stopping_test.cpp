#include "edgewise/train/loop/early_stopping.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using train::EarlyStopping;
using train::StoppingRule;

namespace {

struct Evaluation {
  double loss;
  double metric;
};

/// "k" keeps, "." does not, "!" stops.
std::string verdicts(EarlyStopping& stopping, const std::vector<Evaluation>& evaluations, std::int64_t first = 1) {
  std::string text;
  for (const Evaluation& each : evaluations) {
    text += stopping.observe(first++, each.loss, each.metric) ? 'k' : '.';
    if (stopping.left() == 0) return text + '!';
  }
  return text;
}

}  // namespace

TEST_CASE("stopping by the metric breaks ties by the loss of the kept weights", "[train][early_stopping]") {
  EarlyStopping stopping({.rule = StoppingRule::validation_metric, .patience = 2});
  CHECK(verdicts(stopping, {{1, .5}, {0.5, .4}, {0.9, .5}, {0.95, .5}, {0.91, .1}}) == "k.k..!");
  CHECK(stopping.best_epoch() == 3);
}

TEST_CASE("an early peak of the metric does not end a training whose loss still falls", "[train][early_stopping]") {
  EarlyStopping stopping({.rule = StoppingRule::validation_metric, .patience = 2});
  CHECK(verdicts(stopping, {{1, .9}, {0.9, .5}, {0.8, .6}, {0.7, .7}, {0.6, .95}, {0.7, .9}, {0.6, .9}}) == "k...k..!");
  CHECK(stopping.best_epoch() == 5);
}

TEST_CASE("stopping by the loss", "[train][early_stopping]") {
  EarlyStopping stopping({.rule = StoppingRule::validation_loss, .patience = 2});
  CHECK(verdicts(stopping, {{1, .1}, {0.9, 0}, {0.9, .9}, {1.1, .9}}) == "kk..!");
  CHECK(stopping.best_epoch() == 2);
}

TEST_CASE("the rule of the GAT paper: either resets patience, both keep the weights", "[train][early_stopping]") {
  EarlyStopping stopping({.rule = StoppingRule::gat, .patience = 2});
  // Epoch 2: better loss only. 3: equal metric only, against 0.5. 4 and 5: neither.
  CHECK(verdicts(stopping, {{1, .5}, {0.8, .4}, {0.9, .5}, {0.9, .4}, {0.85, .4}}) == "k....!");
  CHECK(stopping.best_epoch() == 1);
  EarlyStopping equal({.rule = StoppingRule::gat, .patience = 2});
  CHECK(verdicts(equal, {{1, .5}, {1, .5}, {0.9, .6}}) == "kkk");
}

TEST_CASE("no stopping keeps the last weights; patience 0 never stops", "[train][early_stopping]") {
  EarlyStopping none({.rule = StoppingRule::none, .patience = 1});
  CHECK(verdicts(none, {{1, .5}, {2, .4}, {3, .3}}) == "kkk");
  CHECK(none.best_epoch() == 3);
  EarlyStopping forever({.rule = StoppingRule::validation_loss, .patience = 0});
  CHECK(verdicts(forever, std::vector<Evaluation>(50, {1, 1})) == "k" + std::string(49, '.'));
}

TEST_CASE("without a metric the weights of the lowest loss are kept", "[train][early_stopping]") {
  constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
  train::EarlyStopping stopping;
  CHECK(stopping.observe(1, 3, kUndefined));
  CHECK(stopping.observe(2, 2, kUndefined));
  CHECK_FALSE(stopping.observe(3, 2.5, kUndefined));
  CHECK(stopping.best_epoch() == 2);
  CHECK(stopping.observe(4, 9, 0.5));
  CHECK_FALSE(stopping.observe(5, 1, kUndefined));
}

TEST_CASE("a metric of NaN is not progress", "[train][early_stopping]") {
  EarlyStopping stopping({.rule = StoppingRule::validation_metric, .patience = 2});
  CHECK(verdicts(stopping, {{1, .5}, {1, std::nan("")}, {1, std::nan("")}}) == "k..!");
  EarlyStopping late({.rule = StoppingRule::validation_metric, .patience = 2});
  CHECK(verdicts(late, {{1, std::nan("")}, {1, .5}}) == "kk");
}

TEST_CASE("restored stopping continues like the original", "[train][early_stopping]") {
  for (const auto rule : {StoppingRule::validation_metric, StoppingRule::validation_loss, StoppingRule::gat}) {
    EarlyStopping stopping({.rule = rule, .patience = 3});
    const std::vector<Evaluation> tail = {{0.6, .4}, {0.5, .6}, {0.7, .6}, {0.8, .1}, {0.9, .1}, {0.9, .1}};
    verdicts(stopping, {{1, .5}, {0.7, .4}});
    EarlyStopping restored({.rule = rule, .patience = 3});
    restored.restore(json::parse(json::dump(stopping.state()), "state"), 2);
    CHECK(verdicts(stopping, tail, 3) == verdicts(restored, tail, 3));
    CHECK(stopping.best_epoch() == restored.best_epoch());
  }
  CHECK(train::stopping_rule_names().at(static_cast<std::size_t>(StoppingRule::none)) == "none");
  CHECK_THROWS_AS(EarlyStopping({.patience = -1}), UsageError);
  EarlyStopping damaged;
  for (const char* state : {R"({"best_epoch": 1, "waited": -9223372036854775807})", R"({"best_epoch": 2, "waited": 0})",
                            R"({"best_epoch": 0, "waited": 2})"})
    CHECK_THROWS_AS(damaged.restore(json::parse(state, "state"), 1), UsageError);
}
