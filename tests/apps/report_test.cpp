#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "apps/sandbox.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::Sandbox;

namespace {

using Tree = boost::property_tree::ptree;

const std::string kPlain = std::string(Sandbox::kFiles) + "--label buys --epochs 9 ";

/// The elements with this name, at any depth.
std::vector<const Tree*> elements(const Tree& tree, const std::string& name) {
  std::vector<const Tree*> found;
  for (const auto& [key, child] : tree) {
    if (key == name) found.push_back(&child);
    for (const Tree* inner : elements(child, name)) found.push_back(inner);
  }
  return found;
}

std::string attribute(const Tree& element, const std::string& name) {
  return element.get<std::string>("<xmlattr>." + name, "");
}

/// Checks what holds for every page, and returns its text.
std::string check_page(const Sandbox& sandbox, const std::string& name) {
  CAPTURE(name);
  const std::string page = sandbox.read(name);
  REQUIRE_THAT(page, StartsWith("<!DOCTYPE html>"));
  Tree tree;
  std::istringstream in(page);
  REQUIRE_NOTHROW(boost::property_tree::read_xml(in, tree));
  for (const char* active : {"script", "link", "img", "iframe", "image", "use", "a"})
    CHECK(elements(tree, active).empty());
  for (const Tree* svg : elements(tree, "svg")) {
    CHECK(attribute(*svg, "role") == "img");
    CHECK(attribute(*svg, "aria-label").find(". ") != std::string::npos);
  }
  const std::string own = std::regex_replace(page, std::regex("xmlns=\"http://[^\"]*\""), "");
  CHECK_THAT(own, !Contains("http:") && !Contains("https:") && !Contains("url(") && !Contains("@import"));
  CHECK_THAT(page, Contains("class=\"answer\">") && !Contains(">nan<") && !Contains("NaN"));
  CHECK(page.size() < 1'000'000);
  return page;
}

/// The drawing of the map on a page.
std::string map_of(const std::string& page) {
  const std::size_t begin = page.find("<svg viewBox=\"0 0 720");
  REQUIRE(begin != std::string::npos);
  return page.substr(begin, page.find("</svg>", begin) - begin);
}

/// A metric as pages and texts show it.
std::string shown(double value) { return fmt::format("{:.4f}", value); }

}  // namespace

TEST_CASE("train writes everything about a run on one page", "[apps][report]") {
  const Sandbox sandbox;
  const Result result = sandbox.train("--model gat --out m.safetensors --report r.html --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = result.json();
  CHECK(object.at("report") == json::Value("r.html"));
  const std::string page = check_page(sandbox, "r.html");
  const double accuracy = object.at("test").at("accuracy").at("mean").as_number();
  CHECK_THAT(page, Contains("class=\"answer\">gat has accuracy " + shown(accuracy) + " on the "));
  CHECK_THAT(page, Contains("always answering &quot;"));
  for (const char* part : {"ROC curve", "Precision and recall", "Reliability: expected calibration error",
                           "Confusion matrix", "Map of the nodes: predicted class",
                           "Loss of gat", "accuracy on the validation items", "The data",
                           "To make it again", "<dt>instructions</dt>", "<dt>version</dt>",
                           "&quot;preset&quot;: &quot;gat&quot;"})
    CHECK_THAT(page, Contains(part));
  CHECK_THAT(page, Contains("--label buys") && Contains("--report r.html"));

  const json::Value evaluated = sandbox.run("evaluate m.safetensors --report e.html --json").json();
  const std::string evaluation = check_page(sandbox, "e.html");
  const double error = evaluated.at("expected_calibration_error").as_number();
  CHECK((error >= 0 && error <= 1));
  CHECK_THAT(evaluation, Contains("m.safetensors has accuracy " + shown(accuracy)));
  CHECK(map_of(page) == map_of(evaluation));
  for (const std::string* text : {&page, &evaluation})
    CHECK_THAT(*text, Contains("expected calibration error " + shown(error)));
  CHECK_THAT(sandbox.run("evaluate m.safetensors").out, Contains("expected_calibration_error  " + shown(error)));

  CHECK(sandbox.run("predict m.safetensors --out p.csv --report p.html").code == 0);
  CHECK_THAT(check_page(sandbox, "p.html"), Contains("80 nodes are predicted: ") && Contains("Least sure"));
  CHECK(sandbox.run("predict m.safetensors --only-unknown --out - --report u.html").code == 0);
  CHECK_THAT(check_page(sandbox, "u.html"), Contains("8 nodes are predicted: "));
}

TEST_CASE("the page of a choice shows all models that were tried", "[apps][report]") {
  const Sandbox sandbox;
  const Result result = sandbox.run("train " + kPlain + "--model auto --runs 2 --report r.html --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const std::string page = check_page(sandbox, "r.html");
  CHECK_THAT(page, Contains("Models tried") && Contains("mean over 2 runs") && Contains("The charts are of run "));
  const json::Value object = result.json();
  for (const json::Value& model : object.at("choice").at("models").as_array())
    CHECK_THAT(page, Contains("<th class=\"text\" scope=\"row\">" + model.at("model").as_string() + "</th>"));
}

TEST_CASE("a baseline without epochs has a page, too", "[apps][report]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("train " + kPlain + "--model label_propagation --report r.html").code == 0);
  const std::string page = check_page(sandbox, "r.html");
  CHECK_THAT(page, Contains("ROC curve") && Contains("class=\"ties\"") && !Contains("Loss of"));
}

TEST_CASE("a model of descriptors that only it asks for has a page with a map", "[apps][report][molecules]") {
  const Sandbox sandbox;
  std::string molecules = "smiles,length\n";
  for (std::size_t carbons = 1; carbons <= 30; ++carbons)
    molecules += fmt::format("{}O,{}\n", std::string(carbons, 'C'), carbons);
  sandbox.write("alcohols.csv", molecules);
  for (const std::string model : {"descriptors", "boosted_trees", "random_forest"}) {
    const Result result =
        sandbox.run("train --molecules alcohols.csv --target length --report r.html --model " + model);
    INFO(result.error);
    REQUIRE(result.code == 0);
    CHECK_THAT(check_page(sandbox, "r.html"), Contains("length: predicted and true"));
  }
}

TEST_CASE("the answer says if there is nothing to judge by", "[apps][report]") {
  const Sandbox sandbox;
  const std::string train = "train " + kPlain + "--model mlp --split random --report r.html ";
  REQUIRE(sandbox.run(train + "--train-share 0.5 --validation-share 0.5").code == 0);
  CHECK_THAT(check_page(sandbox, "r.html"), Contains("validation nodes: ") && Contains("There are no test items: "));
  REQUIRE(sandbox.run(train + "--train-share 1 --validation-share 0").code == 0);
  CHECK_THAT(check_page(sandbox, "r.html"), Contains("so nothing says how good it is.") && !Contains("ROC curve"));
}

TEST_CASE("the page of a resumed training says so", "[apps][report]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("train " + kPlain + "--model mlp --checkpoint c --epochs 5").code == 0);
  REQUIRE(sandbox.run("train --resume c --epochs 9 --report r.html").code == 0);
  CHECK_THAT(check_page(sandbox, "r.html"), Contains("Training was resumed at epoch 6.") && Contains("ROC curve"));
}

TEST_CASE("numbers are shown beside the truth, with the largest errors named", "[apps][report]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("train --edges friends.csv --nodes people.csv --label age --task regression --model mlp "
                      "--epochs 20 --out m.safetensors --report r.html")
              .code == 0);
  const std::string page = check_page(sandbox, "r.html");
  CHECK_THAT(page, Contains("age: predicted and true") && Contains("the 10 largest errors") && Contains("<title>p"));
  CHECK_THAT(page, Contains("always answering the mean") && !Contains("calibration"));
  const Result evaluated = sandbox.run("evaluate m.safetensors --report e.html --json");
  CHECK(evaluated.json().find("expected_calibration_error") == nullptr);
  check_page(sandbox, "e.html");
  REQUIRE(sandbox.run("predict m.safetensors --report p.html").code == 0);
  CHECK_THAT(check_page(sandbox, "p.html"), Contains("Predicted age"));
}

TEST_CASE("predict draws a map", "[apps][report][predict]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.train("--model gat --out m.safetensors").code == 0);
  const Result result = sandbox.run("predict m.safetensors --map all.svg --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(result.json().at("map") == json::Value("all.svg"));
  CHECK(result.json().find("embeddings") == nullptr);
  const std::string map = sandbox.read("all.svg");
  CHECK_THAT(map, StartsWith("<svg ") && Contains("<style>") && Contains("of the 72 items with a known label"));
  REQUIRE(sandbox.run("predict m.safetensors --threads 2 --map again.svg").code == 0);
  CHECK(sandbox.read("again.svg") == map);
  REQUIRE(sandbox.run("predict m.safetensors --only-unknown --map some.svg").code == 0);
  CHECK_THAT(sandbox.read("some.svg"), Contains("class=\"mark other\"") && !Contains("class=\"ring\""));
  const Result wrong = sandbox.run("predict m.safetensors --map map.png");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.error, Contains("--map: expected a file name ending in .svg, got \"map.png\""));
}

TEST_CASE("a map of molecules shows what is alike to the model", "[apps][report][molecules]") {
  const Sandbox sandbox;
  sandbox.write("m.csv", "smiles,y\nC,1.5\nCC,2.5\nCCC,3.5\nnone,9\nCCCC,4\nCO,2\nCCO,3\nCN,2\n<b>,7\n");
  const Result trained = sandbox.run(
      "train --molecules m.csv --target y --task regression --model gatv2 --epochs 2 --split random "
      "--out m.safetensors --report r.html");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(check_page(sandbox, "r.html"),
             Contains("Map of the molecules: predicted y") && Contains("<title>1 C: y "));
  REQUIRE(sandbox.run("predict m.safetensors --map map.svg --embeddings e.csv").code == 0);
  const std::string map = sandbox.read("map.svg");
  CHECK_THAT(map, Contains("<title>3 CCC: y ") && !Contains("<title>4 ") && !Contains("<b>"));
  CHECK_THAT(map, !Contains("class=\"ties\""));
}

TEST_CASE("comparisons and searches have pages", "[apps][report]") {
  const Sandbox sandbox;
  const std::string flags = kPlain + "--runs 2 ";
  const Result compared = sandbox.run("compare " + flags + "--models mlp,sage --report c.html --json");
  INFO(compared.error);
  REQUIRE(compared.code == 0);
  const std::string page = check_page(sandbox, "c.html");
  CHECK_THAT(page, Contains(compared.json().at("best").as_string() + " is the best of 2 models"));
  CHECK_THAT(page, Contains("accuracy on the validation and test items"));
  REQUIRE(sandbox.run("compare " + flags + "--models mlp,sage --shares 0.5,1 --report s.html").code == 0);
  CHECK_THAT(check_page(sandbox, "s.html"), Contains("The best with 50 % of the training items is "));
  const Result tuned = sandbox.run("tune " + flags + "--models mlp,sage --brackets 1 --report t.html --json");
  INFO(tuned.error);
  REQUIRE(tuned.code == 0);
  const std::string best = shown(tuned.json().at("best").at("validation").as_number());
  CHECK_THAT(check_page(sandbox, "t.html"),
             Contains("has accuracy " + best) && Contains("no drawn settings were better"));
}

TEST_CASE("names cannot change a page", "[apps][report]") {
  const Sandbox sandbox;
  const std::vector<std::string> names = {"<b onclick=x>yes</b>", "\"no\" & 'never' \xe2\x80\xae" "gnihton"};
  std::string nodes = "id,x,\"<i>answer</i>\"\n", edges = "a,b\n";
  for (int i = 0; i < 60; ++i) {
    std::string name = names[static_cast<std::size_t>(i % 2)];
    for (std::size_t at = 0; (at = name.find('"', at)) != std::string::npos; at += 2) name.insert(at, 1, '"');
    nodes += fmt::format("<u>{}</u>,{},\"{}\"\n", i, i % 2, name);
    edges += fmt::format("<u>{}</u>,<u>{}</u>\n", i, (i + 2) % 60);
  }
  sandbox.write("<n>.csv", nodes);
  sandbox.write("e.csv", edges);
  const Result result = sandbox.run("train --edges e.csv --nodes '<n>.csv' --label '<i>answer</i>' --model sage "
                                    "--epochs 5 --out m.safetensors --report r.html");
  INFO(result.error);
  REQUIRE(result.code == 0);
  REQUIRE(sandbox.run("evaluate m.safetensors --report e.html").code == 0);
  REQUIRE(sandbox.run("predict m.safetensors --report p.html").code == 0);
  for (const char* name : {"r.html", "e.html", "p.html"}) {
    const std::string page = check_page(sandbox, name);
    CHECK_THAT(page, !Contains("<b onclick") && !Contains("<i>") && !Contains("<u>") && !Contains("\xe2\x80\xae"));
    CHECK_THAT(page, Contains("&lt;b onclick=x&gt;yes&lt;/b&gt;") && Contains("\\xe2\\x80\\xaegnihton"));
  }
  // The command can be copied: a shell takes the quoted name as one word.
  CHECK_THAT(sandbox.read("r.html"), Contains("--nodes &#39;&lt;n&gt;.csv&#39;"));
}

TEST_CASE("a page that cannot be written is refused before any work", "[apps][report]") {
  const Sandbox sandbox;
  REQUIRE(sandbox.run("train " + kPlain + "--model mlp --out m.safetensors").code == 0);
  for (const std::string& verb : {"train " + kPlain, std::string("evaluate m.safetensors "),
                                  std::string("predict m.safetensors "), "compare " + kPlain, "tune " + kPlain}) {
    CAPTURE(verb);
    const Result folder = sandbox.run(verb + "--report no/such/r.html");
    CHECK(folder.code == 3);
    check_one_line(folder);
    const Result name = sandbox.run(verb + "--report r.pdf");
    CHECK(name.code == 2);
    CHECK_THAT(name.error, Contains("--report: expected a file name ending in .html, got \"r.pdf\""));
  }
  CHECK(sandbox.run("evaluate m.safetensors --report m.safetensors.html").code == 0);
  CHECK(sandbox.shell("ln -s m.safetensors x.html").code == 0);
  const Result model = sandbox.run("evaluate m.safetensors --report x.html");
  CHECK(model.code == 2);
  CHECK_THAT(model.error, Contains("--report: x.html is also read (the model)"));
}

TEST_CASE("large data is thinned, and the page says so", "[apps][report]") {
  const Sandbox sandbox;
  std::string nodes = "id,x,y,split\n", edges = "a,b\n";
  for (int i = 0; i < 9000; ++i)
    nodes += fmt::format("n{},{},{},{}\n", i, i % 97, 0.5 * (i % 97) + (i % 11), i % 4 == 0 ? "train" : "test");
  for (int i = 0; i < 2000; ++i) edges += fmt::format("n{},n{}\n", i, i + 1);
  sandbox.write("n.csv", nodes);
  sandbox.write("e.csv", edges);
  const std::string train = "train --edges e.csv --nodes n.csv --label y --model mlp --epochs 3 --seed 1 --report ";
  const Result result = sandbox.run(train + "r.html");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const std::string page = check_page(sandbox, "r.html");
  CHECK_THAT(page, Contains("6000 of the 6750 dots are drawn, evenly spaced."));
  REQUIRE(sandbox.run(train + "r.html").code == 0);
  const auto charts = [](const std::string& text) {
    return text.substr(text.find("class=\"dots"), text.find("</figure>") - text.find("class=\"dots"));
  };
  CHECK(charts(sandbox.read("r.html")) == charts(page));
}
