#include "edgewise/train/explain/deletion.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// The predicted values of one item, in a row each.
Matrix one_by_one(Subject& subject, std::span<const Deletion> deletions) {
  Matrix values;
  for (const Deletion& deletion : deletions) {
    const Matrix row = subject.predict({&deletion, 1});
    values.conservativeResize(values.rows() + 1, row.cols());
    values.bottomRows(1) = row;
  }
  return values;
}

std::vector<Deletion> all_of(const Subject& subject) {
  std::vector<Deletion> deletions(1);
  for (graph::Node node = 0; node < subject.nodes().size(); ++node)
    if (subject.nodes().size() > 1) deletions.push_back({.nodes = {node}});
  for (std::size_t edge = 0; edge < subject.edges().size(); ++edge) deletions.push_back({.edges = {edge}});
  return deletions;
}

}  // namespace

TEST_CASE("a molecule is predicted without some atoms and bonds, in one batch as one by one", "[train][deletion]") {
  for (const char* readout : {"mean", "attention"}) {
    ModelData loaded = test::trained_on_molecules(test::small_gatv2(readout));
    const Matrix all = predict(loaded.trained, loaded.data, loaded.inputs);
    for (const graph::Node item : {graph::Node{3}, graph::Node{4}}) {
      Subject subject(loaded, item);
      const std::vector<Deletion> deletions = all_of(subject);
      const Matrix together = subject.predict(deletions);
      CHECK(together.row(0).isApprox(all.row(item), 1e-5F));
      CHECK(together.isApprox(one_by_one(subject, deletions), 1e-5F));
      if (item == 3) CHECK(std::abs(together(1, 0) - together(0, 0)) > 1e-6F);  // all atoms of benzene are alike
    }
  }
}

TEST_CASE("a graph without an atom is the graph of the rest", "[train][deletion]") {
  // With elements alone as features, deletion and the smaller molecule are the same.
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"), {.features = "elements/1"});
  const Matrix all = predict(loaded.trained, loaded.data, loaded.inputs);
  Subject subject(loaded, 0);  // CCO
  REQUIRE(subject.nodes().size() == 3);
  const Deletion without_oxygen[] = {{.nodes = {2}}, {.nodes = {0}}};
  const Matrix values = subject.predict(without_oxygen);
  CHECK(values(0, 0) == Approx(all(7, 0)));  // CC
  CHECK(values(1, 0) == Approx(all(5, 0)));  // CO
}

TEST_CASE("a replacement is predicted as the molecule that it is", "[train][deletion]") {
  ModelData loaded = test::trained_on_molecules(test::small_gatv2("mean"), {.descriptors = {"rdkit"}});
  const Matrix all = predict(loaded.trained, loaded.data, loaded.inputs);
  Subject subject(loaded, 0);
  const Deletion ethane{.replacement = "CC"}, nonsense{.replacement = "C1C"};
  CHECK(subject.predict({&ethane, 1})(0, 0) == Approx(all(7, 0)).epsilon(1e-4));
  CHECK(std::isnan(subject.predict({&nonsense, 1})(0, 0)));
  const Deletion mixed[] = {{}, ethane, {.nodes = {2}}, ethane, {}};
  const Matrix values = subject.predict(mixed);
  CHECK(values(1, 0) == values(3, 0));
  CHECK(values(0, 0) == values(4, 0));
  CHECK(values(0, 0) == Approx(all(0, 0)).epsilon(1e-4));
}

TEST_CASE("fingerprints and descriptors are those of the rest", "[train][deletion]") {
  ModelData loaded = test::trained_on_molecules(json::Object{{"preset", "fingerprint"}});
  const Matrix all = predict(loaded.trained, loaded.data, loaded.inputs);
  Subject subject(loaded, 0);
  const Deletion deletions[] = {{}, {.nodes = {2}}};
  const Matrix values = subject.predict(deletions);
  CHECK(values(0, 0) == Approx(all(0, 0)).epsilon(1e-4));
  CHECK(values(1, 0) == Approx(all(7, 0)).epsilon(1e-4));  // CC
}

TEST_CASE("a node without a neighbour is predicted as if the file had no such neighbour", "[train][deletion]") {
  for (const char* preset : {"gat", "gcn", "sage"}) {
    CAPTURE(preset);
    test::FriendFiles files;
    ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", preset}, {"hidden", 8}});
    const graph::Node p3 = *loaded.data.graph.names().find("p3");
    Subject subject(loaded, p3);
    CHECK(subject.nodes().size() < loaded.data.graph.node_count());
    CHECK(subject.nodes()[subject.target()] == p3);
    const std::vector<graph::Node> neighbours = subject.neighbours();
    REQUIRE(neighbours.size() > 2);
    const Deletion deletions[] = {{}, {.nodes = {neighbours[1]}}};
    const Matrix values = subject.predict(deletions);
    CHECK(values.row(0).isApprox(predict(loaded.trained, loaded.data, loaded.inputs).row(p3), 1e-5F));
    const std::string gone(loaded.data.graph.names()[subject.nodes()[neighbours[1]]]);
    ModelData other = test::load_friends_without(gone, files, std::move(loaded.trained));
    const graph::Node there = *other.data.graph.names().find("p3");
    CHECK(values.row(1).isApprox(predict(other.trained, other.data, other.inputs).row(there), 1e-4F));
    CHECK_FALSE(values.row(1).isApprox(values.row(0), 1e-5F));
  }
}

TEST_CASE("trees and refined predictions of nodes see the whole graph", "[train][deletion]") {
  for (const bool is_refined : {false, true}) {
    test::FriendFiles files;
    if (is_refined) files.config.correct_and_smooth = Smoothing::always;
    const json::Object small = {{"preset", "mlp"}, {"hidden", 8}}, trees = {{"preset", "neighbour_trees"}};
    ModelData loaded = test::trained_on_friends(files, is_refined ? small : trees);
    const graph::Node p3 = *loaded.data.graph.names().find("p3");
    Subject subject(loaded, p3);
    CHECK(subject.nodes().size() == loaded.data.graph.node_count());
    const Deletion deletions[] = {{}, {.nodes = {subject.target() == 0 ? 1U : 0U}}, {}};
    const Matrix values = subject.predict(deletions);
    CHECK(values.row(0).isApprox(predict(loaded.trained, loaded.data, loaded.inputs).row(p3), 1e-5F));
    CHECK(values.row(0) == values.row(2));
  }
}

TEST_CASE("a deleted feature is 0 where it is encoded", "[train][deletion]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  const graph::Node p3 = *loaded.data.graph.names().find("p3");
  Subject subject(loaded, p3);
  CHECK(subject.features() == std::vector<std::string>{"age", "city"});
  const Deletion deletions[] = {{.features = {"age"}}, {.features = {"nothing"}}, {}};
  const Matrix values = subject.predict(deletions);
  CHECK(values.row(1) == values.row(2));
  loaded.inputs[0].features.dense(p3, 0) = 0;  // the mean age
  CHECK(values.row(0).isApprox(predict(loaded.trained, loaded.data, loaded.inputs).row(p3), 1e-5F));
  CHECK_FALSE(values.row(0).isApprox(values.row(2), 1e-5F));
}

TEST_CASE("what cannot be deleted is refused", "[train][deletion]") {
  test::FriendFiles files;
  ModelData loaded = test::trained_on_friends(files, json::Object{{"preset", "gat"}, {"hidden", 8}});
  CHECK_THROWS_WITH(Subject(loaded, 80), Contains("item 80, but there are 80"));
  Subject subject(loaded, 3);
  const Deletion itself{.nodes = {subject.target()}}, beyond{.nodes = {1000}};
  CHECK_THROWS_AS(subject.predict({&itself, 1}), UsageError);
  CHECK_THROWS_AS(subject.predict({&beyond, 1}), UsageError);
}
