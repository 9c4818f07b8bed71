#include "edgewise/train/targets/metric_kinds.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/train/targets/evaluate.hpp"
#include "edgewise/train/targets/metrics.hpp"
#include "edgewise/train/targets/targets.hpp"

using namespace edgewise;

TEST_CASE("is_better compares two metrics", "[train][metric_kinds]") {
  const double nothing = std::nan("");
  CHECK(train::is_better("accuracy", 0.9, 0.8));
  CHECK_FALSE(train::is_better("accuracy", 0.8, 0.8));
  CHECK(train::is_better("rmse", 0.8, 0.9));
  for (const char* metric : {"roc_auc", "rmse"}) {
    CHECK(train::is_better(metric, 0.1, nothing));
    CHECK_FALSE(train::is_better(metric, nothing, 0.1));
    CHECK_FALSE(train::is_better(metric, nothing, nothing));
  }
  CHECK(train::is_share("macro_f1"));
  CHECK_FALSE(train::is_share("r2"));
  CHECK_FALSE(train::is_share("mae"));
}

TEST_CASE("what can be chosen is computed, and what is computed is known", "[train][metric_kinds]") {
  data::Labels labels;
  const auto check = [&](data::Task task, const std::vector<std::string>& names, const std::vector<std::string>& more) {
    labels.task = task;
    labels.names = names;
    const auto columns = static_cast<Eigen::Index>(names.size());
    labels.classes = {0, 1, 1};
    labels.targets = Matrix::Identity(3, columns);
    if (labels.has_bounds()) labels.targets(0, 0) = std::nanf("");
    std::vector<std::string> found;
    const std::vector<double> deviations(names.size(), 1.0);
    for (const auto& [name, value] : train::evaluate(labels, Matrix::Constant(3, columns, 0.5F),
                                                     std::vector<graph::Node>{0, 1, 2}, deviations)) {
      CHECK_NOTHROW(train::metric_kind(name));
      found.push_back(name);
    }
    std::vector<std::string> expected = train::metric_names(labels);
    CHECK_FALSE(expected.empty());
    expected.insert(expected.end(), more.begin(), more.end());
    CHECK(found == expected);
  };
  check(data::Task::classification, {"a", "b"}, {});
  check(data::Task::multilabel, {"a", "b"}, {});
  check(data::Task::regression, {"a"}, {});
  check(data::Task::regression, {"a", "b"}, {});
  check(train::find_target("counts")->task(), {"a"}, {});
  labels.lower_bounds = labels.upper_bounds = Matrix::Constant(3, 2, std::nanf(""));
  labels.lower_bounds(0, 0) = 1;
  check(data::Task::regression, {"a", "b"}, {"bounds_held"});
}

TEST_CASE("every metric has a direction, and there are no others", "[train][metric_kinds]") {
  for (const char* metric : {"accuracy", "f1", "macro_f1", "micro_f1", "roc_auc", "average_precision", "r2",
                             "sequence_accuracy", "bleu"})
    CHECK(train::higher_is_better(metric));
  for (const char* metric : {"mae", "rmse", "relative_rmse", "word_error_rate"})
    CHECK_FALSE(train::higher_is_better(metric));
  CHECK_THROWS_AS(train::higher_is_better("max_error"), UsageError);
  CHECK_THROWS_AS(train::is_better("max_error", 1, 2), UsageError);
}
