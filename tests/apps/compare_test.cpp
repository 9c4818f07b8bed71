#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "edgewise/core/random.hpp"
#include "sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

/// 240 people in two groups. Tells: whether the group shows in the column x, in the edges, or in both.
struct Tells {
  bool features;
  bool edges;
};

void write_camps(const Sandbox& sandbox, const Tells& tells) {
  constexpr std::uint64_t kPeople = 240;
  Random random(5, Stream::generate);
  std::string nodes = "id,x,z,camp\n", edges = "source,target\n";
  for (std::uint64_t person = 0; person < kPeople; ++person) {
    const std::uint64_t camp = person % 2;
    const double shift = tells.features && camp == 1 ? 3 : 0;
    nodes += fmt::format("p{},{:.3f},{:.3f},{}\n", person, shift + random.normal(), random.normal(),
                         camp == 1 ? "red" : "blue");
    for (int i = 0; i < 5; ++i) {
      std::uint64_t other = random.below(kPeople);
      if (tells.edges && i > 0) other = other / 2 * 2 + camp;
      if (other != person) edges += fmt::format("p{},p{}\n", person, other);
    }
  }
  sandbox.write("nodes.csv", nodes);
  sandbox.write("edges.csv", edges);
}

Result compare(const Sandbox& sandbox, const std::string& more, int epochs = 60) {
  return sandbox.run(
      fmt::format("compare --edges edges.csv --nodes nodes.csv --label camp --learning-rate 0.02 --runs 3 "
                  "--epochs {} {}",
                  epochs, more));
}

bool says(const json::Value& object, const std::string& start) {
  const json::Array& lines = object.at("verdict").as_array();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const json::Value& line) { return line.as_string().rfind(start, 0) == 0; });
}

}  // namespace

TEST_CASE("compare finds that the graph helps when friends are alike", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = false, .edges = true});
  const Result result = compare(sandbox, "--models mlp,gcn,label_propagation --json");
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  CHECK(object.at("models").as_array().size() == 3);
  CHECK(object.at("best").as_string() != "mlp");
  CHECK(says(object, "the graph adds "));
}

TEST_CASE("compare finds that the graph does not help when ties are random", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = false});
  const Result result = compare(sandbox, "--models mlp,gcn --json");
  REQUIRE(result.code == 0);
  CHECK(result.json().at("best").as_string() == "mlp");
  CHECK(says(result.json(), "the graph does not help here: mlp is "));
  CHECK(says(result.json(), "use mlp"));
}

TEST_CASE("compare trains all models that fit, with the same bits at any number of threads", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const Result one = compare(sandbox, "--threads 1 --json", 5), two = compare(sandbox, "--threads 2 --json", 5);
  REQUIRE(one.code == 0);
  REQUIRE(two.code == 0);
  const json::Value of_one = one.json(), of_two = two.json();
  const json::Array &first = of_one.at("models").as_array(), &second = of_two.at("models").as_array();
  // Five networks, label propagation and two kinds of trees; the best network with labels as input, without edges and
  // without features.
  std::vector<std::string> models;
  std::size_t variants = 0;
  for (const json::Value& model : first) {
    const std::string name = model.at("model").as_string();
    name.find(' ') == std::string::npos ? models.push_back(name) : void(++variants);
  }
  std::ranges::sort(models);
  CHECK(models == std::vector<std::string>{"boosted_trees", "gat", "gatv2_sep", "gcn", "label_propagation", "mlp",
                                           "neighbour_trees", "sage"});
  CHECK(variants == 3);
  REQUIRE(second.size() == first.size());
  for (std::size_t i = 0; i < first.size(); ++i) CHECK(first[i].at("test") == second[i].at("test"));
  const Result text = compare(sandbox, "", 5);
  CHECK_THAT(text.out, Contains("beside the best") && Contains("use "));
  CHECK_THAT(text.error, Contains("gatv2_sep: 3 runs") && Contains(" + labels: 3 runs") &&
                             Contains(" without edges: 3 runs"));
}

TEST_CASE("compare and tune read their configuration once", "[apps][compare][tune]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  sandbox.write("job.json", R"({"data": {"edges": "edges.csv", "nodes": "nodes.csv", "label": "camp"},
                                "training": {"epochs": 2, "runs": 2}})");
  const auto through_pipe = [&](const std::string& arguments) {
    return sandbox.shell("cat job.json | " + Sandbox::kBinary + arguments + " --config /dev/stdin --json");
  };
  const Result compared = through_pipe("compare --models mlp,gcn");
  CHECK(compared.error.find("edgewise:") == std::string::npos);
  REQUIRE(compared.code == 0);
  CHECK(compared.json().at("models").as_array().size() == 2);
  const Result tuned = through_pipe("tune --models mlp --brackets 1");
  CHECK(tuned.error.find("edgewise:") == std::string::npos);
  REQUIRE(tuned.code == 0);
  CHECK(tuned.json().at("configuration").at("data").at("label") == json::Value("camp"));
}

TEST_CASE("compare reports errors before it trains", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const Result unknown = compare(sandbox, "--models mlp,gut");
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.error, Contains("gut") && Contains("did you mean \"gat\"?"));
  CHECK(sandbox.run("compare --edges edges.csv --nodes nodes.csv --label camp --runs 0").code == 2);
  CHECK(compare(sandbox, "--models fingerprint").code == 2);
  CHECK_THAT(compare(sandbox, "--models gat,mlp,gat").error, Contains("expected each model once, got \"gat\" twice"));
  const Result metric = compare(sandbox, "--metric rmse --models mlp -q");
  CHECK(metric.code == 2);
  CHECK_THAT(metric.error, Contains("training.metric: expected one of accuracy, ") && Contains("got \"rmse\""));
  CHECK_THAT(compare(sandbox, "--shares 0.5,1,0.50").error, Contains("expected each share once, got 0.5 twice"));
  const Result kept = compare(sandbox, "--shares 1 --keep-share 0.1");
  CHECK(kept.code == 2);
  CHECK_THAT(kept.error, Contains("--keep-share: is one share of the training items, --shares are several"));
  sandbox.write("keep.json", R"({"split": {"keep": 0.1}})");
  const Result kept_in_file = compare(sandbox, "--shares 1 --config keep.json");
  CHECK(kept_in_file.code == 2);
  CHECK_THAT(kept_in_file.error, Contains("split.keep: is one share of the training items, --shares are several"));
}

TEST_CASE("compare tries labels as input without consistency, and refuses it where it is not allowed",
          "[apps][compare][consistency]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const Result result = compare(sandbox, "--consistency 2", 5);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.error, Contains(" + labels: 3 runs") && !Contains("is skipped"));
  const Result both = compare(sandbox, "--consistency 2 --label-input 0.5 --models gcn");
  CHECK(both.code == 2);
  CHECK_THAT(both.error, Contains("training.consistency: makes passes agree"));
}

TEST_CASE("a comparison of one run has no spread", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const Result result =
      sandbox.run("compare --edges edges.csv --nodes nodes.csv --label camp --models mlp,gcn --epochs 3 --runs 1");
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, !Contains("nan") && !Contains("±"));
}

TEST_CASE("a comparison continued from its log has the same result", "[apps][compare][resume]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const std::string models = "--models mlp,gcn --json ";
  const Result whole = compare(sandbox, models);
  REQUIRE(whole.code == 0);
  REQUIRE(compare(sandbox, "--models mlp --json --log log.json").code == 0);
  const Result rest = compare(sandbox, models + "--log log.json");
  REQUIRE(rest.code == 0);
  CHECK_THAT(rest.error, Contains("log.json: continues after 3 runs"));
  const auto settled = [](const Result& result) {
    std::string text;
    const json::Value object = result.json();
    for (const json::Value& model : object.at("models").as_array())
      for (const char* member : {"model", "validation", "test", "beside_best"}) text += json::dump(model.at(member));
    return text + json::dump(object.at("verdict"));
  };
  CHECK(settled(rest) == settled(whole));
  CHECK(json::parse_file(sandbox.path("log.json").string()).at("runs").as_array().size() == 6);
  const Result other = compare(sandbox, models + "--log log.json", 50);
  CHECK(other.code == 3);
  CHECK_THAT(other.error, Contains("log.json: is of another comparison"));
  json::Value damaged = json::parse_file(sandbox.path("log.json").string());
  json::Array runs = damaged.at("runs").as_array();
  runs.front().set("validation", "good");
  damaged.set("runs", runs);
  sandbox.write("damaged.json", json::dump(damaged));
  sandbox.write("nothing.json", "{}");
  for (const char* file : {"damaged.json", "nothing.json"}) {
    const Result refused = compare(sandbox, models + "--log " + file);
    CHECK(refused.code == 3);
    CHECK_THAT(refused.error, Contains(std::string(file) + ": is not a log of a comparison"));
  }
  write_camps(sandbox, {.features = true, .edges = false});
  const Result changed = compare(sandbox, models + "--log log.json");
  CHECK(changed.code == 3);
  CHECK_THAT(changed.error, Contains("log.json: is of files that have changed since"));
}

TEST_CASE("comparisons that write to one log at the same time keep the results of all", "[apps][compare][resume]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const auto command = [](const std::string& models) {
    return Sandbox::kBinary + "compare --edges edges.csv --nodes nodes.csv --label camp --runs 9 --epochs 20 -q " +
           "--threads 1 --log log.json --models " + models;
  };
  const Result both = sandbox.shell(command("mlp,gat") + " & " + command("gcn,gat") + " && wait $!");
  INFO(both.error);
  REQUIRE(both.code == 0);
  CHECK(json::parse_file(sandbox.path("log.json").string()).at("runs").as_array().size() == 3 * 9);
}

TEST_CASE("an interrupted comparison gives no verdict", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  const auto interrupted = [&](const std::string& log, const std::string& flags) {
    return sandbox.shell(fmt::format(
        "{}compare --edges edges.csv --nodes nodes.csv --label camp --models label_propagation,gcn --log {} {} "
        "--runs 1 --epochs 100000000 --patience 0 & "
        "while ! [ -s {} ] && kill -0 $!; do sleep 0.05; done; kill -INT $!; wait $!",
        Sandbox::kBinary, log, flags, log));
  };
  const Result result = interrupted("runs.json", "");
  CHECK(result.code == 130);
  CHECK_THAT(result.out, Contains("label_propagation  ") && Contains("interrupted: 1 of 2 models finished"));
  const Result shares = interrupted("shares.json", "--shares 0.5,1 --chart c.svg");
  CHECK(shares.code == 130);
  CHECK_THAT(shares.out, Contains("label_propagation  ") && Contains("interrupted: the other models and shares"));
  CHECK_THAT(sandbox.read("c.svg"), Contains("label_propagation"));
}

TEST_CASE("compare makes as many runs as the configuration says", "[apps][compare]") {
  const Sandbox sandbox;
  write_camps(sandbox, {.features = true, .edges = true});
  sandbox.write("job.json",
                R"({"data": {"edges": "edges.csv", "nodes": "nodes.csv", "label": "camp"}, )"
                R"("training": {"runs": 2, "epochs": 3}})");
  const auto runs = [&](const std::string& flags) {
    const Result result = sandbox.run("compare --config job.json --models mlp --json " + flags);
    REQUIRE(result.code == 0);
    return result.json().at("models").as_array()[0].at("test").at("values").as_array().size();
  };
  CHECK(runs("") == 2);
  CHECK(runs("--runs 1") == 1);
}
