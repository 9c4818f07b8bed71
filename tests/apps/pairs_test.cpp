// Pairs on the command line: from a file of lines to predictions and alignments.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <sstream>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::Sandbox;

namespace {

constexpr const char* kSmall = "--hidden 16 --heads 2 --layers 1 --learning-rate 0.01 --batch-size 8 --threads 1 ";

/// Words of up to three letters, each with the same letters in capitals, reversed.
std::string reversed_words(const std::string& separator = "\t", const std::string& letters = "abcd") {
  std::string lines;
  for (const char a : letters)
    for (const char b : letters) {
      lines += fmt::format("{}{}{}{}{}\n", a, b, separator, static_cast<char>(b - 32), static_cast<char>(a - 32));
      for (const char c : letters)
        lines += fmt::format("{}{}{}{}{}{}{}\n", a, b, c, separator, static_cast<char>(c - 32),
                             static_cast<char>(b - 32), static_cast<char>(a - 32));
    }
  return lines;
}

void train_words(const Sandbox& sandbox, const std::string& more) {
  sandbox.write("words.tsv", reversed_words());
  const Result trained = sandbox.run(fmt::format("train --pairs words.tsv {}--out m.safetensors {}", kSmall, more));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
}

}  // namespace

TEST_CASE("a model of pairs learns to write, and is used", "[apps][pairs]") {
  const Sandbox sandbox;
  sandbox.write("words.tsv", reversed_words());
  const Result trained =
      sandbox.run(fmt::format("train --pairs words.tsv {}--epochs 40 --out m.safetensors --json", kSmall));
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const json::Value summary = trained.json();
  CHECK(summary.at("pairs") == json::Value(80));
  CHECK(summary.at("validation").at("accuracy").at("mean").as_number() > 0.9);
  const json::Value measured = sandbox.run("evaluate m.safetensors --json").json();
  CHECK(measured.at("part") == json::Value("test"));
  for (const char* metric : {"accuracy", "sequence_accuracy", "word_error_rate", "bleu"})
    CHECK(measured.at("metrics").at(metric).as_number() ==
          Approx(summary.at("test").at(metric).at("mean").as_number()));

  sandbox.write("others.tsv", reversed_words("\t", "efgh"));  // as many, with the same names
  CHECK(sandbox.run("evaluate m.safetensors --pairs others.tsv --json").json().at("part") == json::Value("all"));

  sandbox.write("new.txt", "abc\nda\n");
  const Result predicted = sandbox.run("predict m.safetensors --pairs new.txt --beam 3 --out p.csv --json");
  INFO(predicted.error);
  REQUIRE(predicted.code == 0);
  CHECK_THAT(sandbox.read("p.csv"), StartsWith("pair,source,rank,predicted,log_probability\n1,abc,1,CBA,-"));
  CHECK_THAT(sandbox.read("p.csv"), Contains("\n2,da,3,"));
  CHECK_THAT(sandbox.run("predict m.safetensors --text abc --beam 1 --out -").out, Contains("1,abc,1,CBA,-"));
  CHECK(sandbox.run("predict m.safetensors --pairs words.tsv --beam 1 --out all.jsonl").code == 0);
  CHECK(test::lines_of(sandbox.read("all.jsonl")) == 80);
  CHECK(json::parse(sandbox.read("all.jsonl").substr(0, sandbox.read("all.jsonl").find('\n')), "all.jsonl")
            .at("pair") == json::Value(1));

  const Result explained = sandbox.run("explain m.safetensors --text abc --out a.svg");
  INFO(explained.error);
  CHECK(explained.code == 0);
  CHECK_THAT(explained.out, StartsWith("abc: CBA") && Contains("</s>"));
  CHECK_THAT(sandbox.read("a.svg"), StartsWith("<svg"));
  CHECK(sandbox.run("explain m.safetensors --pairs new.txt --row 2 --out a.csv").code == 0);
  CHECK_THAT(sandbox.read("a.csv"), StartsWith("layer,target_place,target,source_place,source,weight\n"));
}

TEST_CASE("recurrent models of pairs learn, too", "[apps][pairs]") {
  const Sandbox sandbox;
  sandbox.write("a.txt", reversed_words("\n"));
  std::istringstream lines(sandbox.read("a.txt"));
  std::string sources, targets, line;
  for (bool is_source = true; std::getline(lines, line); is_source = !is_source)
    (is_source ? sources : targets) += line + "\n";
  sandbox.write("a.txt", sources);
  sandbox.write("b.txt", targets);
  for (const char* model : {"lstm_attention_pair", "lstm_pair"}) {
    const Result trained =
        sandbox.run(fmt::format("train --source-texts a.txt --target-texts b.txt --model {} --hidden 24 --layers 1 "
                                "--learning-rate 0.01 --batch-size 8 --epochs 40 --threads 1 --out m.safetensors "
                                "--json",
                                model));
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK(trained.json().at("validation").at("accuracy").at("mean").as_number() > 0.8);
    const int code = model == std::string("lstm_pair") ? 2 : 0;  // it does not attend
    CHECK(sandbox.run("explain m.safetensors --text abc --out a.svg").code == code);
  }
}

TEST_CASE("pairs stop and resume with the same bits", "[apps][pairs]") {
  const Sandbox sandbox;
  sandbox.write("words.tsv", reversed_words());
  const std::string common = fmt::format("train --pairs words.tsv {}--set training.schedule.kind=constant ", kSmall);
  REQUIRE(sandbox.run(common + "--epochs 6 --out whole.safetensors").code == 0);
  REQUIRE(sandbox.run(common + "--epochs 3 --checkpoint c --out half.safetensors").code == 0);
  const Result resumed = sandbox.run("train --resume c --epochs 6 --out resumed.safetensors");
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);
  REQUIRE(sandbox.run("predict whole.safetensors --out a.csv").code == 0);
  REQUIRE(sandbox.run("predict resumed.safetensors --out b.csv").code == 0);
  CHECK(sandbox.read("a.csv") == sandbox.read("b.csv"));
}

TEST_CASE("files of pairs that are none are refused in one line", "[apps][pairs]") {
  const Sandbox sandbox;
  const auto check = [&](const std::string& arguments, int code, const std::string& message) {
    const Result result = sandbox.run(arguments);
    INFO(arguments << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(message));
    CHECK(test::lines_of(result.error) == 1);
  };
  const std::string train = fmt::format("train {}", kSmall);
  sandbox.write("bad.tsv", "ab\tBA\nab BA\n");
  check(train + "--pairs bad.tsv", 3, "bad.tsv:2: expected source TAB target");
  sandbox.write("bad.tsv", "ab\tBA\n\ncd\tDC\n");
  check(train + "--pairs bad.tsv", 3, "bad.tsv:2: ");
  sandbox.write("bad.tsv", "ab\tBA\nab\xff\tBA\n");
  check(train + "--pairs bad.tsv", 3, "bad.tsv:2");
  sandbox.write("two.txt", "a\nb\n");
  sandbox.write("three.txt", "A\nB\nC\n");
  check(train + "--source-texts two.txt --target-texts three.txt", 3, "three.txt:3: ");
  check(train + "--source-texts two.txt", 2, "--target-texts");
  check(train + "--source-texts two.txt --target-texts two.txt --pairs bad.tsv", 2, "not both");
  check(train + "--pairs bad.tsv --edges friends.csv", 2, "not both");
  check(train + "--source-tokens words " + Sandbox::kFiles, 2, "data.source_tokens: is for pairs");
}

TEST_CASE("what a model of pairs cannot do is refused in one line", "[apps][pairs]") {
  const Sandbox sandbox;
  train_words(sandbox, "--epochs 1");
  const auto check = [&](const std::string& arguments, int code, const std::string& message) {
    const Result result = sandbox.run(arguments);
    INFO(arguments << "\n" << result.error);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(message));
  };
  const std::string long_line(10'000, 'a');
  sandbox.write("long.txt", "ab\n" + long_line + "\n");
  check("predict m.safetensors --pairs long.txt --out p.csv", 3,
        "long.txt:2: a source of 10000 tokens; expected at most 1000 (--longest)");
  sandbox.write("long.tsv", "ab\tBA\nab\t" + long_line + "\n");
  check(fmt::format("train {}--pairs long.tsv", kSmall), 3, "long.tsv:2: a target of 10000 tokens");
  sandbox.write("unknown.txt", "ab\nxyz\n");
  check("predict m.safetensors --pairs unknown.txt --out p.csv", 0,
        "unknown.txt:2: the source has tokens that were not");
  check("predict m.safetensors --pairs unknown.txt --intervals 0.9 --out p.csv", 2,
        "--intervals: not for models of pairs");
  check("predict m.safetensors --pairs unknown.txt --out p.dot", 2, "written as .csv or .jsonl");
  check("predict m.safetensors --edges friends.csv --nodes people.csv --out p.csv", 4, "trained on pairs");
  check("evaluate m.safetensors --pairs unknown.txt", 3, "unknown.txt:1: expected source TAB target");
  check("explain m.safetensors", 2, "--text");
  check("explain m.safetensors --pairs unknown.txt --row 3", 2, "from 1 to 2");
  check(fmt::format("train {}--pairs words.tsv --model gat", kSmall), 2, "pairs need one of transformer_pair");
  check(fmt::format("train {}--pairs words.tsv --runs 2", kSmall), 2, "training.runs: a model for pairs");
  check(fmt::format("train {}--pairs words.tsv --label x", kSmall), 2, "data: pairs have no columns");
  check(fmt::format("train {}--pairs words.tsv --report r.html", kSmall), 2, "--report: not for pairs");
  CHECK_THAT(sandbox.run("inspect --pairs words.tsv").out,
             Contains("80 pairs of 80 sources") && Contains("targets: up to 3 characters"));
  check(std::string("train --model transformer_pair --label buys ") + Sandbox::kFiles, 2, "is for pairs");
}

TEST_CASE("models of pairs are compared on the same split", "[apps][pairs][compare]") {
  const Sandbox sandbox;
  sandbox.write("words.tsv", reversed_words());
  const Result compared = sandbox.run("compare --pairs words.tsv --epochs 1 --runs 2 --threads 1 --json");
  INFO(compared.error);
  REQUIRE(compared.code == 0);
  CHECK(compared.json().at("models").as_array().size() == 3);
}
