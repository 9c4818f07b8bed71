// Collections of sentences, texts and images on the command line.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "apps/sandbox.hpp"
#include "edgewise/core/json.hpp"
#include "train/toy_collections.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::Sandbox;

namespace {

struct Collections : Sandbox {
  Collections() {
    test::write_sentences(path(""));
    test::write_reviews(path(""));
    test::write_images(path(""));
  }
  Result ok(const std::string& arguments) const {
    Result result = run(arguments);
    INFO(arguments << '\n' << result.error);
    REQUIRE(result.code == 0);
    return result;
  }
};

constexpr const char* kTags =
    "train --nodes tokens.csv --graph-column sentence --order position --token-columns word --ignore head --label tag "
    "--mask band:1+offset --hidden 16 --heads 2 --epochs 30 --batch-size 8 --learning-rate 0.01 --schedule constant "
    "--set training.schedule.warmup=0 ";

}  // namespace

TEST_CASE("word tags are learnt, evaluated, predicted and explained", "[apps][collections]") {
  const Collections files;
  files.ok(std::string(kTags) + "--out m.safetensors --predictions one.csv --threads 1");
  CHECK(files.ok("evaluate m.safetensors --json").json().at("metrics").at("accuracy").as_number() > 0.9);
  files.ok("predict m.safetensors --out again.csv --threads 3");
  CHECK(files.read("again.csv") == files.read("one.csv"));
  files.write("new.csv", "sentence,position,word\nx,2,ant\nx,1,bee\nx,3,unicorn\n");
  files.ok("predict m.safetensors --nodes new.csv --out new-tags.csv");
  CHECK(test::first_columns(files.read("new-tags.csv")) == std::vector<std::string>{"node", "x:1", "x:2", "x:3"});
  CHECK_THAT(files.read("new-tags.csv"), Contains("x:2,bee") && Contains("x:3,ant"));
  const json::Value layers = files.ok("explain m.safetensors --node s2:1 --by attention --json").json().at("layers");
  for (const json::Value& layer : layers.as_array()) {
    double sum = 0;
    for (const json::Value& row : layer.at("attends_to").as_array()) {
      CHECK(row.at("source").as_string().starts_with("s2:"));
      CHECK(row.at("token").as_string().size() == 3);
      sum += row.at("heads").as_array()[0].as_number();
    }
    CHECK(sum == Approx(1).margin(1e-5));
  }
  CHECK_THAT(files.ok("explain m.safetensors --node s1:1 --by attention").out, Contains("s1:1 cow (itself)"));
  files.ok("explain m.safetensors --node s1:1 --by attention --out tags.graphml");
  CHECK_THAT(files.read("tags.graphml"), Contains("attr.name=\"token\"") && Contains(">cow</data>"));
  CHECK_THAT(files.ok("inspect --nodes tokens.csv --graph-column sentence --label tag").out, Contains("60 graphs"));
}

TEST_CASE("nodes of a collection are predicted alone as with all others", "[apps][collections]") {
  const Collections files;
  const std::string model = GENERATE(as<std::string>(), "--mask band:3", "--mask complete", "--model lstm",
                                     "--model window", "--model convolution");
  INFO(model);
  files.ok("train --nodes tokens.csv --graph-column sentence --order position --token-columns word --ignore head "
           "--label tag --hidden 16 --epochs 1 --predictions all.csv --out m.safetensors " +
           model);
  const std::string all = files.read("all.csv");
  std::string expected = all.substr(0, all.find('\n') + 1);
  for (const char* node : {"s9:1", "s2:1", "s60:1"}) {
    const std::size_t begin = all.find(fmt::format("\n{},", node)) + 1;
    expected += all.substr(begin, all.find('\n', begin) + 1 - begin);
  }
  files.write("some.txt", "s9:1\ns2:1\ns60:1\n");
  files.ok("predict m.safetensors --nodes-to-predict some.txt --out some.csv");
  CHECK(files.read("some.csv") == expected);
}

TEST_CASE("an evaluation counts the nodes that have labels", "[apps][collections]") {
  const Collections files;
  std::string nodes = "graph,x,tag,split\n";
  for (int g = 0; g < 12; ++g)
    for (int i = 0; i < 3; ++i)
      nodes += fmt::format("g{},{},{},{}\n", g, i, i == 2 ? "" : i == 0 ? "a" : "b", g < 9 ? "train" : "test");
  files.write("n.csv", nodes);
  files.ok("train --nodes n.csv --graph-column graph --label tag --hidden 8 --heads 2 --epochs 1 --out m.safetensors");
  const Result result = files.ok("evaluate m.safetensors --json");
  CHECK(result.json().at("nodes") == json::Value(6));
  CHECK_THAT(files.ok("evaluate m.safetensors").out, Contains("test: 6 nodes"));
}

TEST_CASE("a table of graphs is learnt along the edges of a file", "[apps][collections]") {
  const Collections files;
  // Rings and chains of five atoms, which differ only in their edges.
  const auto write_rings = [&](const std::string& name, int count) {
    std::string atoms = "atom,ring,charge,kind\n", bonds = "source,target\n", rings = "name,closed\n";
    for (int g = 0; g < count; ++g) {
      for (int i = 0; i < 5; ++i) {
        atoms += fmt::format("g{0}a{1},g{0},{2},{3}\n", g, i, 0.1 * (g % 3), i % 2 == 0 ? "C" : "N");
        if (i < 4 || g % 2 == 0) bonds += fmt::format("g{0}a{1},g{0}a{2}\n", g, i, (i + 1) % 5);
      }
      rings += fmt::format("g{},{}\n", g, g % 2 == 0 ? "yes" : "no");
    }
    files.write(name + "-atoms.csv", atoms);
    files.write(name + "-bonds.csv", bonds);
    files.write(name + "-rings.csv", rings);
  };
  write_rings("old", 60);
  write_rings("new", 4);
  const std::string data =
      "--nodes old-atoms.csv --id atom --graph-column ring --edges old-bonds.csv --graphs old-rings.csv --label "
      "closed ";
  const json::Value trained =
      files.ok("train " + data + "--model auto --hidden 16 --degree --epochs 40 --out m.safetensors --json").json();
  CHECK(trained.at("test").at("accuracy").at("mean").as_number() == 1);
  CHECK_THAT(json::dump(trained.at("choice")), Contains("sage") && Contains("gatv2"));
  files.ok("predict m.safetensors --nodes new-atoms.csv --edges new-bonds.csv --graphs new-rings.csv --out p.csv");
  CHECK_THAT(files.read("p.csv"), Contains("\ng0,yes,") && Contains("\ng1,no,") && Contains("\ng3,no,"));
  CHECK(files.ok("evaluate m.safetensors --nodes new-atoms.csv --edges new-bonds.csv --graphs new-rings.csv --json")
            .json().at("metrics").at("accuracy").as_number() == 1);
  CHECK(files.ok("compare " + data + "--runs 1 --epochs 2 --json").json().at("models").as_array().size() == 5);
  CHECK_THAT(files.ok("inspect " + data).out, Contains("60 graphs"));
}

TEST_CASE("resumed training on a collection gives the same bits", "[apps][collections]") {
  const Collections files;
  files.ok(std::string(kTags) + "--epochs 12 --predictions whole.csv --threads 1");
  files.ok(std::string(kTags) + "--epochs 5 --checkpoint c --threads 2");
  files.ok("train --resume c --epochs 12 --predictions resumed.csv --threads 3");
  CHECK(files.read("resumed.csv") == files.read("whole.csv"));
}

TEST_CASE("texts and images are learnt, predicted and explained row by row", "[apps][collections]") {
  const Collections files;
  files.ok(
      "train --texts reviews.csv --label label --hidden 16 --heads 2 --epochs 12 --mask complete "
      "--learning-rate 0.01 --out t.safetensors");
  files.write("more.csv", "text\nplot good the\nbad\n\"\"\n");
  files.ok("predict t.safetensors --texts more.csv --out more-labels.csv");
  CHECK_THAT(files.read("more-labels.csv"), Contains("1,positive") && Contains("2,negative"));
  const Result explained =
      files.run("explain t.safetensors --by attention --texts more.csv --row 1 --out attention.csv");
  INFO(explained.error);
  REQUIRE(explained.code == 0);
  files.write("long.csv", "text\nüüüüüüüü\n");
  CHECK_THAT(files.ok("explain t.safetensors --by attention --texts long.csv --row 1").out,
             Contains("\n  1:1 üüüüüüüü    1.0000"));
  CHECK_THAT(explained.out, Contains("1:1 plot") && Contains("1:2 good") && Contains("1:3 the"));
  CHECK_THAT(files.read("attention.csv"),
             StartsWith("source,target,edge,layer,head,weight,source_token,target_token\n") && Contains("1:1,1:2,") &&
                 Contains(",plot,good\n"));
  files.ok("explain t.safetensors --by attention --texts more.csv --row 1 --out attention.jsonl");
  CHECK_THAT(files.read("attention.jsonl"), Contains("\"source_token\":\"plot\",\"target_token\":\"good\"}"));
  files.ok(
      "train --nodes images.csv --grid 3x4 --label bar --mask grid:3x3 --hidden 16 --heads 2 --epochs 3 --out "
      "g.safetensors");
  files.ok("evaluate g.safetensors");
  files.write("amounts.csv", "text,y\na b,\"1,5\"\nb,\"2,5\"\n");
  CHECK_THAT(files.ok("inspect --texts amounts.csv --label y").out, Contains("a decimal comma"));
  const std::string seen = files.ok("inspect --nodes images.csv --grid 3x4 --label bar").out;
  CHECK_THAT(seen, Contains("values of a row: 12 columns") && Contains("columns of the nodes:\n  value "));
  files.ok("explain g.safetensors --by attention --row 2 --out attention.csv");
  const Result wrong = files.run("train --nodes images.csv --sequence --label bar --mask grid:3x3");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.error, Contains("no grid"));
}

TEST_CASE("columns of graphs that are used for nothing are noted", "[apps][collections]") {
  const Collections files;
  files.write("films.csv",
              "id,text,label,stars,part,day\n1,good film,yes,5,train,1\n2,bad film,no,1,validation,2\n"
              "3,good plot,yes,4,train,3\n4,bad plot,no,2,train,4\n5,bad end,no,2,test,5\n");
  const std::string flags = "--texts films.csv --label label --ignore day ";
  const std::string unused = "films.csv: not used: stars; features come from the nodes only";
  CHECK_THAT(files.ok("train --epochs 1 --split-column part " + flags).error, Contains(unused));
  CHECK_THAT(files.ok("inspect " + flags).out, Contains("films.csv: not used: stars, part; "));
  CHECK_THAT(files.ok("inspect --ignore part " + flags).out, !Contains("not used: part"));
  CHECK_THAT(files.ok("inspect --texts films.csv").out, !Contains("not used"));
  CHECK_THAT(files.ok("inspect --texts reviews.csv --label label").out, !Contains("not used"));
}

TEST_CASE("a column of categories is one of nodes or of graphs", "[apps][collections]") {
  const Collections files;
  files.write("nodes.csv", "g,zip\n1,5\n1,6\n2,5\n");
  files.write("graphs.csv", "g,kind\n1,3\n2,4\n");
  const std::string command = "inspect --nodes nodes.csv --graph-column g --graphs graphs.csv --label kind ";
  CHECK_THAT(files.ok(command + "--categorical zip,kind").out,
             Contains("zip                     categorical") && Contains("kind                    categorical"));
  CHECK_THAT(files.run(command + "--categorical zap").error, Contains("no column \"zap\""));
}

TEST_CASE("models are compared on nested shares of the labels", "[apps][collections]") {
  const Collections files;
  const json::Value object =
      files
          .ok("compare --nodes images.csv --grid 3x4 --label bar --models window,convolution,lstm,attention "
              "--set model.hidden=8 --set model.layers=1 --shares 0.2,1 --runs 2 --epochs 2 --chart curve.svg --json")
          .json();
  CHECK_THAT(files.read("curve.svg"), StartsWith("<svg") && Contains("20 %") && Contains(">attention</text>"));
  const json::Array& shares = object.at("shares").as_array();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].at("share").as_number() == Approx(0.2));
  for (const json::Value& share : shares) CHECK(share.at("models").as_array().size() == 4);
  const Result text =
      files.ok("compare --nodes images.csv --grid 1x1 --label bar --models mlp --shares 0.5,1 --runs 1 --epochs 2");
  CHECK_THAT(text.out, Contains("by share of the training items") && Contains("mlp"));
  for (const char* wrong : {"--shares 0,1", "--chart curve.svg", "--shares 0.5,1 --chart curve.png",
                            "--shares 0.5,1 --chart no/such/curve.svg"}) {
    INFO(wrong);
    CHECK(files.run(std::string("compare --nodes images.csv --grid 3x4 --label bar ") + wrong).code != 0);
  }
}

TEST_CASE("a model with edges of a collection gets those of training, or asks for others", "[apps][collections]") {
  const Collections files;
  std::string nodes = "graph,place,x,tag\n", edges = "source,target\n";
  for (int g = 0; g < 20; ++g)
    for (int i = 1; i <= 3; ++i) {
      nodes += fmt::format("g{},{},{},{}\n", g, i, (g * i) % 5, (g * i) % 2 == 0 ? "a" : "b");
      if (i > 1) edges += fmt::format("g{0}:{1},g{0}:{2}\n", g, i - 1, i);
    }
  files.write("n.csv", nodes);
  files.write("new.csv", nodes);
  files.write("e.csv", edges);
  files.ok("train --nodes n.csv --graph-column graph --order place --label tag --edges e.csv --mask edges --hidden 8 "
           "--heads 2 --epochs 1 --out m.safetensors");
  const Result same = files.ok("evaluate m.safetensors --json --nodes n.csv");
  CHECK_THAT(same.error, Contains("e.csv: uses the edges of training"));
  CHECK(same.json().at("metrics") == files.ok("evaluate m.safetensors --json").json().at("metrics"));
  const Result other = files.run("evaluate m.safetensors --nodes new.csv");
  CHECK(other.code == 4);
  CHECK_THAT(other.error, Contains("new.csv (--edges)"));
  files.ok("evaluate m.safetensors --nodes new.csv --edges e.csv");
}

TEST_CASE("a model of a collection refuses data that is read in another way", "[apps][collections]") {
  const Collections files;
  files.ok("train --texts reviews.csv --label label --hidden 8 --heads 2 --epochs 1 --out t.safetensors");
  files.ok("train --nodes images.csv --grid 3x4 --label bar --hidden 8 --heads 2 --epochs 1 --out g.safetensors");
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Result result = files.run("predict " + arguments);
    INFO(result.error);
    CHECK(result.code == 4);
    CHECK_THAT(result.error, Contains(why));
  };
  refused("t.safetensors --nodes tokens.csv --graph-column sentence",
          "trained on texts: give a table of texts (--texts)");
  refused("g.safetensors --texts reviews.csv", "trained on graphs that are rows of a table");
  refused("t.safetensors --tokens characters", "data.tokens: expected \"words\", as in training, got \"characters\"");
  refused("t.safetensors --affixes 2", "data.affixes: expected \"0\", as in training, got \"2\"");
  refused("g.safetensors --grid 2x6", "data.grid: expected \"3x4\", as in training");
}

TEST_CASE("unknown tokens and empty graphs are noted", "[apps][collections]") {
  const Collections files;
  files.ok("train --texts reviews.csv --label label --hidden 8 --heads 2 --epochs 1 --out t.safetensors");
  files.write("new.csv", "text\ngood zebra\nzebra yak\n\"\"\n");
  const std::string notes = files.ok("predict t.safetensors --texts new.csv").error;
  CHECK_THAT(notes, Contains("3 of 4 tokens are unknown to the model; 1 graph has no token that it knows"));
  CHECK_THAT(notes, Contains("new.csv: 1 of 3 graphs are empty"));
  files.write("empty.csv", "id,text\n1,\n2,\n");
  const Result empty = files.run("predict t.safetensors --texts empty.csv");
  CHECK(empty.code == 3);
  CHECK_THAT(empty.error, Contains("empty.csv: expected nodes, but all graphs are empty"));
}

TEST_CASE("a file that holds nothing is told what it should hold", "[apps][collections]") {
  const Collections files;
  files.write("nothing.csv", "");
  const auto error = [&](const std::string& arguments) { return files.run("train --label y " + arguments).error; };
  CHECK_THAT(error("--texts nothing.csv"), Contains("nothing.csv: holds no rows, expected a table of texts"));
  CHECK_THAT(error("--nodes tokens.csv --graph-column sentence --graphs nothing.csv"),
             Contains("nothing.csv: holds no rows, expected a table of graphs"));
}

TEST_CASE("messages about columns list those of the file", "[apps][collections]") {
  const Collections files;
  const auto error = [&](const std::string& arguments) { return files.run("train --epochs 1 " + arguments).error; };
  const std::string texts = "--texts reviews.csv ", images = "--nodes images.csv --sequence --label bar ";
  const std::string columns = "reviews.csv: no column \"nix\"; the columns are \"text\", \"label\"";
  CHECK_THAT(error(texts + "--label nix"), Contains(columns));
  CHECK_THAT(error(texts + "--label label --split-column nix"), Contains(columns));
  CHECK_THAT(error(texts + "--label text"), Contains("reviews.csv: the column \"text\" holds the nodes"));
  CHECK_THAT(error(texts + "--label label --token-columns label"), Contains("data.token_columns: are for nodes"));
  CHECK_THAT(error(images + "--split-column nix"), Contains("\"p0\"") && Contains("\"p1\"") && !Contains("\"value\""));
}

TEST_CASE("the word of a node is shown, not the name of its graph", "[apps][collections]") {
  const Collections files;  // 60 graphs, more than a column of categories has
  files.ok("train --nodes tokens.csv --graph-column sentence --order position --token-columns word --graphs "
           "sentences.csv --ignore head,tag --label length --hidden 8 --heads 2 --epochs 1 --out m.safetensors");
  CHECK_THAT(files.ok("explain m.safetensors --row 1").out, Contains("s1:1 cow"));
}

TEST_CASE("doubts about the columns of nodes are noted if graphs have the labels", "[apps][collections]") {
  const Collections files;
  std::string nodes = "graph,x\n", graphs = "graph,kind\n";
  for (int i = 0; i < 60; ++i) {
    nodes += fmt::format("g{},{}\n", i / 3, i == 7 ? "bad" : fmt::format("{}.5", i));
    if (i % 3 == 0) graphs += fmt::format("g{},{}\n", i / 3, i % 2 == 0 ? "a" : "b");
  }
  files.write("n.csv", nodes);
  files.write("g.csv", graphs);
  const std::string data = "--nodes n.csv --graph-column graph --graphs g.csv --label kind ";
  const std::string doubt = "column \"x\" is taken as categories: 59 of its 60 different values are numbers";
  CHECK_THAT(files.ok("train --epochs 1 " + data).error, Contains(doubt) && !Contains("--ignore graph"));
  CHECK_THAT(files.ok("inspect " + data).out, Contains(doubt));
}

TEST_CASE("masks along edges are noted where there are none, and those by order on one graph", "[apps][collections]") {
  const Collections files;
  const std::string texts = "train --texts reviews.csv --label label --hidden 8 --heads 2 --epochs 1 ";
  CHECK_THAT(files.ok(texts + "--mask edges").error, Contains("the data has no edges, so with the mask \"edges\""));
  CHECK_THAT(files.ok(texts + "--mask band:2").error, !Contains("no edges"));
  files.write("e.csv", "source,target\n1,2\n2,3\n3,4\n4,5\n5,6\n");
  files.write("n.csv", "id,x,y\n1,1,a\n2,2,b\n3,1,a\n4,2,b\n5,1,a\n6,2,b\n");
  CHECK_THAT(
      files.ok("train --edges e.csv --nodes n.csv --label y --hidden 8 --heads 2 --epochs 1 --mask band:2").error,
      Contains("the mask \"band:2\" follows the order of the nodes in the table"));
}

TEST_CASE("flags for edges and for tokens are refused where they say nothing", "[apps][collections]") {
  const Collections files;
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Result result = files.run("train --epochs 1 " + arguments);
    INFO(arguments << '\n' << result.error);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, Contains(why));
  };
  for (const char* flag : {"--degree", "--random-walk 2", "--laplacian 2", "--directed", "--self-loops drop"})
    refused(std::string("--texts reviews.csv --label label ") + flag,
            "is for collections with edges (--edges, --head)");
  refused("--nodes tokens.csv --graph-column sentence --token-columns word,tag --label tag",
          "data.token_columns: \"tag\" is to be learnt");
}

TEST_CASE("explanations of collections ask for what names one", "[apps][collections]") {
  const Collections files;
  files.ok("train --texts reviews.csv --label label --hidden 8 --heads 2 --epochs 1 --out t.safetensors");
  const auto error = [&](const std::string& arguments) {
    return files.run("explain t.safetensors " + arguments).error;
  };
  CHECK_THAT(error("--row 2 --node 2:1"), Contains("--node, --row: name a node, or a row"));
  CHECK_THAT(error("--node 2:1"), Contains("graphs have the labels: name one by its row (--row)"));
  files.write("none.csv", "text\n");
  CHECK_THAT(error("--row 1 --texts none.csv"), Contains("expected a row to explain, found none"));
  files.ok("train --texts reviews.csv --label label --model lstm --hidden 8 --epochs 1 --out l.safetensors");
  CHECK_THAT(files.run("explain l.safetensors --by attention --row 1").error,
             Contains("train --model attention makes one"));
}

TEST_CASE("labels of graphs need a table of graphs", "[apps][collections]") {
  const Collections files;
  files.ok("train --nodes tokens.csv --graph-column sentence --graphs sentences.csv --ignore head,tag --label length "
           "--hidden 8 --heads 2 --epochs 1 --out m.safetensors");
  CHECK_THAT(files.run("evaluate m.safetensors --nodes tokens.csv").error,
             Contains("give a table of graphs (--graphs)"));
  files.ok("predict m.safetensors --nodes tokens.csv");
}

TEST_CASE("training without items held out is noted", "[apps][collections]") {
  const Collections files;
  files.write("two.csv", "text,label\ngood film,yes\nbad film,no\n");
  const Result all = files.ok("train --texts two.csv --label label --hidden 8 --heads 2 --epochs 1");
  CHECK_THAT(all.error, Contains("no item is held out for validation or test") && Contains("2 graphs"));
  const Result tags = files.ok(std::string(kTags) + "--epochs 1");
  CHECK_THAT(tags.error, Contains("tokens.csv: 60 graphs, ") && !Contains("held out"));
}
