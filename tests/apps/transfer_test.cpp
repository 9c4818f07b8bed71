// Tests of train --from and --freeze.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "train/toy_collections.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using test::Result;
using test::Sandbox;

namespace {

void write_alcohols(const Sandbox& sandbox) {
  std::string table = "smiles,carbons,oxygens,kind\n";
  const std::string kinds[] = {"alkane", "alcohol", "diol"};
  for (std::size_t n = 1; n <= 12; ++n)
    for (std::size_t k = 0; k < 3; ++k)
      table += std::string(k == 2 ? "O" : "") + std::string(n, 'C') + (k > 0 ? "O" : "") + "," + std::to_string(n) +
               "," + std::to_string(k) + "," + kinds[k] + "\n";
  sandbox.write("m.csv", table);
}

constexpr const char* kAlcohols =
    "train --molecules m.csv --split random --epochs 4 --batch-size 8 --learning-rate 0.01 --threads 1 ";

std::string trained(const Sandbox& sandbox, const std::string& arguments) {
  const Result result = sandbox.run(arguments);
  INFO(arguments << "\n" << result.error);
  REQUIRE(result.code == 0);
  return result.error;
}

void fails(const Sandbox& sandbox, const std::string& arguments, int code, const std::string& with) {
  const Result result = sandbox.run(arguments);
  INFO(arguments << "\n" << result.error);
  CHECK(result.code == code);
  CHECK_THAT(result.error, Contains(with));
}

}  // namespace

TEST_CASE("molecules start from the weights of another target", "[apps][transfer]") {
  const Sandbox sandbox;
  write_alcohols(sandbox);
  trained(sandbox,
          std::string(kAlcohols) +
              "--target carbons --model gatv2 --hidden 16 --layers 2 --heads 2 --random-walk 3 --out p.safetensors");
  const std::string job = std::string(kAlcohols) + "--from p.safetensors ";
  // No model or encodings are given: those of the file are used.
  const Result printed = sandbox.run(job + "--target carbons,oxygens --print-config --json");
  REQUIRE(printed.code == 0);
  CHECK(printed.json().at("model").at("hidden") == json::Value(16));
  CHECK(printed.json().at("data").at("encodings").at("random_walk") == json::Value(3));
  CHECK(printed.json().at("training").at("from") == json::Value("p.safetensors"));

  CHECK_THAT(
      trained(sandbox, job + "--target carbons,oxygens --task regression --out q.safetensors --predictions t.csv"),
      Contains(" tensors from p.safetensors; blocks.") && Contains(".weight (16x2), ") && Contains("start afresh"));
  REQUIRE(sandbox.run("predict q.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  CHECK_THAT(trained(sandbox, job + "--target kind --freeze"), Contains("start afresh"));
  CHECK_THAT(trained(sandbox, job + "--target carbons --heads 4"), Contains(" tensors from p.safetensors"));

  fails(sandbox, job + "--target carbons --freeze", 2, "nothing is left to train");
  fails(sandbox, job + "--target carbons --model sage --hidden 4", 4, "none of its tensors");
  fails(sandbox, job + "--target carbons --out p.safetensors", 2, "is also read (--from)");
  fails(sandbox, job + "--target carbons --model auto", 2, "is a choice");
  fails(sandbox, std::string(kAlcohols) + "--target carbons --freeze", 2, "training.freeze");
  fails(sandbox, std::string(kAlcohols) + "--target carbons --from m.csv", 4, "m.csv");
  fails(sandbox, "compare --molecules m.csv --target carbons --from p.safetensors", 2, "--from: works with train");
  fails(sandbox, "tune --molecules m.csv --target carbons --from p.safetensors", 2, "--from: works with train");
  fails(sandbox, "compare --molecules m.csv --task masked_atoms", 2, "masked_atoms works with train");
  trained(sandbox, std::string(kAlcohols) + "--target carbons --model fingerprint --out f.safetensors");
  fails(sandbox, std::string(kAlcohols) + "--target carbons --from f.safetensors", 4, "\"fingerprint\" is a baseline");
}

TEST_CASE("a run started from another model resumes to the same bits", "[apps][transfer]") {
  const Sandbox sandbox;
  write_alcohols(sandbox);
  trained(sandbox, std::string(kAlcohols) + "--target carbons --model sage --hidden 8 --out p.safetensors");
  const std::string job = std::string(kAlcohols) + "--target oxygens --from p.safetensors --freeze ";
  trained(sandbox, job + "--predictions whole.csv");
  trained(sandbox, job + "--epochs 2 --set training.schedule.steps=4 --set training.schedule.warmup=0 --checkpoint c");
  trained(sandbox, job + "--set training.schedule.steps=4 --set training.schedule.warmup=0 --predictions other.csv");
  trained(sandbox, "train --resume c --epochs 4 --predictions resumed.csv");
  CHECK(sandbox.read("resumed.csv") == sandbox.read("other.csv"));
}

TEST_CASE("nodes read the columns as the other model did", "[apps][transfer]") {
  const Sandbox sandbox;
  trained(sandbox, std::string("train ") + Sandbox::kTrain + "--model gat --out p.safetensors");
  const std::string files = "--edges friends.csv --nodes people.csv --epochs 3 ";
  const std::string error =
      trained(sandbox, "train " + files + "--label buys --from p.safetensors --out q.safetensors");
  CHECK_THAT(error, Contains("tensors from p.safetensors") && !Contains("afresh"));
  CHECK(sandbox.run("predict q.safetensors").code == 0);

  // A feature of the model is now the label, so it can no longer be a feature.
  const std::string header = sandbox.read("people.csv").substr(0, sandbox.read("people.csv").find('\n'));
  INFO(header);
  fails(sandbox, "train " + files + "--label age --from p.safetensors", 2, "the model uses the column \"age\"");
  // A missing column is reported.
  sandbox.write("few.csv", "id,age,buys\np0,31,yes\np1,35,no\np2,40,yes\np3,38,no\np4,33,yes\np5,41,no\n");
  sandbox.write("ties.csv", "p0,p1\np2,p3\np4,p5\n");
  fails(sandbox, "train --edges ties.csv --nodes few.csv --label buys --from p.safetensors", 4, "\"city\"");
}

TEST_CASE("words keep the vocabulary of the other model", "[apps][transfer]") {
  const Sandbox sandbox;
  test::write_sentences(sandbox.path("."));
  const std::string job =
      "train --nodes tokens.csv --graph-column sentence --order position --head head --token-columns word --epochs 2 "
      "--hidden 8 --threads 1 ";
  trained(sandbox, job + "--label tag --heads 2 --layers 1 --out p.safetensors");
  const std::string error = trained(
      sandbox,
      job + "--graphs sentences.csv --label length --from p.safetensors --set model.readout=mean --out q.safetensors");
  CHECK_THAT(error, Contains("tensors from p.safetensors") && Contains("start afresh"));
  CHECK(sandbox.run("evaluate q.safetensors").code == 0);
}

TEST_CASE("training starts from a model pretrained on masked atoms", "[apps][transfer][masked_atoms]") {
  const Sandbox sandbox;
  write_alcohols(sandbox);
  const std::string job = "train --molecules m.csv --epochs 4 --batch-size 8 --threads 1 ";
  const Result pretrained =
      sandbox.run(job + "--task masked_atoms --hidden 16 --layers 2 --heads 2 --out p.safetensors --json");
  INFO(pretrained.error);
  REQUIRE(pretrained.code == 0);
  CHECK(pretrained.json().at("model") == json::Value("gatv2"));
  CHECK(pretrained.json().at("validation").at("accuracy").at("mean").as_number() > 0.3);
  CHECK_THAT(trained(sandbox, job + "--target carbons --from p.safetensors --out q.safetensors --predictions t.csv"),
             Contains("tensors from p.safetensors; blocks."));
  REQUIRE(sandbox.run("predict q.safetensors --out p.csv").code == 0);
  CHECK(sandbox.read("p.csv") == sandbox.read("t.csv"));
  for (const char* verb : {"predict p.safetensors", "evaluate p.safetensors", "explain p.safetensors --row 1"})
    fails(sandbox, verb, 4, "was pretrained (masked_atoms)");
  fails(sandbox, job + "--task masked_atoms --target carbons", 2, "data.label");
  fails(sandbox, job + "--task masked_atoms --predictions p.csv", 2, "--predictions");
  fails(sandbox, "train --edges friends.csv --nodes people.csv --task masked_atoms", 2, "is for molecules");
  fails(sandbox, "train --edges friends.csv --nodes people.csv --task masked_tokens", 2, "is for texts");
  fails(sandbox, "train --molecules m.csv --task masked_tokens", 2, "is for texts");
}

TEST_CASE("training starts from a model pretrained on masked tokens", "[apps][transfer][masked_tokens]") {
  const Sandbox sandbox;
  std::string texts = "text,mood\n";
  for (int i = 0; i < 30; ++i)
    texts += fmt::format("{0} fine day it is,good\n{0} no good night it was,bad\n", i);
  sandbox.write("t.csv", texts);
  const std::string job = "train --texts t.csv --hidden 16 --layers 1 --heads 2 --epochs 4 --threads 1 ";
  const Result pretrained = sandbox.run(job + "--task masked_tokens --out p.safetensors --json");
  INFO(pretrained.error);
  REQUIRE(pretrained.code == 0);
  CHECK_THAT(trained(sandbox, job + "--label mood --from p.safetensors --out q.safetensors"),
             Contains("tensors from p.safetensors; blocks."));
  CHECK(sandbox.run("predict q.safetensors --texts t.csv").code == 0);
  for (const char* verb : {"predict p.safetensors", "evaluate p.safetensors"})
    fails(sandbox, verb, 4, "was pretrained (masked_tokens)");
  fails(sandbox, job + "--task masked_tokens --label mood", 2, "data.label");
  fails(sandbox, job + "--task masked_tokens --predictions p.csv", 2, "--predictions");
  fails(sandbox, job + "--task masked_tokens --runs 2", 2, "--runs");
  sandbox.write("one.csv", "text\na\na\n");
  fails(sandbox, "train --texts one.csv --task masked_tokens", 3, "two or more tokens that occur twice");

  // Tags of words: the words of the tagged sentences may be hidden, and no other column is seen.
  test::write_sentences(sandbox.path("."));
  const std::string tags =
      "train --nodes tokens.csv --graph-column sentence --order position --token-columns word --epochs 2 --hidden 8 "
      "--heads 2 --layers 1 --threads 1 ";
  trained(sandbox, tags + "--task masked_tokens --out w.safetensors");
  CHECK_THAT(trained(sandbox, tags + "--label tag --from w.safetensors"), Contains("tensors from w.safetensors"));
}
