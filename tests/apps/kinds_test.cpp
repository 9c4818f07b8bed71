// Networks of several kinds of nodes on the command line.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "sandbox.hpp"
#include "shop.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

constexpr const char* kShopJob = "--label people.churned --threads 1 --seed 1 --epochs 40 ";

}  // namespace

TEST_CASE("a generated shop is the same for a seed", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string people = sandbox.read("shop/people.csv"), purchases = sandbox.read("shop/purchases.csv");
  CHECK(test::lines_of(people) == 301);
  CHECK(test::lines_of(sandbox.read("shop/products.csv")) == 41);
  CHECK(test::lines_of(purchases) > 900);
  test::generate_shop(sandbox);
  CHECK(sandbox.read("shop/people.csv") == people);
  test::generate_shop(sandbox, "--seed 8");
  CHECK(sandbox.read("shop/purchases.csv") != purchases);
  test::generate_shop(sandbox, "--mean-purchases 12");
  CHECK(test::lines_of(sandbox.read("shop/purchases.csv")) > 3 * test::lines_of(purchases) / 2);
  CHECK(sandbox.run("data generate shop --mean-purchases 0.5 --out shop").code == 2);
}

TEST_CASE("models of several kinds are trained and used", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string model = GENERATE("label_propagation", "boosted_trees", "neighbour_trees", "mlp", "sage", "gat",
                                     "rgcn", "rgat", "hgt", "gatv2 --reorder degree", "gcn --label-input 0.5",
                                     "rgcn --set model.bases=2", "rgcn --sample 3,2 --batch-size 64",
                                     "rgat --sample clusters:8/2", "hgt --sample walks:40x2");
  INFO(model);
  const bool is_saved = model != "label_propagation";
  const Result trained = sandbox.run(fmt::format("train {}{}--model {} {}", test::kShop, kShopJob, model,
                                                 is_saved ? "--out m.safetensors --predictions p.csv" : ""));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  if (!is_saved) return;
  // Only the people are predicted, by their own names.
  const std::string predictions = sandbox.read("p.csv");
  CHECK(test::lines_of(predictions) == 301);
  CHECK_THAT(predictions, Contains("\n300,") && !Contains("people:"));
  const Result predicted = sandbox.run("predict m.safetensors --out q.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK(test::lines_of(sandbox.read("q.csv")) == 301);
  const Result evaluated = sandbox.run("evaluate m.safetensors --json");
  INFO(evaluated.error);
  REQUIRE(evaluated.code == 0);
}

TEST_CASE("a model of several kinds predicts new people", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  REQUIRE(sandbox.run(fmt::format("train {}{}--model rgcn --out m.safetensors", test::kShop, kShopJob)).code == 0);
  sandbox.write("people.csv", "person,age,plan\nx,30,plus\n1,60,basic\n");
  sandbox.write("purchases.csv", "person,product\nx,1\nx,2\n1,1\n");
  sandbox.write("friends.csv", "person,friend\nx,1\n");
  const Result predicted = sandbox.run(
      "predict m.safetensors --nodes people=people.csv --edges people:buys:products=purchases.csv "
      "--edges people:knows:people=friends.csv --out new.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);  // with the products of training
  CHECK_THAT(sandbox.read("new.csv"), Contains("\nx,") && Contains("\n1,"));
  CHECK(test::lines_of(sandbox.read("new.csv")) == 3);
  const Result other = sandbox.run("predict m.safetensors --edges people:views:products=purchases.csv --out o.csv");
  CHECK(other.code == 4);
  CHECK_THAT(other.error, Contains("the model was trained on the relations people:buys:products, people:knows:people"));
  const Result plain = sandbox.run("predict m.safetensors --edges friends.csv --nodes people.csv --out o.csv");
  CHECK(plain.code != 0);
}

TEST_CASE("inspect shows kinds and relations", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const Result text = sandbox.run(fmt::format("inspect {}--label people.churned", test::kShop));
  REQUIRE(text.code == 0);
  CHECK_THAT(text.out,
             Contains("340 nodes of 2 kinds") && Contains("people buys products") && Contains("products.price"));
  const json::Value object =
      json::parse(sandbox.run(fmt::format("inspect {}--label people.churned --json", test::kShop)).out, "inspect");
  REQUIRE(object.at("kinds").as_array().size() == 2);
  CHECK(object.at("kinds").as_array()[0].at("name") == json::Value("people"));
  CHECK(object.at("relations").as_array()[1].at("degree_of_source").at("smallest") == json::Value(1));
  CHECK(object.at("kind_columns").as_array().size() == 3);
}

TEST_CASE("kinds in a configuration", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  sandbox.write("job.json", R"({"data": {"nodes": {"people": "shop/people.csv", "products": ["shop/products.csv"]},
                                         "edges": {"people:buys:products": "shop/purchases.csv"},
                                         "label": "people.churned"}, "model": {"preset": "mlp"}})");
  const Result printed = sandbox.run("train --config job.json --print-config");
  REQUIRE(printed.code == 0);
  CHECK_THAT(printed.out, Contains("\"people:buys:products\": \"shop/purchases.csv\""));
  CHECK(sandbox.run("train --config job.json --epochs 2").code == 0);
}

TEST_CASE("what is odd about kinds is one line", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const auto refused = [&](const std::string& arguments, int code, const auto& expected) {
    const Result result = sandbox.run("train " + arguments);
    INFO(arguments);
    CHECK(result.code == code);
    CHECK_THAT(result.error, expected);
  };
  const std::string shop = test::kShop;
  refused(shop + "--label churned", 2, Contains("data.label: expected KIND.COLUMN"));
  refused(shop + "--label people.left", 3, Contains("left"));
  refused(shop + "--task links", 2, Contains("data.relation: name the relation whose ties are learnt"));
  refused(shop + "--task links --relation people:buys:products --model adamic_adar", 2, Contains("both ends"));
  refused(shop + "--nodes more.csv --label people.churned", 2, Contains("data.nodes: expected a name for each file"));
  refused("--nodes people=shop/people.csv --edges buys=shop/purchases.csv --label people.churned", 2,
          Contains("data.edges: expected KIND:RELATION:KIND=FILE") && Contains("got buys="));
  refused("--nodes people=shop/nothing.csv --edges people:knows:people=shop/friends.csv --label people.churned", 3,
          Contains("shop/nothing.csv"));
  sandbox.write("odd.csv", "person,product\n1,1\n1,4711\n");
  refused("--nodes people=shop/people.csv --nodes products=shop/products.csv --edges people:buys:products=odd.csv "
          "--label people.churned",
          3, Contains("odd.csv:3") && Contains("products \"4711\""));
  refused(shop + "--label people.churned --model rgcn --sample neighbours:5", 2, Contains("sample"));
}

TEST_CASE("products are recommended to people", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string job =
      fmt::format("{}--ignore churned --task links --relation people:buys:products --threads 1 ", test::kShop);
  const std::string model = GENERATE("nearest_targets", "matrix_factors", "link_trees", "rgcn --epochs 4",
                                     "sage --epochs 4");
  INFO(model);
  const Result trained = sandbox.run(fmt::format("train {}--model {} --out m.safetensors --json", job, model));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(trained.json().at("test").at("mrr").at("mean").as_number() > 0.07);  // 0.05 by chance
  const Result suggested = sandbox.run("predict m.safetensors --top 3 --out top.csv");
  INFO(suggested.error);
  REQUIRE(suggested.code == 0);
  const std::string top = sandbox.read("top.csv");
  CHECK(test::lines_of(top) == 1 + 3 * 300);
  CHECK_THAT(top, Contains("source,target,probability,rank,known\n1,") && !Contains(":"));
  CHECK_THAT(top, !Contains(",41,"));  // there are 40 products
  const std::string bought = "\n" + sandbox.read("shop/purchases.csv");
  std::istringstream lines(top);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::string pair = line.substr(0, line.find(',', line.find(',') + 1));
    CHECK_THAT(bought, !Contains("\n" + pair + "\n"));
  }
  sandbox.write("some.csv", "id\n7\n");
  REQUIRE(sandbox.run("predict m.safetensors --top 2 --nodes-to-predict some.csv --out some-top.csv").code == 0);
  CHECK(sandbox.read("some-top.csv").find("\n7,") != std::string::npos);
  sandbox.write("pairs.csv", "source,target\n300,40\n300,1\n");
  REQUIRE(sandbox.run("predict m.safetensors --links pairs.csv --out p.jsonl").code == 0);
  const std::string scored = sandbox.read("p.jsonl");
  sandbox.write("turned.csv", "product,person\n40,300\n1,300\n");
  REQUIRE(sandbox.run("predict m.safetensors --links turned.csv --out turned.jsonl").code == 0);
  CHECK(sandbox.read("turned.jsonl") == scored);
  sandbox.write("requests.txt", "{\"links\": [[\"300\", \"40\"]]}\n{\"nodes\": [\"7\"], \"top\": 2}\n");
  const Result answered = sandbox.run("serve m.safetensors < requests.txt");
  CHECK_THAT(answered.out, Contains(scored.substr(0, scored.find(",\"rank\""))) && Contains("\"source\":\"7\""));
  CHECK(sandbox.run("evaluate m.safetensors").code == 0);
  sandbox.write("pairs.csv", "source,target\n300,41\n");
  const Result unknown = sandbox.run("predict m.safetensors --links pairs.csv --out p.csv");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.error, Contains("pairs.csv:2") && Contains("\"41\" is not one of the products"));
}

TEST_CASE("ties of a relation are split by time and by a file", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  std::istringstream lines(sandbox.read("shop/purchases.csv"));
  std::string line, timed = "person,product,day\n", split = "source,target,split\n";
  std::getline(lines, line);
  for (int i = 0; std::getline(lines, line); ++i) {
    timed += fmt::format("{},{}\n", line, i % 50);
    split += fmt::format("{},{}\n", line, i % 50 < 40 ? "train" : i % 50 < 45 ? "validation" : "test");
  }
  sandbox.write("timed.csv", timed);
  sandbox.write("split.csv", split);
  const std::string data =
      "--nodes people=shop/people.csv --ignore churned --edges people:knows:people=shop/friends.csv "
      "--edges people:buys:products=timed.csv --task links --relation people:buys:products ";
  const std::string job = data + "--model nearest_targets ";
  const auto mrr = [&](const std::string& flags) {
    const Result trained = sandbox.run(fmt::format("train {}{} --out m.safetensors --json", job, flags));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK(sandbox.run("evaluate m.safetensors").code == 0);
    return trained.json().at("test").at("mrr").at("mean").as_number();
  };
  CHECK(mrr("--split-file split.csv") == mrr("--split-time day --train-share 0.8 --validation-share 0.1"));
  // Each person's latest purchase is the test, the one before it validates.
  REQUIRE(sandbox.run(fmt::format("data split {}--split leave_one_out --split-time day --out own.csv", data)).code ==
          0);
  std::map<std::string, std::map<std::string, std::vector<int>>> days;
  std::istringstream rows(sandbox.read("own.csv"));
  std::istringstream times(timed);
  std::getline(rows, split);
  std::getline(times, line);
  while (std::getline(rows, split) && std::getline(times, line)) {
    REQUIRE(split.substr(0, split.rfind(',')) == line.substr(0, line.rfind(',')));
    days[line.substr(0, line.find(','))][split.substr(split.rfind(',') + 1)].push_back(
        std::stoi(line.substr(line.rfind(',') + 1)));
  }
  for (auto& [person, of] : days) {
    INFO(person);
    const std::size_t all = of["train"].size() + of["validation"].size() + of["test"].size();
    REQUIRE(of["test"].size() == (all > 1 ? 1 : 0));
    REQUIRE(of["validation"].size() == (all > 2 ? 1 : 0));
    for (const int day : of["train"]) CHECK((all < 2 || day <= of["test"][0]));
    for (const int day : of["train"]) CHECK((all < 3 || day <= of["validation"][0]));
  }
  CHECK(mrr("--split leave_one_out --split-time day") > 0);
}

TEST_CASE("a relation that has the ties that are asked for is pointed out", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string job = "inspect --edges people:buys:products=shop/purchases.csv --task links "
                          "--relation people:buys:products ";
  CHECK_THAT(sandbox.run(job + "--edges products:sold_to:people=shop/purchases.csv").out,
             Contains("the relation products:sold_to:people has 100 % of the ties to predict"));
  CHECK_THAT(sandbox.run(job + "--edges people:knows:people=shop/friends.csv").out, !Contains("gives them away"));
  const Result typed = sandbox.run("inspect --nodes people=shop/people.csv --nodes products=shop/products.csv "
                                   "--edges people:buys:products=shop/purchases.csv --label people.churned "
                                   "--ignore products.prcie");
  CHECK(typed.code != 0);
  CHECK_THAT(typed.error, Contains("prcie"));
}

TEST_CASE("names of neighbours are input to a network", "[apps][kinds]") {
  const Sandbox sandbox;
  test::generate_shop(sandbox);
  const std::string job =
      "train --nodes people=shop/people.csv --edges people:buys:products=shop/purchases.csv --label people.churned "
      "--threads 1 --seed 1 --epochs 20 ";
  const Result trained = sandbox.run(job + "--model sage --inputs words --out m.safetensors --predictions p.csv");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --out q.csv").code == 0);
  CHECK(sandbox.read("q.csv") == sandbox.read("p.csv"));
  const Result chosen = sandbox.run(job + "--budget 10m");
  INFO(chosen.error);
  REQUIRE(chosen.code == 0);
  CHECK_THAT(chosen.out + chosen.error, Contains(" + words"));
  const Result baseline = sandbox.run(job + "--model boosted_trees --inputs words");
  CHECK(baseline.code == 2);
  CHECK_THAT(baseline.error, Contains("training.inputs: words: is for networks"));
  const Result links = sandbox.run(fmt::format(
      "train {}--task links --relation people:buys:products --model sage --inputs words", test::kShop));
  CHECK(links.code == 2);
  CHECK_THAT(links.error, Contains("training.inputs: words: is for labels of several kinds"));
}

namespace {

/// The shop in one table and one list.
void write_shop_in_columns(const Sandbox& sandbox) {
  std::string nodes = "id,type,age,churned,price\n", ties = "from,relation,to\n";
  for (int i = 0; i < 60; ++i)
    nodes += fmt::format("p{},person,{},{},\n", i, 20 + i % 40, i % 2 == 0 ? "yes" : "no");
  for (int i = 0; i < 10; ++i) nodes += fmt::format("q{},product,,,{}\n", i, i % 2 == 0 ? 5 + i : 50 + i);
  for (int i = 0; i < 60; ++i) {
    ties += fmt::format("p{},buys,q{}\np{},buys,q{}\n", i, (i % 2) + 2 * (i % 5), i, (i % 2) + 2 * ((i + 1) % 5));
    ties += fmt::format("p{},knows,p{}\n", i, (i + 7) % 60);
  }
  sandbox.write("nodes.csv", nodes);
  sandbox.write("ties.csv", ties);
}

constexpr const char* kInColumns = "--nodes nodes.csv --node-kind type --edges ties.csv --edge-kind relation ";

}  // namespace

TEST_CASE("kinds and relations are columns of one table and one list", "[apps][kinds]") {
  const Sandbox sandbox;
  write_shop_in_columns(sandbox);
  const Result inspected = sandbox.run(fmt::format("inspect {}--label churned", kInColumns));
  INFO(inspected.error);
  REQUIRE(inspected.code == 0);
  CHECK_THAT(inspected.out, Contains("70 nodes of 2 kinds, 180 edges of 2 relations") &&
                                Contains("person buys product") && Contains("person knows person") &&
                                Contains("product.price"));
  const Result trained = sandbox.run(fmt::format(
      "train {}--label churned --model rgcn --epochs 60 --threads 1 --out m.safetensors --json", kInColumns));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(json::parse(trained.out, "result").at("test").at("accuracy").at("mean").as_number() == 1);
  const Result without = sandbox.run(
      fmt::format("inspect {}--label person.churned --ignore price,person.age --categorical price", kInColumns));
  INFO(without.error);
  REQUIRE(without.code == 0);
  CHECK_THAT(without.out, !Contains("product.price"));
  // One relation is missing here, and keeps its weights.
  sandbox.write("new.csv", "id,type,age,price\nx,person,30,\ny,person,31,\nq,product,,7\n");
  sandbox.write("new-ties.csv", "relation,from,to\nbuys,x,q\n");
  const Result predicted =
      sandbox.run("predict m.safetensors --nodes new.csv --edges new-ties.csv --out new-people.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK(test::lines_of(sandbox.read("new-people.csv")) == 3);
  CHECK_THAT(sandbox.read("new-people.csv"), Contains("\nx,") && Contains("\ny,"));
  sandbox.write("new-ties.csv", "relation,from,to\nbuys,x,q\nhates,x,q\n");
  const Result unknown = sandbox.run("predict m.safetensors --nodes new.csv --edges new-ties.csv --out o.csv");
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.error,
             Contains("new-ties.csv:3: the model was not trained with the relation person:hates:product"));
}

TEST_CASE("kinds and relations are attributes of a graph file", "[apps][kinds]") {
  const Sandbox sandbox;
  write_shop_in_columns(sandbox);
  // The same network as GraphML.
  std::string graph =
      "<graphml><key id=\"t\" for=\"node\" attr.name=\"type\" attr.type=\"string\"/>"
      "<key id=\"a\" for=\"node\" attr.name=\"age\" attr.type=\"double\"/>"
      "<key id=\"c\" for=\"node\" attr.name=\"churned\" attr.type=\"string\"/>"
      "<key id=\"p\" for=\"node\" attr.name=\"price\" attr.type=\"double\"/>"
      "<key id=\"r\" for=\"edge\" attr.name=\"relation\" attr.type=\"string\"/><graph edgedefault=\"undirected\">\n";
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields(1);
    for (const char c : line) {
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    }
    return fields;
  };
  const auto each_row = [&](const char* file, const auto& use) {
    std::istringstream lines(sandbox.read(file));
    std::string line;
    std::getline(lines, line);
    const std::vector<std::string> header = fields_of(line);
    while (std::getline(lines, line)) use(header, fields_of(line));
  };
  each_row("nodes.csv", [&](const auto& header, const auto& row) {
    graph += fmt::format("<node id=\"{}\">", row[0]);
    for (std::size_t i = 1; i < row.size(); ++i)
      if (!row[i].empty() && std::string("type age churned price").find(header[i]) != std::string::npos)
        graph += fmt::format("<data key=\"{}\">{}</data>", header[i][0], row[i]);
    graph += "</node>\n";
  });
  each_row("ties.csv", [&](const auto& header, const auto& row) {
    const auto at = [&](const char* name) {
      return row[static_cast<std::size_t>(std::ranges::find(header, name) - header.begin())];
    };
    graph += fmt::format("<edge source=\"{}\" target=\"{}\"><data key=\"r\">{}</data></edge>\n", at("from"), at("to"),
                         at("relation"));
  });
  sandbox.write("shop.graphml", graph + "</graph></graphml>");
  const std::string job = "--node-kind type --edge-kind relation --label churned --model rgcn --epochs 20 --threads 1 ";
  const auto accuracy = [&](const std::string& files) {
    const Result trained = sandbox.run(fmt::format("train {} {} --out m.safetensors --json", files, job));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    return json::parse(trained.out, "result").at("test").at("accuracy").at("mean").as_number();
  };
  const double of_lists = accuracy("--nodes nodes.csv --edges ties.csv");
  CHECK(accuracy("--graph shop.graphml") == of_lists);
  CHECK(accuracy("--edges shop.graphml") == of_lists);
  const Result predicted = sandbox.run("predict m.safetensors --graph shop.graphml --out p.csv");
  INFO(predicted.error);
  CHECK(predicted.code == 0);
  const Result inspected =
      sandbox.run("inspect --graph shop.graphml --node-kind type --edge-kind relation --label churned");
  CHECK_THAT(inspected.out, Contains("70 nodes of 2 kinds, 180 edges of 2 relations") && Contains("product.price"));
  const auto refused = [&](const std::string& flags, int code, const std::string& expected) {
    const Result result = sandbox.run("train " + flags);
    INFO(flags << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(expected));
  };
  refused("--graph shop.graphml --node-kind nosuch --label churned", 3, "nosuch");
  refused("--graph shop.graphml --edge-kind nosuch --label churned", 3, "nosuch");
  refused("--graph shop.graphml --nodes nodes.csv --node-kind type --label churned", 2, "leave out the table");
  refused("--graph shop.graphml --node-kind type --edge-features relation --label churned", 2, "is for edge lists");
  graph.replace(graph.find("<data key=\"r\">buys</data>"), std::string("<data key=\"r\">buys</data>").size(), "");
  sandbox.write("gap.graphml", graph + "</graph></graphml>");
  refused("--graph gap.graphml --node-kind type --edge-kind relation --label churned", 3,
          "expected a kind, found none");
}

TEST_CASE("triples are edges with a relation", "[apps][kinds]") {
  const Sandbox sandbox;
  write_shop_in_columns(sandbox);
  const Result links = sandbox.run(
      "train --edges ties.csv --edge-kind relation --task links --relation node:buys:node --model resource_allocation "
      "--threads 1 --out m.safetensors");
  INFO(links.error);
  REQUIRE(links.code == 0);
  const Result suggested = sandbox.run("predict m.safetensors --top 2 --out s.csv");
  INFO(suggested.error);
  REQUIRE(suggested.code == 0);
  std::string ties = sandbox.read("ties.csv");
  ties.erase(0, ties.find('\n') + 1);
  sandbox.write("plain.csv", ties);
  const Result plain = sandbox.run("inspect --edges plain.csv --edge-kind 2");
  INFO(plain.error);
  REQUIRE(plain.code == 0);
  CHECK_THAT(plain.out, Contains("180 edges of 2 relations"));
}

TEST_CASE("what is odd about columns of kinds is one line", "[apps][kinds]") {
  const Sandbox sandbox;
  write_shop_in_columns(sandbox);
  const auto [flags, code, text] = GENERATE(table<std::string, int, std::string>({
      {"--nodes nodes.csv --node-kind nosuch --edges ties.csv", 3, "no column \"nosuch\""},
      {"--nodes nodes.csv --edges ties.csv --edge-kind nosuch --label churned", 3, "no column \"nosuch\""},
      {"--edges ties.csv --node-kind type", 2, "is a column of a table of nodes"},
      {"--nodes gap.csv --node-kind type --edges few.csv", 3,
       "gap.csv:3: column \"type\": expected a kind, found none"},
      {"--nodes nodes.csv --node-kind type --edges ties.csv --edge-kind relation --label id2", 2,
       "expected KIND.COLUMN"},
      {"--nodes both.csv --node-kind type --edges ties.csv --label age", 2, "say which is to be learnt, as person.age"},
      {"--nodes people=nodes.csv --edges people:buys:people=ties.csv --edge-kind relation", 2, "already name kinds"},
      {"--nodes nodes.csv --node-kind type --edges ties.csv --unknown-nodes add", 2, "has no kind"},
  }));
  std::string nodes = sandbox.read("nodes.csv");
  sandbox.write("both.csv", nodes + "r,product,3,,\n");
  sandbox.write("gap.csv", "id,type,age\np0,person,1\np1,,2\n");
  sandbox.write("few.csv", "from,to\np0,p1\n");
  CAPTURE(flags);
  const Result result = sandbox.run("train " + flags);
  INFO(result.error);
  CHECK(result.code == code);
  CHECK_THAT(result.error, Contains(text));
}

TEST_CASE("amounts of purchases say who leaves", "[apps][kinds]") {
  const Sandbox sandbox;
  std::string people = "id,age,churned\n", purchases = "person,product,amount,paid\n",
              list = "relation,from,to,amount\n";
  std::string table = "id,type,age,churned\n";
  for (int i = 0; i < 80; ++i) {
    people += fmt::format("p{},{},{}\n", i, 20 + i % 30, i % 4 < 2 ? "yes" : "no");
    table += fmt::format("p{},person,{},{}\n", i, 20 + i % 30, i % 4 < 2 ? "yes" : "no");
    for (int k = 0; k < 3; ++k) {
      const double amount = (i % 4 < 2 ? 5 : 50) + k;
      purchases += fmt::format("p{},q{},{},{}\n", i, (i * 7 + k) % 11, amount, k % 2 == 0 ? "cash" : "card");
      list += fmt::format("buys,p{},q{},{}\n", i, (i * 7 + k) % 11, amount);
    }
    list += fmt::format("knows,p{},p{},\n", i, (i + 3) % 80);
  }
  for (int q = 0; q < 11; ++q) table += fmt::format("q{},product,,\n", q);
  sandbox.write("people.csv", people);
  sandbox.write("purchases.csv", purchases);
  sandbox.write("nodes.csv", table);
  sandbox.write("ties.csv", list);
  const std::string model = GENERATE("neighbour_trees", "gatv2 --epochs 80 --learning-rate 0.02",
                                     "rgcn --epochs 80 --learning-rate 0.02", "rgat --epochs 150 --learning-rate 0.02",
                                     "hgt --epochs 80 --learning-rate 0.02");
  const bool is_one_list = GENERATE(false, true);
  const std::string files = is_one_list ? "--nodes nodes.csv --node-kind type --edges ties.csv --edge-kind relation "
                                        : "--nodes people=people.csv --edges people:buys:products=purchases.csv ";
  INFO(model << " " << files);
  const auto accuracy = [&](const std::string& flags) {
    const Result trained =
        sandbox.run(fmt::format("train {}--label {} --threads 1 --model {} --out m.safetensors --json {}", files,
                                is_one_list ? "churned" : "people.churned", model, flags));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.error, !Contains("does not use them"));
    return trained.json().at("test").at("accuracy").at("mean").as_number();
  };
  CHECK(accuracy("") < 0.9);
  CHECK(accuracy("--edge-features amount") == 1);
  const Result predicted = sandbox.run("predict m.safetensors --out p.csv");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK(test::lines_of(sandbox.read("p.csv")) == 81);
  if (is_one_list) return;
  sandbox.write("new.csv", "person,product,amount\np1,q1,5000\np2,q2,6\n");
  const Result other = sandbox.run("predict m.safetensors --edges people:buys:products=new.csv --out o.csv");
  CHECK(other.code == 0);
  CHECK_THAT(other.error, Contains("1 value is far outside of those in training") && Contains("from \"p1\" to \"q1\""));
  const Result without = sandbox.run(
      "predict m.safetensors --nodes people=people.csv --edges people:buys:products=people.csv --out o.csv");
  CHECK(without.code != 0);
}
