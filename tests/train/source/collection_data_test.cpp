#include "edgewise/train/source/collection_data.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/model/known_items.hpp"
#include "support/dataset.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_collections.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using data::Role;

namespace {

struct Folder {
  test::TemporaryDirectory directory;
  Folder() {
    test::write_sentences(directory.path());
    test::write_reviews(directory.path());
    test::write_images(directory.path());
  }

  train::Config config(const std::string& data, const std::string& model, std::int64_t epochs = 30) const {
    std::string text = data;
    for (const std::string file : {"tokens.csv", "sentences.csv", "reviews.csv", "images.csv"})
      if (const auto at = text.find(file); at != std::string::npos) text.replace(at, file.size(), directory.path(file));
    train::Config config = train::parse_config(json::parse(
        fmt::format(R"({{"data": {}, "model": {}, "training": {{"epochs": {}, "batch_size": 8, "learning_rate": 0.01,
                        "weight_decay": 0}}}})",
                    text, model, epochs),
        "test"));
    return config;
  }
};

constexpr const char* kTags =
    R"({"nodes": "tokens.csv", "graph_column": "sentence", "order": "position", "token_columns": ["word"],
        "ignore": ["head"], "label": "tag"})";
constexpr const char* kAlongHeads =
    R"({"nodes": "tokens.csv", "graph_column": "sentence", "order": "position", "head": "head", "directed": true,
        "token_columns": ["word"], "label": "tag"})";
constexpr const char* kAttention =
    R"({"preset": "transformer", "hidden": 16, "heads": 2, "layers": 1, "dropout": 0, "mask": "band:1+offset"})";

double accuracy(const train::Config& config) {
  const train::Dataset data = train::read_dataset(config.data);
  return train::metric(train::run_job(config, data, 0).report.test, "accuracy");
}

}  // namespace

TEST_CASE("nodes of a collection are labelled over a mask by order", "[train][collections]") {
  const Folder folder;
  CHECK(accuracy(folder.config(kTags, kAttention)) > 0.95);
  CHECK(accuracy(folder.config(kTags, R"({"preset": "mlp", "hidden": 16, "dropout": 0})")) < 0.6);
}

TEST_CASE("nodes of a collection are labelled along the edges of a column", "[train][collections]") {
  const Folder folder;
  const std::string model =
      R"({"preset": "gatv2_sep", "hidden": 16, "heads": 2, "layers": 1, "dropout": 0, "graph": {"self_loops": false}})";
  CHECK(accuracy(folder.config(kAlongHeads, model)) > 0.95);
}

TEST_CASE("graphs of a collection are labelled by a table of graphs, by texts, and by rows", "[train][collections]") {
  const Folder folder;
  const std::string lengths =
      R"({"nodes": "tokens.csv", "graph_column": "sentence", "order": "position", "graphs": "sentences.csv",
          "ignore": ["head", "tag"], "label": "length"})";
  train::Config config = folder.config(lengths, kAttention);
  config.model = config.model.with("readout", "sum");
  config.model = config.model.with("readout_norm", "none");
  CHECK(accuracy(config) > 0.8);
  CHECK(accuracy(folder.config(R"({"texts": "reviews.csv", "label": "label"})", kAttention)) > 0.95);
  const std::string grid = R"({"preset": "transformer", "hidden": 16, "heads": 2, "layers": 1, "dropout": 0,
                               "mask": "grid:3x3+offset", "readout": "sum_mean_max"})";
  CHECK(accuracy(folder.config(R"({"nodes": "images.csv", "grid": "3x4", "label": "bar"})", grid, 60)) > 0.9);
}

TEST_CASE("collections are read as written", "[train][collections]") {
  const Folder folder;
  const train::Dataset tags = train::read_dataset(folder.config(kTags, kAttention).data);
  REQUIRE(tags.collection);
  CHECK_FALSE(tags.graphs);
  CHECK(tags.collection->graphs.size() == 60);
  CHECK(tags.graph.edge_count() == 0);
  CHECK(tags.items()[0] == "s1:1");
  CHECK(tags.labels.names == std::vector<std::string>{"ant", "bee", "cow", "start"});
  const train::Dataset reviews =
      train::read_dataset(folder.config(R"({"texts": "reviews.csv", "label": "label"})", kAttention).data);
  REQUIRE(reviews.graphs);
  CHECK(reviews.graphs->names.size() == 60);
  CHECK(reviews.collection->tokens == std::vector<std::string>{"token"});
  CHECK(reviews.graph.node_count() == 240);
  const train::Dataset images =
      train::read_dataset(folder.config(R"({"nodes": "images.csv", "grid": "3x4", "label": "bar"})", kAttention).data);
  CHECK(images.collection->grid_columns == 4);
  CHECK(images.node_table().rows() == 720);
}

TEST_CASE("edges of a collection may come from a file, and stay within a graph", "[train][collections]") {
  const Folder folder;
  train::Config config = folder.config(kTags, kAttention);
  config.data.edges = folder.directory.write("heads.csv", "source,target\ns2:1,s2:2\n");
  const train::Dataset data = train::read_dataset(config.data);
  REQUIRE(data.graph.edge_count() == 1);
  CHECK(data.items()[data.graph.edges().targets[0]] == "s2:2");
  config.data.edges = folder.directory.write("across.csv", "source,target\ns2:1,s3:1\n");
  CHECK_THROWS_WITH(train::read_dataset(config.data), Contains("\"s2:1\" to \"s3:1\" leads from one graph to another"));
  config.data.head = "head";
  CHECK_THROWS_WITH(train::read_dataset(config.data), Contains("not from both"));
}

TEST_CASE("encodings of a collection follow its features", "[train][collections]") {
  const Folder folder;
  train::Config config = folder.config(kAlongHeads, R"({"preset": "gatv2", "hidden": 8, "heads": 2})", 2);
  config.data.encodings.degree = true;
  config.data.encodings.random_walk = 2;
  const train::Dataset data = train::read_dataset(config.data);
  REQUIRE(data.encodings.cols() == 3);
  const train::Run run = train::run_job(config, data, 0);
  CHECK(run.inputs == run.trained->features.columns());
  CHECK(run.inputs >= 7);  // three words, the unknown column, and the encodings
}

TEST_CASE("splits of a collection keep graphs whole; shares of the training part are nested", "[train][collections]") {
  const Folder folder;
  train::Config config = folder.config(kTags, kAttention);
  const train::Dataset data = train::read_dataset(config.data);
  const std::vector<graph::Node>& offsets = data.collection->offsets;
  const auto train_nodes = [&](const train::SplitConfig& split) {
    const data::Split roles = train::make_split(data, split, 3, 0);
    for (std::size_t g = 0; g + 1 < offsets.size(); ++g)
      CHECK(std::set(roles.begin() + offsets[g], roles.begin() + offsets[g + 1]).size() == 1);
    const auto nodes = data::nodes_with_role(roles, Role::train);
    return std::set(nodes.begin(), nodes.end());
  };
  const auto all = train_nodes(config.split);
  std::set<graph::Node> larger = all;
  for (const double keep : {0.5, 0.1, 0.02}) {
    config.split.keep = keep;
    const auto kept = train_nodes(config.split);
    CHECK(kept.size() < larger.size());
    CHECK(std::ranges::includes(larger, kept));
    larger = kept;
  }
  config.split.keep = 1;
  config.split.kind = train::SplitKind::k_fold;
  CHECK(train_nodes(config.split).size() > all.size());
}

TEST_CASE("a split without validation items holds out some training items", "[train][collections]") {
  const Folder folder;
  train::Config config = folder.config(kTags, kAttention);
  const train::Dataset data = train::read_dataset(config.data);
  config.split.train = 1;
  config.split.validation = 0;
  CHECK(data::nodes_with_role(train::make_split(data, config.split, 0, 0), Role::validation).empty());
  config.split.holdout = 0.2;
  const data::Split split = train::make_split(data, config.split, 0, 0);
  const auto held = data::nodes_with_role(split, Role::validation).size();
  CHECK(held > 0.1 * static_cast<double>(split.size()));
  CHECK(held < 0.3 * static_cast<double>(split.size()));
}

TEST_CASE("training on collections has the same bits at any number of threads", "[train][collections]") {
  const Folder folder;
  const int before = threads();
  for (const char* collection : {kTags, R"({"texts": "reviews.csv", "label": "label"})"}) {
    const train::Config config = folder.config(collection, kAttention, 4);
    const train::Dataset data = train::read_dataset(config.data);
    set_threads(1);
    const Matrix expected = train::run_job(config, data, 0).predictions;
    for (const int count : {2, 3}) {
      set_threads(count);
      CHECK(train::run_job(config, data, 0).predictions == expected);
    }
    set_threads(before);
  }
}

TEST_CASE("the slots of a step over the nodes of many graphs are bounded", "[train][collections]") {
  const Folder folder;
  const train::Config config = folder.config(kTags, kAttention);
  const train::Dataset data = train::read_dataset(config.data);
  data::Features features;
  features.dense = Matrix::Ones(static_cast<Eigen::Index>(data.graph.node_count()), 2);
  train::GraphBatchOptions options = train::graph_batch_options(data, 60);
  options.batch_slots = 40;
  const graph::FrozenGraph frozen = graph::freeze(data.graph);
  train::GraphBatches batches(features, {frozen, data.collection->offsets}, options);
  const nn::Model model(json::parse(R"({"blocks": [{"type": "dot_product", "width": 4, "mask": "complete"}]})", "test"),
                        {.inputs = 2, .outputs = 4}, 1);
  std::vector<graph::Node> items(data.graph.node_count());
  std::iota(items.begin(), items.end(), graph::Node{0});
  std::vector<graph::Node> seen;
  for (const auto& step : batches.training_batches(model, items, 1, 0)) {
    std::map<std::size_t, double> sizes;
    for (const graph::Node node : step)
      ++sizes[static_cast<std::size_t>(std::ranges::upper_bound(data.collection->offsets, node) -
                                       data.collection->offsets.begin())];
    double slots = 0;
    for (const auto& [g, size] : sizes) slots += size * size;
    CHECK((slots <= 40 || sizes.size() == 1));
    seen.insert(seen.end(), step.begin(), step.end());
  }
  std::ranges::sort(seen);
  CHECK(seen == items);
}

TEST_CASE("collections match the catalogue", "[train][collections][datasets]") {
  const auto load = [](const std::string& config) {
    return train::read_dataset(train::parse_config(json::parse(R"({"data": )" + config + "}", "test")).data);
  };
  for (const std::string name : {"ewt", "rt-polarity", "fsdd", "digits", "mnist1d"}) {
    if (!test::dataset(name)) continue;
    INFO(name);
    const train::Dataset data = load(R"({"dataset": ")" + name + R"("})");  // compares the counts
    CHECK(data.graphs.has_value() == (name != "ewt"));
    CHECK(data.labels.names.size() > 1);
  }
  if (test::dataset("ewt")) {
    CHECK(load(R"({"dataset": "ewt"})").reading.affixes == 4);
    const train::Dataset plain = load(R"({"dataset": "ewt", "affixes": 0})");
    CHECK(plain.reading.affixes == 0);
    CHECK(plain.collection->tokens == std::vector<std::string>{"word"});
  }
  if (!test::dataset("fsdd") || !test::dataset("mnist1d")) return;
  CHECK(load(R"({"dataset": "fsdd", "label": "speaker"})").labels.names.size() == 6);
  CHECK(load(R"({"dataset": "mnist1d", "grid": "1x1"})").graph.node_count() == 5000);
}

TEST_CASE("kept columns stay with their nodes when rows are grouped and ordered", "[train][collections]") {
  const test::TemporaryDirectory folder;
  const auto kept = [](const train::Dataset& data, const std::string& column) {
    return train::kept_columns(data, {column}).at(0).values;
  };
  using Texts = std::vector<std::string>;
  train::DataConfig words;
  words.nodes = folder.write("w.csv", "sentence,position,word,tag\nA,2,runs,V\nB,1,\"a\ncat\",N\nA,1,07,N\n");
  words.graph_column = "sentence";
  words.order = "position";
  words.label = {"tag"};
  CHECK(kept(train::read_dataset(words), "word") == Texts{"07", "runs", "a\ncat"});
  // As many graphs as rows of nodes.
  words.graphs = folder.write("g.csv", "id,v,length\nB,2.50,long\nA,1.0,short\nC,3,short\n");
  words.label = {"length"};
  CHECK(kept(train::read_dataset(words), "v") == Texts{"2.50", "1.0", "3"});
  train::DataConfig texts;
  texts.texts = folder.write("t.csv", "text,label\n\"good\nnice\",x\nbad,y\n");
  texts.label = {"label"};
  CHECK(kept(train::read_dataset(texts), "text") == Texts{"good\nnice", "bad"});
}

TEST_CASE("labels in both tables are those of graphs", "[train][collections]") {
  const test::TemporaryDirectory folder;
  train::DataConfig config;
  config.nodes = folder.write("w.csv", "recording,v,digit\na,1,x\na,2,x\nb,3,y\n");
  config.graphs = folder.write("g.csv", "id,digit\na,x\nb,y\n");
  config.graph_column = "recording";
  config.label = {"digit"};
  const train::Dataset data = train::read_dataset(config);
  CHECK(data.items().size() == 2);
  CHECK(data.graphs.has_value());
}

TEST_CASE("the values of a row are found by name, and its name is no value", "[train][collections]") {
  const test::TemporaryDirectory folder;
  train::DataConfig config;
  config.sequence = true;
  config.label = {"y"};
  const auto load = [&](const std::string& rows) {
    config.nodes = folder.write("s.csv", rows);
    return train::read_dataset(config);
  };
  const train::Dataset data = load("ID,t0,t1,y\n1001,1,2,u\n007,3,4,d\n");
  CHECK(data.graph.names()[2] == "007:1");
  CHECK(data.collection->nodes.at("value").numbers == std::vector<float>{1, 2, 3, 4});
  CHECK(data.reading.value_columns == std::vector<std::string>{"t0", "t1"});
  CHECK_THROWS_WITH(load("id,t0,t1,y\n1,1,2,u\n1,3,4,d\n"),
                    Contains("s.csv:3: column \"id\": expected a name of its own for each row, got \"1\""));
  // As `predict` reads other rows for the model.
  config.value_columns = data.reading.value_columns;
  const train::Dataset other = load("y,batch,note,t1,t0\nu,7,x,2,1\nd,8,y,4,3\n");
  CHECK(other.collection->nodes.at("value").numbers == std::vector<float>{1, 2, 3, 4});
  CHECK_THROWS_WITH(load("t0,y\n1,u\n"), Contains("no column \"t1\""));
  config.sequence = false;
  CHECK_THROWS_WITH(train::read_dataset(config), Contains("needs edges"));
}

TEST_CASE("errors in a collection are reported in one line", "[train][collections]") {
  const Folder folder;
  const auto load = [&](const std::string& data) { return train::read_dataset(folder.config(data, kAttention).data); };
  CHECK_THROWS_WITH(load(R"({"nodes": "tokens.csv", "label": "tag"})"), Contains("data.graph_column"));
  CHECK_THROWS_WITH(load(R"({"nodes": "tokens.csv", "graph_column": "sentense", "label": "tag"})"),
                    Contains("no column \"sentense\""));
  CHECK_THROWS_WITH(load(R"({"graph_column": "sentence", "label": "tag"})"), Contains("needs a table of nodes"));
  CHECK_THROWS_WITH(load(R"({"nodes": "images.csv", "grid": "3x", "label": "bar"})"), Contains("such as 8x8"));
  CHECK_THROWS_WITH(load(R"({"nodes": "images.csv", "grid": "5x5", "label": "bar"})"), Contains("expected 25 columns"));
  CHECK_THROWS_WITH(load(R"({"nodes": "tokens.csv", "graph_column": "sentence", "order": "word", "label": "tag"})"),
                    Contains("expected a number to order by"));
  CHECK_THROWS_WITH(load(R"({"texts": "reviews.csv", "text": "body", "label": "label"})"), Contains("\"body\""));
  CHECK_THROWS_WITH(load(R"({"texts": "reviews.csv", "graph_column": "x", "label": "label"})"), Contains("in one way"));
  CHECK_THROWS_WITH(load(R"({"nodes": "nodes.csv", "graph_column": "x", "tokens": "characters"})"),
                    Contains("for a table of texts"));
  CHECK_THROWS_WITH(load(R"({"nodes": "nodes.csv", "graph_column": "x", "value_columns": ["a"]})"),
                    Contains("is for one graph per row"));
  CHECK_THROWS_WITH(load(R"({"nodes": "tokens.csv", "graph_column": "sentence"})"), Contains("data.label"));
}
