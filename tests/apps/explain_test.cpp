// explain by deletion on the command line; what attention shows is tested beside its data and masks.

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"

using namespace edgewise;
using namespace edgewise::test;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

/// The parts of an answer of this kind.
std::vector<json::Value> parts_of(const json::Value& answer, const std::string& kind) {
  std::vector<json::Value> parts;
  for (const json::Value& part : answer.at("parts").as_array())
    if (part.at("kind").as_string() == kind) parts.push_back(part);
  return parts;
}

/// Alcohols and amines; the value is the number of oxygens.
void write_chains_with_ends(const Sandbox& sandbox) {
  std::string table = "smiles,oxygens\n";
  for (const char* chain : {"C", "CC", "CCC", "CCCC", "C(C)C", "CCCCC"})
    for (const auto& [end, count] : {std::pair{"O", 1}, {"N", 0}, {"OCO", 2}})
      table += fmt::format("{}{},{}\n", chain, end, count);
  sandbox.write("alcohols.csv", table);
}

}  // namespace

TEST_CASE("a node is explained by what deletion changes", "[apps][explain]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --out m.safetensors").code == 0);
  const Result plain = sandbox.run("explain m.safetensors --node p3 --top 2");
  INFO(plain.error);
  REQUIRE(plain.code == 0);
  CHECK_THAT(plain.out, StartsWith("p3: {") && Contains(", known: no\neffect on the probability of "));
  CHECK_THAT(plain.out, Contains("without it ") && Contains("\n  ... and "));
  const json::Value answer = sandbox.run("explain m.safetensors --node p3 --of yes --out e.csv --json").json();
  CHECK(answer.at("by") == json::Value("deletion"));
  CHECK(answer.at("of") == json::Value("yes"));
  CHECK(answer.at("value").as_number() == Approx(answer.at("prediction").at("yes").as_number()));
  CHECK(parts_of(answer, "feature").size() == 2);
  for (const json::Value& part : parts_of(answer, "neighbour"))
    CHECK(part.at("effect").as_number() ==
          Approx(answer.at("value").as_number() - part.at("without").as_number()).margin(1e-6));
  CHECK_THAT(sandbox.read("e.csv"), StartsWith("kind,part,nodes,effect,without,rest\nneighbour,p"));
  CHECK(lines_of(sandbox.read("e.csv")) == 1 + answer.at("parts").as_array().size());
  REQUIRE(sandbox.run("explain m.safetensors --node p3 --out e.jsonl").code == 0);
  CHECK(json::parse(sandbox.read("e.jsonl").substr(0, sandbox.read("e.jsonl").find('\n')), "e").at("kind") ==
        json::Value("neighbour"));
}

TEST_CASE("a molecule is explained by its atoms, bonds and side groups, and drawn", "[apps][explain][molecules]") {
  const Sandbox sandbox;
  write_chains_with_ends(sandbox);
  const Result trained =
      sandbox.run("train --molecules alcohols.csv --target oxygens --task regression --model gatv2 --hidden 8 "
                  "--heads 2 --layers 2 --epochs 3 --split random --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result explained = sandbox.run("explain m.safetensors --row 4 --out m.svg --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  const json::Value answer = explained.json();
  CHECK(answer.at("smiles") == json::Value("CCO"));
  CHECK(answer.at("known") == json::Value("1"));
  CHECK(parts_of(answer, "atom").size() == 3);
  CHECK(parts_of(answer, "bond").size() == 2);
  const std::vector<json::Value> groups = parts_of(answer, "side group");
  REQUIRE(groups.size() == 2);
  CHECK(groups[1].at("rest") == json::Value("CC"));
  sandbox.write("rest.csv", "smiles\nCC\n");
  REQUIRE(sandbox.run("predict m.safetensors --molecules rest.csv --out p.csv").code == 0);
  const std::string predicted = sandbox.read("p.csv");
  CHECK(groups[1].at("without").as_number() ==
        Approx(std::stod(predicted.substr(predicted.find("1,CC,") + 5))).epsilon(1e-4));
  CHECK_THAT(sandbox.read("m.svg"), Contains(">row 4, CCO</text>") && Contains(">oxygens: ") && Contains("known: 1") &&
                                        Contains("raises it by ") && Contains("effect of atoms and bonds on oxygens"));
  REQUIRE(sandbox.run("explain m.safetensors --row 4 --by attention --out a.svg").code == 0);
  CHECK_THAT(sandbox.read("a.svg"), Contains("attention, which has no sign and no unit") && Contains("row 4, CCO"));
  const Result measured = sandbox.run("explain m.safetensors --faithfulness 4");
  INFO(measured.error);
  CHECK(measured.code == 0);
  CHECK_THAT(measured.out, Contains("prediction moves by") && Contains("chosen by deletion") &&
                               Contains("chosen by attention") && Contains("at random"));
}

TEST_CASE("hostile names are escaped in pictures", "[apps][explain][molecules]") {
  const Sandbox sandbox;
  write_chains_with_ends(sandbox);
  std::string table = sandbox.read("alcohols.csv");
  table.replace(0, table.find('\n'), "smiles,</svg><script>x&y</script>");
  sandbox.write("hostile.csv", table);
  const Result trained = sandbox.run(
      "train --molecules hostile.csv --target '</svg><script>x&y</script>' --task regression --model gatv2 --hidden 8 "
      "--heads 2 --epochs 1 --split random --out m.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  REQUIRE(sandbox.run("explain m.safetensors --row 4 --out m.svg").code == 0);
  CHECK_THAT(sandbox.read("m.svg"), !Contains("<script") && Contains("&lt;script&gt;x&amp;y"));
}

TEST_CASE("averages and ensembles are explained as they predict", "[apps][explain]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --ensemble 2 --epochs 3 --out m.safetensors --predictions p.csv").code == 0);
  const Result explained = sandbox.run("explain m.safetensors --node p3 --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  CHECK_THAT(explained.error, !Contains("only the first"));
  const std::string rows = sandbox.read("p.csv");
  std::string row = rows.substr(rows.find("\np3,") + 4);
  row = row.substr(row.find(',') + 1);
  CHECK(explained.json().at("prediction").at("no").as_number() == Approx(std::stod(row)).epsilon(1e-4));
}

TEST_CASE("words and pixels are explained by deletion", "[apps][explain][collections]") {
  const Sandbox sandbox;
  sandbox.write("texts.csv", "text,mood\na good plot,up\na bad plot,down\ngood,up\nbad,down\nso good,up\nso bad,down\n"
                             "a good one,up\na bad one,down\n");
  const Result trained =
      sandbox.run("train --texts texts.csv --label mood --model attention --hidden 8 --heads 2 --epochs 2 "
                  "--split random --out t.safetensors");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const Result explained = sandbox.run("explain t.safetensors --row 1 --json");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  const std::vector<json::Value> words = parts_of(explained.json(), "node");
  REQUIRE(words.size() == 3);
  CHECK(words[1].at("part") == json::Value("1:2 good"));
  CHECK(sandbox.run("explain t.safetensors --row 1 --out m.svg").code == 2);
}

TEST_CASE("a node is drawn with its neighbours and features", "[apps][explain]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --epochs 1 --out m.safetensors").code == 0);
  CHECK(sandbox.run("explain m.safetensors --node p3 --out p3.svg").code == 0);
  const std::string picture = sandbox.read("p3.svg");
  CHECK_THAT(picture, Contains("<title>what the neighbours of p3 add</title>") && Contains(">p3</text>"));
  CHECK_THAT(picture, Contains("feature ") && Contains("raises it by 0.25"));
}

TEST_CASE("questions that do not go together are refused", "[apps][explain]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --epochs 1 --out m.safetensors").code == 0);
  const auto refused = [&](const std::string& arguments, const char* why) {
    const Result result = sandbox.run("explain m.safetensors " + arguments);
    INFO(arguments);
    CHECK(result.code == 2);
    check_one_line(result);
    CHECK_THAT(result.error, Contains(why));
  };
  refused("--node p3 --by magic", "--by: expected deletion or attention");
  refused("--by deletion --out a.csv", "name a node (--node)");
  refused("--node p3 --by attention --of yes", "--of: attention is the same for all outputs");
  refused("--node p3 --by deletion --mask edges", "--mask: is for attention");
  refused("--node p3 --of maybe", "--of: the model predicts nothing called \"maybe\"");
  refused("--node p3 --out a.graphml", "effects are written as .csv or .jsonl");
  refused("--node p3 --faithfulness 3", "--faithfulness: measures many items");
  refused("--row 3", "the data has nodes with names; use --node");
}
