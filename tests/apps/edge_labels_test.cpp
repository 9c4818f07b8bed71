// Labels of edges on the command line: a column of the edge list is learnt, and filled in other lists.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/core/random.hpp"
#include "sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

constexpr int kTraders = 60, kRatings = 1500;

/// Ratings that are what a person deserves, as seen by a kind or a strict one, at times in order.
void write_ratings(const Sandbox& sandbox) {
  Random random(3, Stream::generate);
  std::string ratings = "rater,rated,stars,liked,day\n", people = "id,age\n";
  const auto merit_of = [](int person) { return person % 7 - 3; };
  for (int i = 0; i < kTraders; ++i) people += fmt::format("p{},{}\n", i, 20 + i % 7 * 5);
  for (int i = 0; i < kRatings; ++i) {
    const auto rater = static_cast<int>(random.below(kTraders)), rated = static_cast<int>(random.below(kTraders));
    const double stars = merit_of(rated) + rater % 3 - 1 + 0.3 * random.normal();
    ratings += fmt::format("p{},p{},{:.2f},{},{}\n", rater, rated, stars, stars > 0 ? "yes" : "no", i);
  }
  sandbox.write("people.csv", people);
  sandbox.write("ratings.csv", ratings);
  sandbox.write("new.csv", "rater,rated,day\np3,p0,1501\np3,p6,1502\nstranger,p6,1503\n");
}

constexpr const char* kStars = "train --edges ratings.csv --edge-label stars --ignore liked,day --threads 2 --seed 1 ";

double test_metric(const Result& trained, const char* metric) {
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  return trained.json().at("test").at(metric).at("mean").as_number();
}

}  // namespace

TEST_CASE("numbers of edges are learnt and filled in", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  const std::string model = GENERATE("edge_biases", "edge_factors", "boosted_trees", "mlp --epochs 30");
  INFO(model);
  const Result trained =
      sandbox.run(fmt::format("{}--task regression --model {} --out m.safetensors --json", kStars, model));
  CHECK(test_metric(trained, "rmse") < 1);  // 2.2 by the mean
  const Result filled = sandbox.run("predict m.safetensors --edges new.csv --out filled.csv");
  INFO(filled.error);
  REQUIRE(filled.code == 0);
  const std::string table = sandbox.read("filled.csv");
  CHECK_THAT(table, Contains("edge,source,target,stars") && Contains("\"p3,p0\",p3,p0,-") &&
                        Contains("\"p3,p6\",p3,p6,") && Contains("\"stranger,p6\",stranger,p6,"));
  const Result judged = sandbox.run("evaluate m.safetensors --json");
  INFO(judged.error);
  REQUIRE(judged.code == 0);
  CHECK(judged.json().at("metrics").at("rmse").as_number() == Approx(test_metric(trained, "rmse")));
  const std::string ratings = sandbox.read("ratings.csv");
  const std::size_t row = ratings.find('\n') + 1, end = ratings.find(',', ratings.find(',', row) + 1);
  const Result explained = sandbox.run(fmt::format("explain m.safetensors --node {}", ratings.substr(row, end - row)));
  INFO(explained.error);
  CHECK(explained.code == 0);
  CHECK_THAT(explained.out, Contains("feature stars: "));
  CHECK_THAT(sandbox.run("inspect --edges ratings.csv --edge-label stars").out, Contains("60 nodes, 1500 edges"));
}

TEST_CASE("classes of edges are learnt, with features of the ends and by time", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  const std::string split = GENERATE("", "--split-time day ");
  const Result trained = sandbox.run(fmt::format(
      "train --edges ratings.csv --nodes people.csv --edge-label liked --ignore stars --model boosted_trees "
      "{}--out m.safetensors --json",
      split));
  CHECK(test_metric(trained, "roc_auc") > 0.85);
  sandbox.write("known.csv", "rater,rated,day\np3,p0,1501\np3,p6,1502\n");
  const Result filled = sandbox.run("predict m.safetensors --edges known.csv --out filled.csv");
  INFO(filled.error);
  REQUIRE(filled.code == 0);
  CHECK_THAT(sandbox.read("filled.csv"), Contains("edge,source,target,predicted,p_no,p_yes") &&
                                             Contains("p3,p0,no,") && Contains("p3,p6,yes,"));
}

TEST_CASE("a choice of models of edges says what it tried", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  const Result result = sandbox.run(fmt::format("{}--epochs 5 --out m.safetensors", kStars));
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out + result.error,
             Contains("edge_biases") && Contains("boosted_trees") && Contains("mlp"));
}

TEST_CASE("labels of edges have the same bits at any number of threads", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  std::string first;
  for (const int threads : {1, 2}) {
    REQUIRE(
        sandbox.run(fmt::format("{}--model mlp --epochs 4 --threads {} --out m.safetensors", kStars, threads)).code ==
        0);
    REQUIRE(sandbox.run(fmt::format("predict m.safetensors --threads {} --out all.csv", threads)).code == 0);
    if (first.empty()) first = sandbox.read("all.csv");
    CHECK(sandbox.read("all.csv") == first);
  }
}

TEST_CASE("a label that is only a random number is not learnt from the edge itself", "[apps][edge_labels]") {
  const Sandbox sandbox;
  Random random(5, Stream::generate);
  std::string edges = "source,target,noise\n";
  for (int i = 0; i < 1200; ++i) {  // each edge with its reverse, which has a number of its own
    const auto u = random.below(50), v = random.below(50);
    edges += fmt::format("n{},n{},{:.3f}\nn{},n{},{:.3f}\n", u, v, random.normal(), v, u, random.normal());
  }
  sandbox.write("noise.csv", edges);
  const std::string flags = GENERATE("", "--directed=false ");
  const Result trained = sandbox.run(fmt::format(
      "train --edges noise.csv --edge-label noise --model boosted_trees {}--out m.safetensors --json", flags));
  CHECK(test_metric(trained, "r2") < 0.05);
}

TEST_CASE("in an undirected network an edge and its reverse are in one part", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  REQUIRE(sandbox.run("data split --edges ratings.csv --edge-label stars --directed=false --out split.csv").code == 0);
  const std::string split = sandbox.read("split.csv");
  CHECK_THAT(split, Contains("source,target,split\n"));
  CHECK(std::ranges::count(split, '\n') <= kTraders * (kTraders + 1) / 2 + 1);
  const Result trained = sandbox.run(
      fmt::format("{}--directed=false --split-file split.csv --model edge_biases --out m.safetensors --json", kStars));
  CHECK(test_metric(trained, "rmse") > 0);
}

TEST_CASE("edges between the same nodes in different parts are saved and read", "[apps][edge_labels]") {
  const Sandbox sandbox;
  sandbox.write("visits.csv", "source,target,y,t\na,b,1,1\nb,c,2,2\nc,d,3,3\nd,a,4,4\na,c,5,5\nb,d,6,6\nc,a,7,7\n"
                              "d,b,8,8\na,b,9,9\nb,c,10,10\n");
  REQUIRE(sandbox.run("data split --edges visits.csv --edge-label y --split-time t --out split.csv").code == 0);
  CHECK(sandbox.read("split.csv") ==
        "source,target,split\na,b,train\nb,c,train\nc,d,train\nd,a,train\na,c,train\nb,d,train\nc,a,train\n"
        "d,b,train\na,b,validation\nb,c,test\n");
  REQUIRE(sandbox.run("data split --edges visits.csv --edge-label y --split-file split.csv --out again.csv").code == 0);
  CHECK(sandbox.read("again.csv") == sandbox.read("split.csv"));
  sandbox.write("three.csv", sandbox.read("visits.csv") + "a,b,3,11\n");
  const Result fewer =
      sandbox.run("data split --edges three.csv --edge-label y --split-file split.csv --out again.csv");
  CHECK(fewer.code == 3);
  CHECK_THAT(fewer.error, Contains("split.csv:10: expected one row for the 3 edges between these nodes"));
  sandbox.write("four.csv", sandbox.read("split.csv") + "a,b,test\n");
  const Result more = sandbox.run("data split --edges visits.csv --edge-label y --split-file four.csv --out again.csv");
  CHECK(more.code == 3);
  CHECK_THAT(more.error, Contains("four.csv:12: a,b is there more often than among the edges"));
}

TEST_CASE("what does not suit labels of edges is refused in one line", "[apps][edge_labels]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  sandbox.write("mixed.csv", "source,target,stars\na,b,1\nb,c,2.5\nc,a,many\na,c,4\n");
  sandbox.write("empty.csv", "source,target,stars\na,b,\nb,c,\n");
  sandbox.write("one.csv", "source,target,stars\na,b,1\n");
  sandbox.write("split.csv", "source,target,split\np3,nobody,train\n");
  const auto refused = [&](const std::string& command, int code, const std::string& expected) {
    const Result result = sandbox.run(command);
    INFO(command << "\n" << result.out << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("train --edge-label stars", 2, "--edges");
  refused("train --edges ratings.csv --edge-label grade", 3, "grade");
  refused("train --edges mixed.csv --edge-label stars --task regression", 3, "mixed.csv:4");
  refused("train --edges empty.csv --edge-label stars", 3, "empty.csv");
  refused("train --edges one.csv --edge-label stars --task regression", 0, "nothing to learn");
  refused("train --edges ratings.csv --edge-label stars --label liked", 2, "leave out --label");
  refused("train --edges ratings.csv --edge-label stars --task links", 2, "leave out --edge-label");
  refused("train --edges ratings.csv --edge-label stars --edge-features day", 2, "leave out --edge-features");
  refused("train --edges ratings.csv --edge-label stars --duplicates sum", 2, "leave out --duplicates");
  refused("train --edges ratings.csv --edge-label stars --degree", 2, "data.encodings");
  refused(fmt::format("{}--model gat", kStars), 2, "follows edges between nodes");
  refused(fmt::format("{}--model mlp --label-input 0.5", kStars), 2, "is for labels of nodes");
  refused(fmt::format("{}--split-file split.csv", kStars), 3, "\"nobody\" is not one of the");
  refused("train --edges ratings.csv --nodes people.csv --label age --model edge_biases", 2, "labels of edges");
}

TEST_CASE("repeated edges and opposite ones with equal labels are noted", "[apps][edge_labels]") {
  const Sandbox sandbox;
  std::string edges = "source,target,kind\n";
  for (int i = 0; i < 40; ++i)
    edges += fmt::format("n{0},n{1},{2}\nn{1},n{0},{2}\n", i, (i + 1) % 40, i % 3 == 0 ? "work" : "home");
  sandbox.write("ties.csv", edges + "n0,n1,work\n");
  const Result result = sandbox.run("train --edges ties.csv --edge-label kind --model edge_biases");
  INFO(result.error);
  CHECK(result.code == 0);
  CHECK_THAT(result.error + result.out, Contains("1 edge is between the nodes of one before") &&
                                                 Contains("opposite edges have equal labels"));
}

TEST_CASE("ratings lead from users to films that may have their names", "[apps][edge_labels][kinds]") {
  const Sandbox sandbox;
  Random random(4, Stream::generate);
  std::string ratings = "userId,movieId,rating\n", users = "id,age,cinema\n", films = "id,year\n";
  const auto taste = [](std::uint64_t one) { return one % 2 == 0 ? 1 : -1; };
  for (int user = 0; user < 60; ++user) users += fmt::format("{},{},c{}\n", user, 20 + user % 9, user % 3);
  for (int film = 0; film < 40; ++film) films += fmt::format("{},{}\n", film, 1990 + film % 7);
  for (int i = 0; i < 1500; ++i) {
    const std::uint64_t user = random.below(60), film = random.below(40);
    ratings += fmt::format("{},{},{:.2f}\n", user, film, 3 + taste(user) * taste(film) + 0.2 * random.normal());
  }
  sandbox.write("ratings.csv", ratings);
  sandbox.write("users.csv", users);
  sandbox.write("films.csv", films);
  sandbox.write("friends.csv", "a,b\n1,2\n");
  const std::string files = "--nodes users=users.csv --nodes films=films.csv --edges users:rates:films=ratings.csv ";
  const std::string model = GENERATE("edge_factors", "boosted_trees", "mlp --epochs 40");
  INFO(model);
  const Result trained = sandbox.run(
      fmt::format("train {}--edge-label rating --task regression --ignore users.cinema --model {} --threads 2 --seed 1 "
                  "--out m.safetensors --json",
                  files, model));
  CHECK(test_metric(trained, "rmse") < 0.6);  // 1.0 by the mean, and by biases
  CHECK_THAT(trained.error, !Contains("to itself"));
  sandbox.write("new.csv", "userId,movieId\n7,7\n7,8\n");
  const Result filled = sandbox.run("predict m.safetensors --edges users:rates:films=new.csv --out filled.csv");
  INFO(filled.error);
  REQUIRE(filled.code == 0);
  CHECK_THAT(sandbox.read("filled.csv"), Contains("\"7,7\",7,7,") && Contains("\"7,8\",7,8,"));
  const Result explained = sandbox.run("explain m.safetensors --edges users:rates:films=new.csv --link 7,8");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  CHECK_THAT(explained.out, Contains("feature ") && !Contains("cinema"));
  CHECK_THAT(sandbox.run("explain m.safetensors --link 7,99").error, Contains("--link: there is no edge \"7,99\""));
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
  const Result inspected = sandbox.run(fmt::format("inspect {}--edge-label rating", files));
  CHECK_THAT(inspected.out, Contains("100 nodes") && Contains("users.age") && Contains("films.year") &&
                                !Contains("reverse edge"));
  sandbox.write("split.csv", "source,target,split\n7,7,test\n");
  CHECK(sandbox.run(fmt::format("data split {}--edge-label rating --out split.csv", files)).code == 0);
  const Result other = sandbox.run("predict m.safetensors --edges ratings.csv --out o.csv");
  CHECK(other.code == 4);
  CHECK_THAT(other.error, Contains("the model was trained on the relations users:rates:films, got edges of one kind"));
}

TEST_CASE("of several relations one has the labels", "[apps][edge_labels][kinds]") {
  const Sandbox sandbox;
  write_ratings(sandbox);
  sandbox.write("friends.csv", "a,b\np1,p2\n");
  const std::string files =
      "train --edges people:rates:people=ratings.csv --edges people:knows:people=friends.csv --ignore liked,day "
      "--threads 1 ";
  const Result trained = sandbox.run(files + "--nodes people=people.csv --nodes peple=people.csv --model edge_biases "
                                             "--edge-label people:rates:people.stars --out m.safetensors --json");
  CHECK(test_metric(trained, "rmse") < 1);
  CHECK_THAT(trained.error, Contains("people:knows:people (friends.csv): not used") &&
                                Contains("peple are at no end of people:rates:people (did you mean \"people\"?)"));
  const Result filled = sandbox.run("predict m.safetensors --edges people:rates:people=ratings.csv --out filled.csv");
  INFO(filled.error);
  CHECK(filled.code == 0);
  CHECK_THAT(sandbox.read("filled.csv"), Contains("edge,source,target,stars"));
  const auto refused = [&](const std::string& flags, const std::string& expected) {
    const Result result = sandbox.run(files + flags);
    INFO(flags << "\n" << result.error);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("--edge-label stars", "say which relation has the labels, as in --edge-label people:knows:people.stars");
  refused("--edge-label stars --relation people:rates:people", "as in --edge-label people:rates:people.stars");
}
