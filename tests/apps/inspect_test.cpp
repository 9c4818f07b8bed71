#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

TEST_CASE("inspect reports when one text makes a numeric column categorical", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("people.csv", "id,age\np0,31\np1,inf\np2,40\np3,50\n");
  sandbox.write("friends.csv", "p0,p1\np2,p3\n");
  CHECK_THAT(sandbox.run("inspect --edges friends.csv --nodes people.csv").out,
             Contains("3 of its 4 different values are numbers, but \"inf\" is not"));
}

TEST_CASE("inspect shows what is in the files and what looks wrong", "[apps][inspect]") {
  const Sandbox sandbox;
  const json::Value seen = sandbox.run("inspect " + std::string(Sandbox::kFiles) + "--label buys --json").json();
  CHECK(seen.at("graph").at("nodes") == json::Value(80));
  CHECK(seen.at("columns").as_array().size() == 3);
  CHECK(seen.at("labels").at("yes") == json::Value(40));
  sandbox.write("lonely.csv", "source,target\na,b\nb,a\nc,c\n");
  const Result lonely = sandbox.run("inspect --edges lonely.csv");
  CHECK_THAT(lonely.out, Contains("is listed in both directions"));
  CHECK_THAT(lonely.out, Contains("1 edge is a self loop"));
  CHECK_THAT(lonely.out, Contains("1 node (33.3 %) has no edge to another node: it sees only itself"));
}

TEST_CASE("inspect diagnoses labels from which nothing can be learnt", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("p.csv", "id,age,one,none,five\np0,31,yes,,5\np1,32,yes,,5\np2,40,,,5\n");
  sandbox.write("e.csv", "source,target\np0,p1\np1,p2\n");
  const auto check = [&](const std::string& flags, const std::string& warning) {
    INFO(flags);
    const Result result = sandbox.run("inspect --edges e.csv --nodes p.csv " + flags);
    CHECK(result.code == 0);
    CHECK_THAT(result.out, Contains("columns of the table:") && Contains(warning));
    CHECK(sandbox.run("train --edges e.csv --nodes p.csv --model mlp " + flags).code == 3);
  };
  check("--label one", "every label is \"yes\": there is nothing to learn");
  check("--label five", "every label is \"5\": there is nothing to learn");
  check("--label none", "there is no value in column \"none\", so there is nothing to learn");
  for (const auto& [label, message] :
       {std::pair{"nope", "p.csv: no column \"nope\"; the columns are \"age\", \"one\", \"none\", \"five\""},
        {"id", "p.csv: the column \"id\" holds the names of the nodes"}}) {
    const Result result = sandbox.run(std::string("inspect --edges e.csv --nodes p.csv --label ") + label);
    CHECK(result.code == 3);
    test::check_one_line(result);
    CHECK_THAT(result.error, Contains(message));
  }
  CHECK_THAT(sandbox.run("inspect --edges e.csv --nodes p.csv --label five --task regression").out,
             Contains("every value of \"five\" is 5: there is nothing to learn"));
  CHECK_THAT(
      sandbox.run("train --edges e.csv --nodes p.csv --label five --task regression --model mlp --epochs 1").error,
      Contains("every value of \"five\" is 5: there is nothing to learn"));
}

TEST_CASE("inspect reports homophily and suggests models", "[apps][inspect]") {
  const Sandbox sandbox;
  const std::string command = "inspect " + std::string(Sandbox::kFiles) + "--label buys ";
  const json::Value object = sandbox.run(command + "--json").json();
  const json::Value& homophily = object.at("homophily");
  CHECK(homophily.at("edge").as_number() > 0.9);
  CHECK(homophily.at("adjusted").as_number() > 0.8);
  CHECK_THAT(sandbox.run(command).out, Contains("pairs of neighbours have the same label, adjusted 0.") &&
                                           Contains("neighbours mostly agree"));
  CHECK(sandbox.run("inspect " + std::string(Sandbox::kFiles) + "--json").json().find("homophily") == nullptr);
}

TEST_CASE("tables without rows and columns without values are called so", "[apps][inspect][errors]") {
  const Sandbox sandbox;
  sandbox.write("header.csv", "id,age,buys\n");
  sandbox.write("none.csv", "source,target\n");
  const std::string files = "--edges none.csv --nodes header.csv ";
  const std::string message = "header.csv: has a header and no rows";
  const Result trained = sandbox.run("train --label buys " + files);
  CHECK(trained.code == 3);
  CHECK(trained.error == "edgewise: " + message + "\n");
  const Result inspected = sandbox.run("inspect " + files);
  CHECK(inspected.code == 0);
  CHECK_THAT(inspected.out, Contains(message) && !Contains("column \"age\""));
  sandbox.write("edges.csv", "source,target\np0,p1\n");
  CHECK(sandbox.run("train --label buys --edges edges.csv --nodes header.csv").error == "edgewise: " + message + "\n");
  sandbox.write("names.csv", "id\np0\np1\n");
  CHECK_THAT(sandbox.run("train --label buys --edges none.csv --nodes names.csv").error,
             Contains("names.csv: no column \"buys\"; there are no further columns"));

  sandbox.write("gaps.csv", "id,age,city\np0,,Rome\np1,NA,Oslo\n");
  const std::string command = "inspect --edges none.csv --nodes gaps.csv ";
  CHECK_THAT(sandbox.run(command).out,
             Contains("  age                     empty\n") && Contains("column \"age\" is empty and not used"));
  CHECK(sandbox.run(command + "--json").json().at("columns").as_array()[0].at("type") == json::Value("empty"));
}

TEST_CASE("codes that are taken as numbers are noted, and refused if they would be mixed up", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "a,b\n0,1\n1,2\n2,3\n");
  sandbox.write("p.csv", "id,zip code,kind\n0,02134,16777216\n1,10001,16777217\n2,10001,16777216\n3,2,16777217\n");
  const std::string files = " --edges e.csv --nodes p.csv ";
  const std::string zeros =
      "column \"zip code\" is taken as numbers, without leading zeros as in 02134: for codes, use --categorical "
      "\"zip code\"";
  CHECK_THAT(sandbox.run("inspect" + files).out, Contains(zeros) && !Contains("column \"kind\" is taken"));
  CHECK_THAT(sandbox.run("inspect" + files + "--categorical 'zip code'").out, !Contains("leading zeros"));
  const Result mixed = sandbox.run("train --label kind" + files);
  CHECK(mixed.code == 3);
  CHECK(mixed.error ==
        "edgewise: p.csv: column \"kind\": 16777217 has more digits than a number keeps, so that classes would be "
        "mixed up; name the column in --categorical\n");
  CHECK_THAT(sandbox.run("inspect --label kind --categorical kind" + files).out, Contains("  16777217 "));
  const Result close = sandbox.run("inspect --label kind --task regression" + files);
  CHECK(close.code == 3);
  CHECK_THAT(close.error, Contains("column \"kind\": the values differ only beyond the seven digits"));
}

TEST_CASE("codes in a graph file are categories if one says so", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("g.json", R"({"nodes": [{"id": "a", "zip": "02134"}, {"id": "b", "zip": "10001"}],
                              "links": [{"source": "a", "target": "b"}]})");
  sandbox.write("g.gml", "graph [ node [ id 0 zip 2134 ] node [ id 1 zip 10001 ] edge [ source 0 target 1 ] ]");
  for (const std::string file : {"g.json", "g.gml"}) {
    INFO(file);
    CHECK_THAT(sandbox.run("inspect --categorical zip --graph " + file).out, Contains("categorical, 2 categories"));
    CHECK_THAT(sandbox.run("inspect --categorical zap --graph " + file).error, Contains("no column \"zap\""));
  }
  CHECK_THAT(sandbox.run("inspect --graph g.gml").out, Contains("numeric, 2134 to 10001"));
}

TEST_CASE("row numbers that are taken for names of nodes are noted", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "a,b\n0,1\n1,2\n2,3\n");
  sandbox.write("p.csv", ",person,age,buys\n0,3,31,yes\n1,2,32,no\n2,1,33,yes\n3,0,34,no\n");
  const std::string message =
      "the names of nodes are the row numbers in the column \"column 1\", but \"person\" holds all names in use, too, "
      "in other rows: --id says which column names the nodes";
  const std::string files = "--edges e.csv --nodes p.csv --label buys ";
  CHECK_THAT(sandbox.run("inspect " + files).out, Contains(message) && !Contains("\"age\" holds"));
  CHECK_THAT(sandbox.run("inspect " + files + "--id person").out, !Contains("--id says"));
  CHECK_THAT(sandbox.run("inspect " + files + "--id 1").out, !Contains("--id says"));
  CHECK_THAT(sandbox.run("train " + files + "--model mlp --epochs 1").error, Contains(message));
}

TEST_CASE("of many classes ten are shown, in time proportional to them", "[apps][inspect]") {
  const Sandbox sandbox;
  constexpr int kClasses = 40'000;
  std::string nodes = "id,y\nn,c7\n";
  for (int i = 0; i < kClasses; ++i) nodes += fmt::format("{0},c{0}\n", i);
  sandbox.write("e.csv", "source,target\n0,1\n");
  sandbox.write("n.csv", nodes);
  const std::string command = "inspect --edges e.csv --nodes n.csv --label y ";
  const std::string text = sandbox.run(command).out;
  CHECK_THAT(text, Contains("labels, the most frequent of 40000:\n  c7 ") && Contains("\n  and 39990 more\n") &&
                       Contains("\n  - and 39990 more labels: fewer than 5 items each"));
  CHECK(std::ranges::count(text, '\n') < 60);
  CHECK(sandbox.run(command + "--json").json().at("labels").as_object().size() == kClasses);
}

#ifndef __SANITIZE_ADDRESS__  // it takes memory of its own
TEST_CASE("a wide table takes as much memory as is documented", "[apps][inspect]") {
  const Sandbox sandbox;
  constexpr int kColumns = 200'000;
  std::string header = "id", row = "a";
  for (int i = 0; i < kColumns; ++i) {
    header += fmt::format(",{:x}", i);
    row += ",1";
  }
  sandbox.write("e.csv", "source,target\na,a\n");
  sandbox.write("n.csv", header + '\n' + row + '\n');
  sandbox.write("few.csv", "id,x\na,1\n");
  const auto peak = [&](const std::string& nodes) {
    return sandbox.run("inspect --edges e.csv --json --nodes " + nodes).json().at("peak_rss_mib").as_number();
  };
  const double mebibytes = static_cast<double>(header.size() + row.size()) / (1 << 20);
  CHECK(peak("n.csv") - peak("few.csv") < 64 + 64 * mebibytes);
  const json::Value seen = sandbox.run("inspect --edges e.csv --json --nodes n.csv").json();
  CHECK(seen.at("columns").as_array().size() == 10'000);
  CHECK(seen.at("columns_left_out") == json::Value(kColumns - 10'000));
  CHECK_THAT(sandbox.run("inspect --edges e.csv --nodes n.csv").out,
             Contains("\n  and 199900 more\n") && Contains("and 199900 more warnings on columns"));
}
#endif

TEST_CASE("columns of edges are warned of as those of nodes are", "[apps][inspect]") {
  const Sandbox sandbox;
  std::string edges = "source,target,when,kind,amount,ticket,order\n";
  for (int i = 0; i < 40; ++i)
    edges += fmt::format("{},{},2024-{:02}-{:02},follows,\"1,{}\",t-{},{}\n", i % 20, (i * 7 + 1) % 20, 1 + i % 12,
                         1 + i % 28, 10 + i, i, i);
  std::string nodes = "id,reads\n";
  for (int i = 0; i < 20; ++i) nodes += fmt::format("{},{}\n", i, i % 2);
  sandbox.write("e.csv", edges);
  sandbox.write("n.csv", nodes);
  const std::string data = "--edges e.csv --nodes n.csv --edge-features when,kind,amount,ticket,order ";
  const std::string warnings[] = {
      "column \"when\" is taken as categories: its values look like dates; convert them to numbers (a year, days "
      "since) or leave the column out of --edge-features",
      "column \"kind\" has the same value everywhere and carries no information",
      "column \"amount\" is taken as categories: its values look like numbers with a decimal comma",
      "column \"ticket\" has 40 different texts for 40 edges: a name rather than a category? leave it out of "
      "--edge-features",
      "column \"order\" numbers the rows: a row number says nothing about the edge"};
  const std::string seen = sandbox.run("inspect " + data).out;
  const std::string trained = sandbox.run("train --label reads --model gat --epochs 1 " + data).error;
  for (const std::string& warning : warnings) {
    CHECK_THAT(seen, Contains(warning));
    CHECK_THAT(trained, Contains(warning));
  }
}

TEST_CASE("cells with several labels are noted", "[apps][inspect]") {
  const Sandbox sandbox;
  sandbox.write("e.csv", "source,target\n0,1\n1,2\n");
  std::string nodes = "id,genre\n";
  const char* genres[] = {"rock|pop|jazz", "rock", "pop", "", "pop|jazz"};
  for (int i = 0; i < 30; ++i) nodes += fmt::format("{},{}\n", i, genres[i % 5]);
  sandbox.write("n.csv", nodes);
  const std::string files = "--edges e.csv --nodes n.csv --label genre ";
  const std::string hint = "its values look like lists, such as \"pop|jazz\", and each different list is a class";
  CHECK_THAT(sandbox.run("inspect " + files).out, Contains(hint));
  CHECK_THAT(sandbox.run("train --model mlp --epochs 1 " + files).error, Contains(hint));
}

TEST_CASE("characters that hide or reorder others do not reach the terminal", "[apps][inspect]") {
  const Sandbox sandbox;
  const std::string name = "ab\u202efdp", shown = "ab\\xe2\\x80\\xaefdp", column = "x\u200by";
  sandbox.write("e.csv", "source,target\n" + name + ",b\n" + name + ",c\nc,d\nd,b\n");
  sandbox.write("n.csv", "id," + column + ",y\n" + name + ",1,p\u2066\nb,2,q\nc,1,p\u2066\nd,2,q\n");
  const std::string files = "--edges e.csv --nodes n.csv --label y ";
  const Result text = sandbox.run("inspect " + files);
  CHECK_THAT(text.out,
             Contains("(node \"" + shown + "\")") && !Contains(name) && !Contains(column) && !Contains("\u2066"));
  const Result json = sandbox.run("inspect --json " + files);
  CHECK_THAT(json.out, Contains("ab\\u202efdp") && !Contains("\u2066"));
  CHECK(json.json().at("graph").at("degree").at("largest_node") == json::Value(name));
  const Result refused = sandbox.run("train --edges e.csv --nodes n.csv --label " + column + "z");
  CHECK_THAT(refused.error, Contains("no column \"x\\xe2\\x80\\x8byz\"") && !Contains("\u200b"));
  REQUIRE(sandbox.run("train --model mlp --epochs 1 --hidden 4 --split random --predictions p.csv " + files).code == 0);
  CHECK_THAT(sandbox.read("p.csv"), Contains("\n" + name + ","));  // files keep what the user wrote
}
