#include "edgewise/train/choose/comparison.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <limits>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

Contender contender(const std::string& model, double validation, std::vector<double> test) {
  return {.variant = variant_named(model),
          .validation = std::vector<double>(test.size(), validation),
          .test = std::move(test)};
}

const Sample kFew{.items = 100};

graph::Graph one_edge() {
  graph::EdgeList edges;
  edges.sources = {0};
  edges.targets = {1};
  return graph::Graph(graph::NodeNames::numbered(2), std::move(edges), {});
}

}  // namespace

TEST_CASE("differences are taken run by run, positive if the first is better", "[train][comparison]") {
  const Contender a = contender("gat", 0.9, {0.90, 0.84, 0.80}), b = contender("mlp", 0.8, {0.85, 0.80, 0.75});
  const Difference of = difference(a, b, "accuracy", kFew);
  CHECK(of.mean == Approx(0.14 / 3));
  CHECK(of.std == Approx(0.0057735).epsilon(1e-4));
  CHECK(of.runs == 3);
  CHECK(of.is_clear());
  CHECK(difference(b, a, "accuracy", kFew).mean == Approx(-0.14 / 3));
  CHECK(difference(a, b, "rmse", kFew).mean == Approx(-0.14 / 3));
  const Contender undefined = contender("mlp", 0.8, {0.85, std::numeric_limits<double>::quiet_NaN(), 0.75});
  CHECK(difference(a, undefined, "accuracy", kFew).runs == 2);
  CHECK_FALSE(difference(a, undefined, "accuracy", kFew).is_clear());
}

TEST_CASE("a difference within two standard errors is not clear", "[train][comparison]") {
  const auto is_clear = [](std::vector<double> better, std::vector<double> than, const Sample& sample) {
    return difference(contender("gat", 0, std::move(better)), contender("mlp", 0, std::move(than)), "accuracy", sample)
        .is_clear();
  };
  CHECK(is_clear({0.80, 0.82, 0.81}, {0.78, 0.79, 0.80}, kFew));  // 0.02 ± 0.01
  CHECK(is_clear({0.78, 0.79, 0.80}, {0.80, 0.82, 0.81}, kFew));
  CHECK_FALSE(is_clear({0.80, 0.80, 0.81}, {0.78, 0.81, 0.79}, kFew));  // 0.01 ± 0.017
  CHECK_FALSE(is_clear({0.80, 0.80, 0.80}, {0.80, 0.80, 0.80}, kFew));
  // fewer runs: 2 sqrt(0.8 * 0.2 / 100) = 0.08
  CHECK_FALSE(is_clear({0.80}, {0.85}, kFew));
  CHECK(is_clear({0.80}, {0.70}, kFew));
  CHECK(is_clear({0.80, 0.81}, {0.84, 0.85}, Sample{.items = 10'000}));
  CHECK_FALSE(is_clear({0.9}, {1.0}, Sample{.items = 10}));
  CHECK_FALSE(is_clear({0.9}, {0.5}, Sample{}));
}

TEST_CASE("runs on the same items do not show what other items would give", "[train][comparison]") {
  const Contender better = contender("gat", 0, {0.80, 0.80, 0.80}), worse = contender("mlp", 0, {0.75, 0.75, 0.75});
  CHECK(difference(better, worse, "accuracy", kFew).is_clear());
  const Sample shared{.items = 100, .is_shared = true};
  CHECK_FALSE(difference(better, worse, "accuracy", shared).is_clear());  // 2 sqrt(0.75 * 0.25 / 100) = 0.087
  CHECK(difference(better, contender("mlp", 0, {0.6, 0.7, 0.65}), "accuracy", shared).is_clear());
  // The runs may vary more than the items explain.
  CHECK_FALSE(difference(better, contender("mlp", 0, {0.4, 0.8, 0.6}), "accuracy", shared).is_clear());
}

TEST_CASE("the best is chosen on the validation items", "[train][comparison]") {
  const std::vector<Contender> contenders = {contender("mlp", 0.7, {0.9}), contender("gcn", 0.8, {0.8}),
                                             contender("gat", 0.8, {0.95})};
  CHECK(best_of(contenders, "accuracy") == 1);
  CHECK(best_of(contenders, "rmse") == 0);
  CHECK_THROWS_AS(best_of({}, "accuracy"), UsageError);
}

TEST_CASE("models less than two standard errors behind the best are alike", "[train][comparison]") {
  const std::vector<Contender> contenders = {contender("descriptors", 0.90, {1}), contender("gatv2", 0.80, {1}),
                                             contender("fingerprint", 1.10, {1}), contender("sage", 0.85, {1})};
  using Places = std::vector<std::size_t>;
  CHECK(alike(contenders, "rmse", Sample{100}) == Places{1, 3, 0});  // 0.80 * 2 / sqrt(200) = 0.113
  CHECK(alike(contenders, "rmse", Sample{10'000}) == Places{1});
  CHECK(alike(contenders, "accuracy", Sample{100}) == Places{2});  // the standard error of a share near 1 is small
  CHECK(alike({contender("gatv2", std::numeric_limits<double>::quiet_NaN(), {1}), contenders[1]}, "rmse", Sample{9}) ==
        Places{1});
  CHECK(reason(contenders, "rmse", Sample{100}, {{1, 3, 0}}) ==
        "the average of gatv2, sage and descriptors is kept: 100 validation items are too few to tell them apart");
  CHECK(reason({contenders[1], contenders[3], contenders[2]}, "rmse", Sample{100}, {{0, 1}}) ==
        "the average of gatv2 and sage is kept: 100 validation items are too few to tell them apart; the graph adds "
        "0.3000 of rmse over fingerprint");
}

TEST_CASE("the reason says how much of a difference may be chance", "[train][comparison]") {
  const auto reason_of = [](double mlp, std::size_t items) {
    return reason({contender("gat", 0.8, {1}), contender("mlp", mlp, {1})}, "accuracy", Sample{items}, {{0}});
  };
  CHECK(reason_of(0.7, 10) ==
        "gat is kept: the best on the 10 validation items, but mlp, which ignores the edges, is 10.0 points of "
        "accuracy behind, and up to 27.4 may be chance");
  CHECK(reason_of(0.7999, 10) ==
        "gat is kept: the best on the 10 validation items, but mlp, which ignores the edges, is as good");
  CHECK(reason_of(0.7, 1000) ==
        "gat is kept: the best on the 1000 validation items; the graph adds 10.0 points of accuracy over mlp");
}

TEST_CASE("the reason names the models that validation cannot distinguish from the one that is kept",
          "[train][comparison]") {
  const std::vector<Contender> contenders = {contender("gat", 0.8, {1}), contender("mlp", 0.7, {1}),
                                             contender("gcn", 0.79, {1}), contender("sage", 0.78, {1})};
  CHECK_THAT(reason(contenders, "accuracy", Sample{50}, {{0}}),
             EndsWith("; validation cannot distinguish it from gcn, sage"));
  CHECK_THAT(reason(contenders, "accuracy", Sample{50}, {.places = {2}, .as_good_as = 0}),
             EndsWith("; validation cannot distinguish it from sage"));
  CHECK_THAT(reason(contenders, "accuracy", Sample{100'000}, {{0}}), !Contains("distinguish"));
}

TEST_CASE("without edges, models are said to see other nodes", "[train][comparison]") {
  Dataset data;
  CHECK(std::string(graph_wording(data).subject) == "the graph");
  data.collection.emplace();
  const GraphWording others = graph_wording(data);
  const std::vector<Contender> contenders = {contender("lstm", 0.8, {1}), contender("mlp", 0.7, {1})};
  CHECK(reason(contenders, "accuracy", Sample{1000}, {{0}}, others) ==
        "lstm is kept: the best on the 1000 validation items; seeing other nodes adds 10.0 points of accuracy over "
        "mlp");
  CHECK_THAT(reason(contenders, "accuracy", Sample{10}, {{0}}, others), Contains("mlp, which ignores other nodes, is"));
  CHECK_THAT(verdict(contenders, "accuracy", Sample{10}, others).front(), StartsWith("seeing other nodes makes"));
}

TEST_CASE("the verdict says what the graph and attention add", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  CHECK(verdict({contender("label_propagation", 0.5, {0.5, 0.5, 0.5}), contender("mlp", 0.6, {0.60, 0.62, 0.61}),
                 contender("gcn", 0.7, {0.70, 0.72, 0.72}), contender("gat", 0.8, {0.80, 0.82, 0.81})},
                "accuracy", kFew) == Lines{"the graph adds 20.0 ± 0.0 points of accuracy: gat over mlp",
                                     "attention adds 9.7 ± 0.6 points of accuracy: gat over gcn",
                                     "use gat: the best on the validation items"});
  CHECK(verdict({contender("label_propagation", 0.5, {0.80, 0.80, 0.83}), contender("mlp", 0.9, {0.80, 0.81, 0.82}),
                 contender("gcn", 0.7, {0.70, 0.72, 0.71})},
                "accuracy", kFew) ==
        Lines{"the graph does not help here: mlp is 10.0 ± 1.0 points of accuracy ahead of gcn",
              "label_propagation needs no features and is as good", "use mlp: the best on the validation items"});
  CHECK(verdict({contender("fingerprint", 1.0, {1.0, 1.1, 1.2}), contender("gatv2", 0.9, {1.05, 1.05, 1.15})}, "rmse",
                kFew) == Lines{"the graph makes no clear difference: gatv2 and fingerprint are 0.0167 ± 0.0577 of rmse "
                               "apart over 3 runs, and up to 0.0667 may be chance",
                               "use gatv2: the best on the validation items"});
}

TEST_CASE("nothing is concluded from metrics that are not defined", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(verdict({contender("label_propagation", 0.5, {nan, nan}), contender("mlp", nan, {nan, nan}),
                 contender("gcn", 0.7, {nan, nan})},
                "roc_auc", kFew) ==
        Lines{"the graph: no comparison is possible, because roc_auc is not defined on the test items of gcn or mlp",
              "use gcn: the best on the validation items"});
  CHECK(verdict({contender("mlp", nan, {0.6, 0.6, 0.6})}, "accuracy", kFew) ==
        Lines{"no model is recommended: accuracy is not defined on the validation items"});
  CHECK(
      reason({contender("mlp", nan, {nan}), contender("gcn", nan, {nan})}, "accuracy", kFew, {{0}}) ==
      fmt::format("mlp is kept without a comparison: accuracy is not defined on the {} validation items", kFew.items));
}

TEST_CASE("a choice among models does not affect the verdict on graph and attention", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  CHECK(verdict({contender("auto", 0.91, {0.91, 0.92, 0.91}), contender("mlp", 0.9, {0.91, 0.92, 0.91}),
                 contender("sage", 0.8, {0.80, 0.80, 0.81}), contender("gat", 0.7, {0.70, 0.71, 0.71})},
                "accuracy", kFew) ==
        Lines{"the graph does not help here: mlp is 11.0 ± 1.0 points of accuracy ahead of sage",
              "attention does not help here: sage is 9.7 ± 0.6 points of accuracy ahead of gat",
              "use auto: the best on the validation items"});
}

TEST_CASE("the verdict on a single run depends on the number of items", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  const std::vector<Contender> contenders = {contender("label_propagation", 0.77, {0.77}),
                                             contender("mlp", 0.87, {0.86}), contender("gat", 0.875, {0.865})};
  CHECK(verdict(contenders, "accuracy", Sample{.items = 7'000}) ==
        Lines{"the graph makes no clear difference: gat and mlp are 0.5 points of accuracy apart over 1 run, and up to "
              "0.8 may be chance",
              "use gat: the best on the validation items"});
  CHECK(verdict(contenders, "accuracy", Sample{.items = 40})[1] ==
        "label_propagation needs no features and is 9.5 points of accuracy behind, and up to 13.6 may be chance");
}

TEST_CASE("the verdict separates the gain of labels from that of attention", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  const Contender gcn = contender("gcn", 0.75, {0.75, 0.75, 0.75}), gat = contender("gat", 0.7, {0.70, 0.70, 0.70});
  CHECK(verdict({gcn, gat, contender("gat + labels", 0.8, {0.80, 0.80, 0.80})}, "accuracy", kFew) ==
        Lines{"attention does not help here: gcn is 5.0 ± 0.0 points of accuracy ahead of gat",
              "seeing labels of neighbours adds 10.0 ± 0.0 points of accuracy: gat + labels over gat",
              "use gat + labels (model.preset gat model.label_input 0.5): the best on the validation items"});
}

TEST_CASE("attention is judged among networks, the graph among all models", "[train][comparison]") {
  using Lines = std::vector<std::string>;
  CHECK(verdict({contender("mlp", 0.6, {0.60, 0.60, 0.60}), contender("boosted_trees", 0.7, {0.70, 0.70, 0.70}),
                 contender("sage", 0.75, {0.75, 0.75, 0.75}), contender("gat", 0.8, {0.80, 0.80, 0.80}),
                 contender("neighbour_trees", 0.9, {0.90, 0.90, 0.90})},
                "accuracy", kFew) ==
        Lines{"the graph adds 20.0 ± 0.0 points of accuracy: neighbour_trees over boosted_trees",
              "attention adds 5.0 ± 0.0 points of accuracy: gat over sage",
              "use neighbour_trees: the best on the validation items"});
}

TEST_CASE("the best model that uses features and edges is tried with labels", "[train][comparison]") {
  Dataset data;
  data.labels.task = data::Task::classification;
  Config config;
  const std::vector<Contender> contenders = {contender("label_propagation", 0.9, {0.9}), contender("gcn", 0.7, {0.7}),
                                             contender("mlp + smooth", 0.8, {0.8}), contender("gat", 0.6, {0.6}),
                                             contender("neighbour_trees", 0.9, {0.9})};
  const auto place = [&] { return to_try_with_labels(config, data, contenders, "accuracy"); };
  CHECK_FALSE(place());  // there are no edges
  data.graph = one_edge();
  CHECK(place() == 1);
  config.training.label_input = 0;
  CHECK_FALSE(place());
}

TEST_CASE("the best network along edges is tried without them if the best model uses edges", "[train][comparison]") {
  Dataset data;
  std::vector<Contender> contenders = {contender("gcn", 0.7, {0.7}), contender("gat + labels", 0.8, {0.8}),
                                       contender("gat", 0.75, {0.75}), contender("neighbour_trees", 0.9, {0.9})};
  const auto place = [&] { return to_try_without_edges(data, contenders, "accuracy"); };
  CHECK_FALSE(place());  // there are no edges
  data.graph = one_edge();
  CHECK(place() == 2);
  contenders.push_back(contender("boosted_trees", 0.95, {0.95}));
  CHECK_FALSE(place());
}

TEST_CASE("a network without edges is one that ignores the graph", "[train][comparison]") {
  CHECK(verdict({contender("mlp", 0.6, {0.6, 0.6, 0.6}), contender("gat", 0.9, {0.9, 0.9, 0.9}),
                 contender("gat without edges", 0.8, {0.8, 0.8, 0.8})},
                "accuracy", kFew)
            .front() == "the graph adds 10.0 ± 0.0 points of accuracy: gat over gat without edges");
  CHECK(
      reason({contender("gat", 0.8, {1}), contender("gat without edges", 0.79, {1})}, "accuracy", kFew, {{0}}) ==
      "gat is kept: the best on the 100 validation items, but gat without edges is 1.0 points of accuracy behind, and "
      "up to 8.1 may be chance");
}

TEST_CASE("the models to compare fit the data", "[train][comparison]") {
  Dataset data;
  Config config;
  data.labels.task = data::Task::classification;
  data.labels.names = {"no", "yes"};
  for (int node = 0; node < 100; ++node) data.labels.classes.push_back(node % 2);
  CHECK(models_to_compare(config, data).front() == "label_propagation");
  CHECK(models_to_compare(config, data).back() == "gatv2_sep");
  config.split.train = 0.08;
  CHECK(models_to_compare(config, data).back() == "grand");
  data.features.dense = Matrix::Ones(100, 2);  // features for the trees
  CHECK(models_to_compare(config, data) == std::vector<std::string>{"label_propagation", "boosted_trees",
                                                                    "neighbour_trees", "mlp", "gcn", "sage", "gat",
                                                                    "gatv2_sep", "grand"});
  data.features = {};
  data.labels.task = data::Task::regression;
  data.labels.targets = Matrix::Ones(100, 1);
  CHECK(models_to_compare(config, data).back() == "gcn2");
  CHECK(models_to_compare(config, data).front() == "mlp");
  data.graphs.emplace();
  CHECK(models_to_compare(config, data).front() == "sum_features");
  data.graphs->are_molecules = true;
  CHECK(models_to_compare(config, data) ==
        std::vector<std::string>{"fingerprint", "descriptors", "boosted_trees", "sage", "gatv2"});
}

TEST_CASE("a model whose parts are not known says nothing about attention", "[train][comparison]") {
  const std::vector<Contender> contenders = {contender("blocks", 0.9, {0.9, 0.9, 0.9}),
                                             contender("gcn", 0.5, {0.5, 0.5, 0.5}),
                                             contender("mlp", 0.4, {0.4, 0.4, 0.4})};
  for (const std::string& line : verdict(contenders, "accuracy", kFew)) CHECK_THAT(line, !Contains("attention"));
}
