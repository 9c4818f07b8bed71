#include "edgewise/train/use/prediction.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"
#include "train/notes.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

OpenModel open_job(const Config& config, Matrix* predictions = nullptr) {
  Run run = run_job(config, read_dataset(config.data), 0);
  if (predictions != nullptr) *predictions = run.predictions;
  return open_model(std::move(*run.trained), {"m"});
}

/// More molecules than are predicted at once; every third cannot be read.
struct Molecules {
  test::FriendFiles files;
  Config config;

  Molecules() {
    std::string table = "smiles,y\n";
    for (int i = 0; i < 500; ++i) table += "CCO,1\nC1CC,2\nc1ccccc1,3\n";
    files.write("m.csv", table);
    config.data.molecules = files.path("m.csv");
    config.data.label = {"y"};
    config.data.task = "regression";
    config.model = json::Object{{"preset", "sage"}, {"hidden", 8}};
    config.training.epochs = 1;
  }
};

}  // namespace

TEST_CASE("all items are predicted, or those selected", "[train][prediction]") {
  test::FriendFiles files;
  files.config.training.epochs = 2;
  Matrix expected;
  OpenModel model = open_job(files.config, &expected);
  const Prediction all = predict_all(model, {.with_embeddings = true}, test::ignore_note);
  CHECK(all.values == expected);
  CHECK(all.selection.empty());
  CHECK(all.nodes == 80);
  CHECK(all.order == "none");
  CHECK(all.embeddings.rows() == 80);
  CHECK(model.trained.label_names == std::vector<std::string>{"no", "yes"});  // still of use

  OpenModel again = open_job(files.config);
  const auto two = [](const graph::NodeNames& names) {
    return std::vector<graph::Node>{*names.find("p7"), *names.find("p3")};
  };
  const Prediction some = predict_all(again, {.select = two, .with_embeddings = true}, test::ignore_note);
  CHECK(some.selection == std::vector<graph::Node>{7, 3});
  CHECK(some.values.row(0) == expected.row(7));
  CHECK(some.values.row(1) == expected.row(3));
  CHECK(some.embeddings.row(0) == all.embeddings.row(7));
}

TEST_CASE("molecules are predicted in pieces, with the same bits in each", "[train][prediction]") {
  const Molecules molecules;
  OpenModel model = open_job(molecules.config);
  std::vector<std::string> notes;
  const Prediction all =
      predict_all(model, {.with_embeddings = true}, [&](const std::string& line) { notes.push_back(line); });
  REQUIRE(all.values.rows() == 1500);
  CHECK(all.values(0, 0) == all.values(1497, 0));
  CHECK(all.embeddings.row(2) == all.embeddings.row(1499));
  CHECK(std::isnan(all.values(1498, 0)));
  CHECK(all.embeddings.row(1498).array().isNaN().all());
  CHECK(all.nodes == 500 * 9);
  REQUIRE(notes.size() == 2);
  CHECK_THAT(notes[0], Contains("500 of 1500 molecules"));
  CHECK_THAT(notes[1], Contains("500 molecules are unlike those of training"));  // one of the two is not in training
}

TEST_CASE("only nodes of one graph can be selected", "[train][prediction]") {
  const Molecules molecules;
  OpenModel model = open_job(molecules.config);
  const auto none = [](const graph::NodeNames&) { return std::vector<graph::Node>{}; };
  CHECK_THROWS_WITH(predict_all(model, {.select = none}, test::ignore_note), Contains("not for molecules"));
}

TEST_CASE("a row of predictions is an object of labels", "[train][prediction]") {
  Matrix predictions(2, 2);
  predictions << 0.25F, 0.75F, 0.5F, 0.5F;
  CHECK(json::dump(row_to_json({"no", "yes"}, predictions, 0)) == R"({"no":0.25,"yes":0.75})");
}

TEST_CASE("items unlike those of training are told beside their predictions", "[train][prediction]") {
  test::FriendFiles files;
  files.config.training.epochs = 2;
  const Dataset data = read_dataset(files.config.data);
  files.write("strangers.csv", "id,age,city\ns0,33,Bern\ns1,900,Bern\ns2,35,Oslo\ns3,36,Basel\n");
  files.write("ties.csv", "source,target,weight\ns0,s1,1\ns0,s2,2\n");
  const json::Value other = json::Object{
      {"data", json::Object{{"nodes", files.path("strangers.csv")}, {"edges", files.path("ties.csv")}}}};
  OpenModel model = open_model(std::move(*run_job(files.config, data, 0).trained), {"m", other});
  std::vector<std::string> notes;
  const Prediction all = predict_all(model, {}, [&](const std::string& line) { notes.push_back(line); });
  REQUIRE(all.domain_report.reasons.size() == 4);
  CHECK(all.domain_report.reasons[0].empty());
  CHECK_THAT(all.domain_report.reasons[1], Contains("age 900, in training"));
  CHECK(all.domain_report.reasons[2] == "city \"Oslo\" is new");
  CHECK(all.domain_report.reasons[3] == "no neighbours");
  CHECK_THAT(notes.back(), Contains("3 nodes are unlike those of training") && Contains("\"s1\": age 900"));
}

TEST_CASE("molecules have a similarity to those of training, piece by piece", "[train][prediction]") {
  const Molecules molecules;
  OpenModel model = open_job(molecules.config);
  CHECK(predict_all(model, {}, test::ignore_note).domain_report.similarity.size() == 1500);
  molecules.files.write("new.csv", "smiles\nCCO\n[U]\nC1CC\n");
  const json::Value other = json::Object{{"data", json::Object{{"molecules", molecules.files.path("new.csv")}}}};
  OpenModel again = open_model(std::move(model.trained), {"m", other});
  const DomainReport found = predict_all(again, {}, test::ignore_note).domain_report;
  CHECK(found.similarity[0] == 1);
  CHECK(found.similarity[1] == 0);
  CHECK(std::isnan(found.similarity[2]));
  CHECK(found.reasons[0].empty());
  CHECK_THAT(found.reasons[1], Contains("U is new"));
  CHECK(found.reasons[2].empty());
}
