// Ties on the command line: trained, scored and suggested.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/random.hpp"
#include "sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

constexpr int kPeople = 80, kCircle = 10;

/// Friends within circles of ten, and some beyond.
void write_friends(const Sandbox& sandbox) {
  Random random(3, Stream::generate);
  std::string people = "id,age,town\n", friends = "source,target\n";
  for (int i = 0; i < kPeople; ++i) {
    people += fmt::format("p{},{},t{}\n", i, 20 + i / kCircle * 5 + static_cast<int>(random.below(5)), i / kCircle);
    for (int k = 0; k < 3; ++k) {
      const bool is_within = random.uniform() < 0.95;
      const auto other = is_within ? i / kCircle * kCircle + static_cast<int>(random.below(kCircle))
                                   : static_cast<int>(random.below(kPeople));
      friends += fmt::format("p{},p{}\n", i, other);
    }
  }
  sandbox.write("people.csv", people);
  sandbox.write("friends.csv", friends);
}

constexpr const char* kLinkJob = "--edges friends.csv --nodes people.csv --task links --threads 1 --seed 1 ";

std::set<std::pair<std::string, std::string>> ties_in(const std::string& text) {
  std::set<std::pair<std::string, std::string>> ties;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    std::string a = line.substr(0, first), b = line.substr(first + 1, second - first - 1);
    if (b < a) std::swap(a, b);
    ties.emplace(a, b);
  }
  return ties;
}

}  // namespace

TEST_CASE("ties are trained, scored and suggested", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const std::string model = GENERATE("adamic_adar", "link_trees", "gcn --epochs 15", "gat --epochs 3 --runs 2");
  INFO(model);
  const Result trained =
      sandbox.run(fmt::format("train {}--model {} --out m.safetensors --json", kLinkJob, model));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const double mrr = trained.json().at("test").at("mrr").at("mean").as_number();
  CHECK(mrr > 0.15);  // 0.05 by chance
  sandbox.write("pairs.csv", "source,target\np1,p2\np1,p75\np3,p4\n");
  const Result scored = sandbox.run("predict m.safetensors --links pairs.csv --out scored.csv");
  INFO(scored.error);
  REQUIRE(scored.code == 0);
  const std::string table = sandbox.read("scored.csv");
  CHECK_THAT(table, Contains("source,target,probability,rank,known\np1,p2,") && Contains("p1,p75,"));
  const Result suggested = sandbox.run("predict m.safetensors --top 3 --out top.csv");
  INFO(suggested.error);
  REQUIRE(suggested.code == 0);
  const auto known = ties_in(sandbox.read("friends.csv"));
  const auto found = ties_in(sandbox.read("top.csv"));
  CHECK(found.size() > kPeople);
  for (const auto& tie : found) CHECK(known.count(tie) == 0);
}

TEST_CASE("ties are ranked among all nodes, or among given ones", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const std::string job = "--edges friends.csv --task links --threads 1 ";
  const std::string kind = GENERATE("random", "leave_one_out");
  INFO(kind);
  REQUIRE(sandbox.run(fmt::format("data split {}--split {} --out split.csv", job, kind)).code == 0);
  const std::string split = kind == "random" ? "--split-file split.csv" : "--split leave_one_out";
  REQUIRE(sandbox.run(fmt::format("train {}{} --model common_neighbours --out m.safetensors", job, split)).code == 0);
  // By hand: common neighbours in the ties of training, among those that no part has a tie with.
  std::map<int, std::set<int>> seen, known;
  std::vector<std::pair<int, int>> tests;
  std::istringstream lines(sandbox.read("split.csv"));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const int u = std::stoi(line.substr(1)), v = std::stoi(line.substr(line.find(",p") + 2));
    const std::pair<int, int> ways[] = {{u, v}, {v, u}};
    for (const auto& [a, b] : ways) {
      known[a].insert(b);
      if (line.ends_with(",train")) seen[a].insert(b);
      if (line.ends_with(",test")) tests.emplace_back(a, b);
    }
  }
  const auto common = [&](int a, int b) {
    return std::ranges::count_if(seen[a], [&](int c) { return seen[b].contains(c); });
  };
  double reciprocal = 0;
  std::string all = "source,target\n";
  for (int u = 0; u < kPeople; ++u)
    for (int v = 0; v < u; ++v)
      if (!known[u].contains(v)) all += fmt::format("p{},p{}\n", u, v);
  for (const auto& [a, b] : tests) {
    double rank = 1;
    for (int other = 0; other < kPeople; ++other) {
      if (other == a || other == b || !known.contains(other) || known[a].contains(other)) continue;
      rank += common(a, other) > common(a, b) ? 1 : common(a, other) == common(a, b) ? 0.5 : 0;
    }
    reciprocal += 1 / rank / static_cast<double>(tests.size());
  }
  const auto evaluated = [&](const std::string& flags) {
    const Result result = sandbox.run("evaluate m.safetensors --json " + flags);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result.json();
  };
  const json::Value of_all = evaluated("--negatives all"), drawn = evaluated("");
  CHECK(of_all.at("metrics").at("mrr").as_number() == Approx(reciprocal));
  CHECK(of_all.at("ranked_among") == json::Value("all nodes without a tie there"));
  CHECK(drawn.at("ranked_among") == json::Value("100 drawn nodes"));
  CHECK(of_all.at("metrics").at("roc_auc") == drawn.at("metrics").at("roc_auc"));
  sandbox.write("all.csv", all);
  CHECK(evaluated("--negatives all.csv").at("metrics") == of_all.at("metrics"));
  sandbox.write("all.csv", all + fmt::format("p{},p{}\n", tests[0].first, tests[0].second));
  const Result with_tie = sandbox.run("evaluate m.safetensors --negatives all.csv");
  CHECK_THAT(with_tie.error, Contains("leaves out 1 pair that is a tie of the network"));
  CHECK_THAT(with_tie.out, Contains("each end ranked among those in all.csv"));
  sandbox.write("odd.csv", "source,target\np1,nobody\n");
  const auto refused = [&](const std::string& flags, int code, const std::string& expected) {
    const Result result = sandbox.run("evaluate m.safetensors " + flags);
    INFO(flags << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("--negatives odd.csv", 3, "odd.csv:2: \"nobody\" is not one of the");
  refused("--negatives nothing.csv", 3, "nothing.csv");
  refused("--negatives all --report page.html", 2, "leave out --negatives");
}

TEST_CASE("ties are learnt beside pairs of one's own", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  // Everybody with the next circle: then a tie is not told from such pairs by chance.
  const auto known = ties_in(sandbox.read("friends.csv"));
  std::string pairs = "source,target\n";
  for (int i = 0; i < kPeople; ++i) {
    const std::string a = fmt::format("p{}", i), b = fmt::format("p{}", (i + kCircle) % kPeople);
    if (!known.contains({std::min(a, b), std::max(a, b)})) pairs += fmt::format("{},{}\n", a, b);
  }
  sandbox.write("pairs.csv", pairs);
  sandbox.write("odd.csv", "source,target\np1,p3\np1,nobody\n");
  const auto tie = std::ranges::find_if(known, [](const auto& ends) { return ends.first != ends.second; });
  sandbox.write("ties.csv", fmt::format("{}{},{}\n", pairs, tie->first, tie->second));
  const std::string model = GENERATE("adamic_adar", "link_trees", "gcn --epochs 5");
  INFO(model);
  const auto scored = [&](const std::string& flags, int threads = 1) {
    const Result trained = sandbox.run(fmt::format(
        "train --edges friends.csv --nodes people.csv --task links --seed 1 --threads {} --model {} {} --out "
        "m.safetensors",
        threads, model, flags));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    REQUIRE(sandbox.run("predict m.safetensors --links pairs.csv --out scored.csv").code == 0);
    return std::pair(sandbox.read("scored.csv"), trained.error);
  };
  const std::string own = scored("--negatives pairs.csv").first;
  CHECK(own != scored("").first);
  CHECK(own == scored("--negatives pairs.csv", 2).first);
  CHECK(scored("").first == scored("--negatives uniform").first);
  CHECK(scored("").first != scored("--negatives two_steps").first);
  CHECK(scored("").first != scored("--negatives degree").first);
  const auto [with_tie, note] = scored("--negatives ties.csv");
  CHECK(with_tie == own);
  CHECK_THAT(note, Contains("ties.csv: leaves out 1 pair that is a tie of the network"));
  const auto refused = [&](const std::string& flags, int code, const std::string& expected) {
    const Result result = sandbox.run(fmt::format("train {}--model {} {}", kLinkJob, model, flags));
    INFO(flags << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("--negatives odd.csv", 3, "odd.csv:3: \"nobody\" is not one of the");
  refused("--negatives nothing.csv", 3, "nothing.csv");
  refused("--negatives pairs.csv --out pairs.csv", 2, "is also read (--negatives)");
  const Result labels = sandbox.run("train --edges friends.csv --nodes people.csv --label age --negatives degree");
  CHECK(labels.code == 2);
  CHECK_THAT(labels.error, Contains("training.negatives: is for ties"));
}

TEST_CASE("the pages of a model of ties show ranks and curves", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const Result trained = sandbox.run(
      fmt::format("train {}--model adamic_adar --out m.safetensors --report train.html", kLinkJob));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result evaluated = sandbox.run("evaluate m.safetensors --report evaluate.html");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
  for (const char* page : {"train.html", "evaluate.html"})
    CHECK_THAT(sandbox.read(page), Contains("among 101 nodes drawn at random the true one is the first for") &&
                                       Contains("How far down the true node is") && Contains("ROC curve") &&
                                       Contains("The ties that the model is surest of"));
}

TEST_CASE("a tie is explained by what it would be without each part", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  REQUIRE(sandbox.run(fmt::format("train {}--model gcn --epochs 4 --out m.safetensors", kLinkJob)).code == 0);
  const Result explained = sandbox.run("explain m.safetensors --link p1,p2 --top 4 --out parts.csv");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  CHECK_THAT(explained.out, Contains("p1,p2: {\"tie\":") && Contains("effect on the probability of tie"));
  CHECK_THAT(sandbox.read("parts.csv"), Contains("kind,part,") && Contains("\nfeature,age,") && Contains("\ntie,"));
  REQUIRE(sandbox.run("explain m.safetensors --link p1,p2 --out parts.svg").code == 0);
  CHECK_THAT(sandbox.read("parts.svg"), Contains("p1 - p2"));
  const auto refused = [&](const std::string& flags, const std::string& expected) {
    const Result result = sandbox.run(fmt::format("explain m.safetensors {}", flags));
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("--node p1", "name two nodes (--link ada,bob)");
  refused("--link p1", "expected two nodes");
  refused("--link p1,nobody", "\"nobody\" is not one of the");
  refused("--link p1,p1", "from one node to another");
  refused("--link p1,p2 --row 3", "--link: cannot be combined");
  refused("--link p1,p2 --by attention --out a.csv", "by deletion");
}

TEST_CASE("a program reads why a tie is likely", "[apps][links]") {
  const Sandbox sandbox;
  sandbox.write("friends.csv", "source,target\na,b\nb,c\nc,d\nd,a\na,c\nd,e\ne,f\n\"g,h\",b\n\"g,h\",d\n\"g,h\",e\n");
  REQUIRE(sandbox.run("train --edges friends.csv --task links --model adamic_adar --out m.safetensors").code == 0);
  sandbox.write("pairs.csv", "source,target\nb,d\na,f\n");
  const Result scored =
      sandbox.run("predict m.safetensors --links pairs.csv --common-neighbours 2 --out scored.csv --json");
  INFO(scored.error);
  REQUIRE(scored.code == 0);
  CHECK(scored.json().at("others_per_tie").as_number() == 1);
  // a, c and "g,h" know both b and d, and have three ties each.
  CHECK_THAT(sandbox.read("scored.csv"), Contains(",known,common_neighbours\nb,d,") && Contains(",no,a|c\n") &&
                                             Contains(",no,\n"));
  REQUIRE(sandbox.run("predict m.safetensors --links pairs.csv --common-neighbours 9 --out scored.jsonl").code == 0);
  CHECK_THAT(sandbox.read("scored.jsonl"),
             Contains("\"common_neighbours\":[\"a\",\"c\",\"g,h\"]}") && Contains("\"common_neighbours\":[]}"));
  REQUIRE(sandbox.run("predict m.safetensors --top 1 --common-neighbours 1 --out top.csv").code == 0);
  CHECK_THAT(sandbox.read("top.csv"), Contains("source,target,probability,rank,known,common_neighbours\n"));
  CHECK(sandbox.run("predict m.safetensors --links pairs.csv --out plain.csv").code == 0);
  CHECK_THAT(sandbox.read("plain.csv"), !Contains("common_neighbours"));
  const Result explained = sandbox.run("explain m.safetensors --link a,e --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  const json::Value object = explained.json();
  CHECK(object.at("source") == json::Value("a"));
  CHECK(object.at("target") == json::Value("e"));
  const json::Array& parts = object.at("parts").as_array();
  const auto tie =
      std::ranges::find_if(parts, [](const json::Value& part) { return part.at("kind") == json::Value("tie"); });
  REQUIRE(tie != parts.end());
  CHECK(tie->at("ends").as_strings().size() == 2);
  const Result no_pairs = sandbox.run("predict m.safetensors --embeddings e.csv --common-neighbours 2");
  CHECK(no_pairs.code == 2);
  CHECK_THAT(no_pairs.error, Contains("--common-neighbours: is for --links and --top"));
}

TEST_CASE("probabilities of ties are calibrated among as many pairs without one", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  REQUIRE(sandbox
              .run(fmt::format("train {}--model preferential_attachment --validation-share 0.3 --train-share 0.4 --out "
                               "m.safetensors",
                               kLinkJob))
              .code == 0);
  const Result evaluated = sandbox.run("evaluate m.safetensors --report page.html --json");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
  // Degrees say nothing of these ties, so that all probabilities are near one half, as half of the pairs are ties.
  CHECK(evaluated.json().at("expected_calibration_error").as_number() < 0.08);
}

TEST_CASE("ties are learnt from samples of their neighbours", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const std::string job = "train --edges friends.csv --nodes people.csv --task links --seed 1 --model gat --epochs 4 ";
  const auto trained = [&](const std::string& flags) {
    const Result result = sandbox.run(fmt::format("{}{} --out m.safetensors --json", job, flags));
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result.json().at("test");
  };
  const json::Value sampled = trained("--sample 3,2 --batch-size 10 --threads 1");
  CHECK(sampled == trained("--sample 3,2 --batch-size 10 --threads 2"));
  CHECK_FALSE(sampled == trained("--threads 1"));
  CHECK(sampled.at("mrr").at("mean").as_number() > 0.15);  // 0.05 by chance
}

TEST_CASE("the ties of a frozen network are those of its tables", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const std::string direction = GENERATE("", " --directed");
  const std::string tables = "--edges friends.csv --nodes people.csv" + direction;
  REQUIRE(sandbox.run(fmt::format("train {} --task links --seed 1 --model gcn --epochs 3 --out m.safetensors", tables))
              .code == 0);
  const Result frozen =
      sandbox.run(fmt::format("data freeze {} --features-of m.safetensors --parts 3 --out net.edgewise", tables));
  INFO(frozen.error);
  REQUIRE(frozen.code == 0);
  sandbox.write("pairs.csv", "source,target\np1,p2\np1,p75\np3,p4\n");
  const auto scored = [&](const std::string& data) {
    const Result result = sandbox.run(fmt::format("predict m.safetensors {} --links pairs.csv --out -", data));
    INFO(result.error);
    REQUIRE(result.code == 0);
    std::vector<double> probabilities;
    for (const char* pair : {"\np1,p2,", "\np1,p75,", "\np3,p4,"})
      probabilities.push_back(std::stod(result.out.substr(result.out.find(pair) + std::string(pair).size())));
    return probabilities;
  };
  const std::vector<double> of_tables = scored(""), of_frozen = scored("--frozen net.edgewise");
  for (std::size_t i = 0; i < of_tables.size(); ++i) CHECK(of_frozen[i] == Approx(of_tables[i]).epsilon(1e-4));
  const std::string model = GENERATE("link_trees", "gat --epochs 3 --sample 5");
  const Result trained = sandbox.run(
      fmt::format("train net.edgewise --task links --seed 1 --model {} --out own.safetensors --json", model));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("are read into memory, from which ties are learnt"));
  CHECK(trained.json().at("test").at("mrr").at("mean").as_number() > 0.1);  // 0.05 by chance
  const Result suggested = sandbox.run("predict own.safetensors --top 3 --out top.csv");
  INFO(suggested.error);
  REQUIRE(suggested.code == 0);
  CHECK(ties_in(sandbox.read("top.csv")).size() > kPeople / 2);
}

TEST_CASE("ties have the same bits at any number of threads", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  std::string first;
  for (const int threads : {1, 2}) {
    REQUIRE(
        sandbox.run(fmt::format("train {}--model gat --epochs 4 --threads {} --out m.safetensors", kLinkJob, threads))
            .code == 0);
    REQUIRE(sandbox.run(fmt::format("predict m.safetensors --top 2 --threads {} --out top.csv", threads)).code == 0);
    if (first.empty()) first = sandbox.read("top.csv");
    CHECK(sandbox.read("top.csv") == first);
  }
}

TEST_CASE("a choice of models of ties says what it tried", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const Result result = sandbox.run(fmt::format("train {}--epochs 4 --out m.safetensors", kLinkJob));
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out + result.error, Contains("common_neighbours") && Contains("link_trees") && Contains("gcn"));
  CHECK(sandbox.run("predict m.safetensors --top 1 --out -").code == 0);
}

TEST_CASE("what does not suit ties is refused in one line", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const auto refused = [&](const std::string& command, int code, const std::string& expected) {
    const Result result = sandbox.run(command);
    INFO(command);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused(fmt::format("train {}--label town --out m.safetensors", kLinkJob), 2, "links learns which ties there are");
  refused("train --edges friends.csv --nodes people.csv --label town --model adamic_adar", 2, "ties");
  refused(fmt::format("train {}--model gat --sample clusters:8/2", kLinkJob), 2, "learnt from samples of neighbours");
  refused(fmt::format("train {}--model gat --label-input 0.5", kLinkJob), 2, "training.label_input");
  refused(fmt::format("train {}--model gat --reorder degree", kLinkJob), 2, "training.reorder");
  refused(fmt::format("train {}--model label_propagation", kLinkJob), 2, "not for ties");
  sandbox.write("two.csv", "source,target\na,b\nb,c\n");
  refused("train --edges two.csv --task links --model adamic_adar", 3, "expected 3 ties or more");
  refused(fmt::format("train {}--model gcn --laplacian 2", kLinkJob), 2, "data.encodings: are made from all ties");
  REQUIRE(sandbox.run("data freeze --edges friends.csv --nodes people.csv --laplacian 2 --out net.edgewise").code == 0);
  refused("train net.edgewise --task links --model gcn", 3, "its encodings were made from all ties");
  REQUIRE(sandbox.run(fmt::format("train {}--model adamic_adar --out m.safetensors", kLinkJob)).code == 0);
  refused("predict m.safetensors --out o.csv", 2, "--links pairs.csv");
  refused("predict m.safetensors --links pairs.csv --top 3 --out o.csv", 2, "--top: cannot be combined with --links");
  sandbox.write("pairs.csv", "source,target\np1,p2\np1,nobody\n");
  refused("predict m.safetensors --links pairs.csv --out o.csv", 3, "pairs.csv:3");
  sandbox.write("with-split.csv", "source,target,split\na,b,train\nb,c,train\nc,d,train\nd,a,test\na,c,validation\n");
  REQUIRE(sandbox.run("data split --edges with-split.csv --task links --split-column split --out split.csv").code ==
          0);
  CHECK_THAT(sandbox.read("split.csv"), Contains("d,a,test\na,c,validation\n"));
  refused("train --edges with-split.csv --task links --split-column split --split-file split.csv", 2, "not both");
  sandbox.write("pairs.csv", "nobody,none\np1,p2\n");
  refused("predict m.safetensors --links pairs.csv --out o.csv", 3, "pairs.csv:1: \"nobody\" is not one of the");
  sandbox.write("pairs.csv", "source,target\np1,p1\n");
  refused("predict m.safetensors --links pairs.csv --out o.csv", 3, "expected two different nodes");
  sandbox.write("pairs.csv", "p1\n");
  refused("predict m.safetensors --links pairs.csv --out o.csv", 3, "expected two nodes");
  sandbox.write("pairs.csv", "");
  refused("predict m.safetensors --links pairs.csv --out o.csv", 3, "pairs.csv");
  refused("predict m.safetensors --links pairs.csv --out o.graphml", 2, ".csv or .jsonl");
}

TEST_CASE("a server answers about ties as predict does", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  REQUIRE(sandbox.run(fmt::format("train {}--model adamic_adar --out m.safetensors", kLinkJob)).code == 0);
  sandbox.write("pairs.csv", "p1,p2\n");
  REQUIRE(sandbox.run("predict m.safetensors --links pairs.csv --out p.jsonl").code == 0);
  std::string line = sandbox.read("p.jsonl");
  line.pop_back();
  sandbox.write("requests.txt", "{\"links\": [[\"p1\", \"p2\"]], \"id\": 1}\n{\"nodes\": [\"p5\"], \"top\": 2}\n"
                                "{\"links\": [[\"p1\", \"p1\"]]}\n{\"nodes\": [\"p5\"]}\n");
  const Result result = sandbox.run("serve m.safetensors < requests.txt");
  CHECK_THAT(result.out, Contains(fmt::format("{{\"id\":1,\"predictions\":[{}]}}", line)));
  CHECK_THAT(result.out, Contains("\"source\":\"p5\"") && Contains("two different nodes") && Contains("top"));
}

TEST_CASE("ties are split by a file, and by time", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  std::istringstream lines(sandbox.read("friends.csv"));
  std::string line, split = "source,target,split\n", timed = "source,target,since\n";
  std::getline(lines, line);
  std::set<std::pair<std::string, std::string>> seen;
  for (int i = 0; std::getline(lines, line); ++i) {
    timed += fmt::format("{},{}\n", line, 2000 + i % 20);
    std::string a = line.substr(0, line.find(',')), b = line.substr(line.find(',') + 1);
    if (b < a) std::swap(a, b);
    if (a == b || !seen.emplace(a, b).second) continue;
    split += fmt::format("{},{},{}\n", a, b, i % 10 == 0 ? "test" : i % 10 == 1 ? "validation" : "train");
  }
  sandbox.write("split.csv", split);
  sandbox.write("timed.csv", timed);
  const Result by_file = sandbox.run(fmt::format("train {}--model adamic_adar --split-file split.csv", kLinkJob));
  INFO(by_file.error);
  CHECK(by_file.code == 0);
  const Result by_time = sandbox.run(
      "train --edges timed.csv --nodes people.csv --task links --model adamic_adar --split-time since --out "
      "t.safetensors");
  INFO(by_time.error);
  CHECK(by_time.code == 0);
  CHECK(sandbox.run("evaluate t.safetensors").code == 0);
  const Result wrong = sandbox.run(
      "train --edges timed.csv --nodes people.csv --task links --model adamic_adar --split-time when");
  CHECK(wrong.code == 3);
  CHECK_THAT(wrong.error, Contains("when") && Contains("since"));
  sandbox.write("bad.csv", "source,target,split\np1,nobody,train\n");
  const Result bad = sandbox.run(fmt::format("train {}--model adamic_adar --split-file bad.csv", kLinkJob));
  CHECK(bad.code == 3);
  CHECK_THAT(bad.error, Contains("bad.csv:2"));
}

TEST_CASE("each node holds one tie out", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const bool is_directed = GENERATE(false, true);
  const std::string data = fmt::format("{}{}--model adamic_adar ", kLinkJob, is_directed ? "--directed " : "");
  const std::string job = data + "--split leave_one_out";
  const Result trained = sandbox.run(fmt::format("train {} --save-splits splits --out m.safetensors", job));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
  const std::string split = sandbox.read("splits/split-0.csv");
  const auto ends_of = [](const std::string& row) {
    const std::size_t first = row.find(','), second = row.find(',', first + 1);
    return std::pair(row.substr(0, first), row.substr(first + 1, second - first - 1));
  };
  std::map<std::string, std::map<std::string, int>> parts;
  std::string line, tested;
  std::istringstream rows(split);
  std::getline(rows, line);
  while (std::getline(rows, line)) {
    const auto [source, target] = ends_of(line);
    const std::string part = line.substr(line.rfind(',') + 1);
    ++parts[source][part];
    if (!is_directed) ++parts[target][part];
    if (part == "test") tested = line;
  }
  int with_test = 0;
  for (auto& [person, of] : parts) {
    with_test += of["test"];
    CHECK(of["test"] <= 1);
    CHECK(of["validation"] <= 1);
    CHECK(of["train"] >= 1);
  }
  CHECK(with_test > 60);
  // A tie that is planted in the training part by its reverse is caught.
  const auto [source, target] = ends_of(tested);
  sandbox.write("leak.csv", fmt::format("{}{},{},train\n", split, target, source));
  const auto refused = [&](const std::string& command, int code, const std::string& expected) {
    const Result result = sandbox.run(command);
    INFO(command << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused(fmt::format("train {}--split-file leak.csv", data), 3,
          is_directed ? "is not one of the" : ", or its reverse, is there twice");
  refused(fmt::format("train {} --train-share 0.5", job), 2, "--train-share: is for splits drawn by shares");
  refused(fmt::format("train {} --split-group weight", job), 2, "split.group");
  refused("train --edges friends.csv --nodes people.csv --label town --model sage --split leave_one_out", 2,
          "split.kind: leave_one_out is for ties");
  sandbox.write("star.csv", "source,target\na,b\na,c\na,d\na,e\n");
  refused("train --edges star.csv --task links --model adamic_adar --split leave_one_out", 3, "no tie can be held out");
}

TEST_CASE("a few ties are enough to validate one", "[apps][links]") {
  const Sandbox sandbox;
  sandbox.write("few.csv", "source,target\na,b\nb,c\nc,a\nc,d\nd,e\n");
  const Result trained = sandbox.run("train --edges few.csv --task links --model adamic_adar --save-splits splits");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const std::string split = sandbox.read("splits/split-0.csv");
  CHECK_THAT(split, Contains(",validation\n") && Contains(",test\n") && Contains(",train\n"));
  CHECK_THAT(trained.error, !Contains("no item is held out"));
}

TEST_CASE("a training of ties goes on from a checkpoint", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const std::string model = GENERATE("", "--model katz --runs 2", "--model gcn --runs 2");
  INFO(model);
  const std::string job = fmt::format("train {}--epochs 3 {} --checkpoint c.checkpoint ", kLinkJob, model);
  REQUIRE(sandbox.run(job + "--out m.safetensors").code == 0);
  const Result resumed = sandbox.run("train --resume c.checkpoint --out again.safetensors");
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  CHECK(sandbox.read("again.safetensors") == sandbox.read("m.safetensors"));
}

TEST_CASE("a heuristic keeps its order where the ties of training have it reversed", "[apps][links]") {
  const Sandbox sandbox;
  std::string grid = "source,target\n";  // no node of a grid has a neighbour in common with one that it is tied to
  for (int row = 0; row < 14; ++row)
    for (int column = 0; column < 14; ++column) {
      if (row < 13) grid += fmt::format("g{}_{},g{}_{}\n", row, column, row + 1, column);
      if (column < 13) grid += fmt::format("g{}_{},g{}_{}\n", row, column, row, column + 1);
    }
  sandbox.write("grid.csv", grid);
  sandbox.write("pairs.csv", "source,target\ng5_5,g6_6\ng5_5,g9_9\n");
  REQUIRE(sandbox.run("train --edges grid.csv --task links --model common_neighbours --out m.safetensors").code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --links pairs.csv --out scored.csv").code == 0);
  const std::string scored = sandbox.read("scored.csv");
  CHECK_THAT(scored, Contains("g5_5,g6_6,0.5") && Contains(",1,no\ng5_5,g9_9,0.4"));
}

TEST_CASE("ties are predicted in a network of one, and where every pair has one", "[apps][links]") {
  const Sandbox sandbox;
  std::string complete = "source,target\n";
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < i; ++j) complete += fmt::format("k{},k{}\n", i, j);
  sandbox.write("complete.csv", complete);
  const Result trained = sandbox.run("train --edges complete.csv --task links --epochs 5 --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, Contains("mrr is not defined on the validation items"));
  sandbox.write("one.csv", "source,target\na,b\n");
  sandbox.write("pairs.csv", "source,target\na,b\n");
  REQUIRE(sandbox.run("train --edges complete.csv --task links --model katz --out katz.safetensors").code == 0);
  const Result scored = sandbox.run("predict katz.safetensors --edges one.csv --links pairs.csv --out -");
  INFO(scored.error);
  CHECK(scored.code == 0);
  CHECK_THAT(scored.error, !Contains("not seen in training"));
}

TEST_CASE("columns belong to edges that a column Type makes two", "[apps][links]") {
  const Sandbox sandbox;
  std::string edges = "source,target,stars,split,Type\n";
  for (int i = 0; i < 40; ++i)
    edges += fmt::format("n{},n{},{},{},{}\n", i % 13, i * 7 % 17 + 20, i % 5, i % 4 == 0 ? "test" : "train",
                         i % 2 == 0 ? "Directed" : "Undirected");
  sandbox.write("typed.csv", edges);
  const Result rated = sandbox.run("train --edges typed.csv --edge-label stars --ignore split --task regression "
                                   "--model edge_biases --predictions rated.csv --directed");
  INFO(rated.error);
  REQUIRE(rated.code == 0);
  const Result tied = sandbox.run("train --edges typed.csv --task links --split-column split --model katz --directed");
  INFO(tied.error);
  CHECK(tied.code == 0);
}

TEST_CASE("a network of ties writes the rows of its nodes", "[apps][links]") {
  const Sandbox sandbox;
  write_friends(sandbox);
  const Result trained = sandbox.run(
      fmt::format("train {}--model gcn --hidden 8 --epochs 2 --out net.safetensors", kLinkJob));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result written = sandbox.run("predict net.safetensors --embeddings rows.csv");
  INFO(written.error);
  REQUIRE(written.code == 0);
  const std::string rows = sandbox.read("rows.csv");
  CHECK(rows.starts_with("node,e1,e2"));
  CHECK(std::ranges::count(rows, '\n') == kPeople + 1);
  REQUIRE(sandbox.run(fmt::format("train {}--model adamic_adar --out one.safetensors", kLinkJob)).code == 0);
  const Result none = sandbox.run("predict one.safetensors --embeddings rows.csv");
  CHECK(none.code == 2);
  CHECK_THAT(none.error, Contains("--embeddings: the model uses numbers of pairs only"));
}
