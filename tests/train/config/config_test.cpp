#include "edgewise/train/config/config.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

/// The words between backticks on a page: `--epochs N`, `.steps` and `--set split.name=NAME` give "--epochs", "steps"
/// and "split.name".
std::set<std::string> words_of(const std::string& page) {
  std::set<std::string> words;
  for (std::size_t begin = page.find('`'); begin != std::string::npos; begin = page.find('`', begin)) {
    const std::size_t end = page.find('`', begin + 1);
    std::string text = page.substr(begin + 1, end - begin - 1);
    const bool is_set = text.starts_with("--set ");
    if (is_set) text.erase(0, 6);
    text = text.substr(0, text.find_first_of(" ="));
    words.insert(is_set || text.starts_with("--") ? text : text.substr(text.rfind('.') + 1));
    begin = end == std::string::npos ? end : end + 1;
  }
  return words;
}

/// Members below `path`, which ends with a dot if it is not empty: by their flags, or by `--set` if verbs have none.
void check_told(const std::set<std::string>& words, const std::vector<json::FieldDoc>& fields,
                const std::string& path) {
  for (const json::FieldDoc& field : fields) {
    CAPTURE(path, field.name, field.flag);
    const std::string name(field.name);
    CHECK_FALSE(field.doc.empty());
    CHECK((field.flag.empty() || words.contains(std::string(field.flag)) || words.contains(path + name)));
    if (field.flag.empty() && field.type != json::FieldType::object) CHECK(words.contains(name));
    check_told(words, field.fields, path + name + ".");
  }
}

train::Config parse(const std::string& text) { return train::parse_config(json::parse(text, "my.json")); }

}  // namespace

TEST_CASE("a model with candidates is a choice among them", "[train][config]") {
  CHECK(parse(R"({"model": {"candidates": ["mlp"]}})").model.json().at("preset") == json::Value("auto"));
  CHECK(parse(R"({"model": {"hidden": 8}})").model.json().at("preset") == json::Value("gat"));
}

TEST_CASE("an empty configuration has the defaults, and can be printed and read back", "[train][config]") {
  const json::Value printed = train::to_json(parse("{}"));
  CHECK(printed.at("training").at("epochs").as_integer() == 1000);
  CHECK(printed.at("data").find("affixes") == nullptr);  // 0 is an answer of its own
  CHECK(train::to_json(parse(R"({"data": {"affixes": 0}})")).at("data").at("affixes") == json::Value(0));
  CHECK(train::to_json(train::parse_config(printed)) == printed);
  CHECK(train::to_json(train::parse_config(json::parse(json::dump_pretty(printed), "printed"))) == printed);
}

TEST_CASE("every member of a configuration is read", "[train][config]") {
  const std::string text = R"({
    "data": {"edges": "e.csv", "nodes": "n.csv", "features": "f.csv", "source": "a", "target": "b", "weight": "w",
             "edge_features": ["x", "y"], "edge_categories": {"y": ["b", "a"]}, "id": "who",
             "label": ["buys", "sells"], "task": "multilabel",
             "categorical": ["zip"], "ignore": "note", "normalise_rows": true, "directed": true,
             "duplicates": "refuse", "self_loops": "drop"},
    "split": {"kind": "stratified", "train": 0.5, "validation": 0.25, "seed": 3},
    "model": {"preset": "gat", "heads": 4},
    "training": {"epochs": 30, "seed": 9, "runs": 5, "optimiser": "adamw", "learning_rate": 0.1, "weight_decay": 0,
                 "decay_all": true, "clip_norm": 1.5, "average": 0.9, "schedule": {"kind": "cosine", "warmup": 3},
                 "stopping": "gat", "patience": 7, "evaluate_every": 2, "reorder": "degree",
                 "class_weights": [1, 2], "metric": "roc_auc"}})";
  const train::Config config = parse(text);
  CHECK(config.data.label == std::vector<std::string>{"buys", "sells"});
  CHECK(config.data.ignore == std::vector<std::string>{"note"});
  CHECK(config.data.graph_options().direction == graph::Direction::directed);
  CHECK(config.data.graph_options().duplicates == graph::DuplicateEdges::refuse);
  CHECK(config.data.graph_options().self_loops == graph::SelfLoops::drop);
  CHECK(config.split.train == 0.5);
  CHECK(config.split.seed == 3);
  CHECK(config.model.json().get("heads", 0) == 4);
  CHECK(config.runs == 5);
  CHECK(config.training.seed == 9);
  CHECK(config.training.average == 0.9);
  CHECK(config.training.schedule.kind == optim::ScheduleKind::cosine);
  CHECK(config.training.stopping.rule == train::StoppingRule::gat);
  CHECK(config.training.reorder == "degree");
  CHECK(config.training.class_weights.given == std::vector<double>{1, 2});
  CHECK(train::to_json(train::parse_config(train::to_json(config))) == train::to_json(config));
}

TEST_CASE("errors in a configuration are reported with their path", "[train][config]") {
  CHECK_THROWS_WITH(parse(R"({"trainig": {}})"), Contains("unknown member \"trainig\""));
  CHECK_THROWS_WITH(parse(R"({"training": {"epoch": 3}})"), Contains("my.json: training: unknown member \"epoch\""));
  CHECK_THROWS_WITH(parse(R"({"training": {"epochs": 0}})"),
                    Contains("my.json: training.epochs: expected an integer of at least 1, got 0"));
  CHECK_THROWS_WITH(parse(R"({"training": {"average": 1}})"), Contains("training.average: expected a number in [0, "));
  CHECK_THROWS_WITH(parse(R"({"training": {"epochs": "many"}})"), Contains("training.epochs: expected an integer"));
  CHECK_THROWS_WITH(parse(R"({"training": {"stopping": "soon"}})"), Contains("training.stopping: expected one of"));
  CHECK_THROWS_WITH(parse(R"({"training": {"class_weights": [1, -2]}})"),
                    Contains("class_weights[1]: expected a number of at least 0, got -2"));
  CHECK_THROWS_WITH(parse(R"({"training": {"schedule": {"kind": "cosine", "warmup": 2000}}})"), Contains("warm-up"));
  CHECK_THROWS_WITH(parse(R"({"split": {"train": 0.9, "validation": 0.2}})"), Contains("sum to at most 1"));
  CHECK_THROWS_WITH(parse(R"({"data": {"duplicates": "maybe"}})"), Contains("keep_first, keep_all, refuse"));
  CHECK_THROWS_AS(parse(R"({"model": 3})"), UsageError);
  CHECK_THROWS_AS(parse(R"([])"), UsageError);
  CHECK_THROWS_WITH(parse(R"({"schema": "edgewise.config/9"})"), Contains("edgewise.config/1"));
}

TEST_CASE("the pages about the command line mention every member and flag of a configuration", "[train][config]") {
  std::set<std::string> words;
  for (const auto& page : std::filesystem::directory_iterator(EDGEWISE_SOURCE_DIR "/docs/command-line")) {
    std::ifstream in(page.path(), std::ios::binary);
    words.merge(words_of({std::istreambuf_iterator<char>(in), {}}));
  }
  REQUIRE(words.contains("--epochs"));
  check_told(words, train::config_fields(), "");
}

TEST_CASE("targets have weights, from a flag or an object", "[train][config]") {
  using Weights = std::vector<std::pair<std::string, double>>;
  const auto weights_of = [](const json::Value& given) {
    const json::Value all = json::Object{{"training", json::Object{{"target_weights", given}}}};
    return train::parse_config(all.rooted_at("config")).training.target_weights;
  };
  CHECK(weights_of("a=2,b=0.5") == Weights{{"a", 2}, {"b", 0.5}});
  CHECK(weights_of("x=y=3") == Weights{{"x=y", 3}});
  CHECK(weights_of(json::Object{{"a", 2}}) == Weights{{"a", 2}});
  for (const char* wrong : {"a", "=2", "a=", "a=-1", "a=many"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(weights_of(wrong), Contains("training.target_weights"));
  }
  const train::Config config =
      train::parse_config(json::Object{{"training", json::Object{{"target_weights", "a=2,b=1"}}}});
  CHECK(train::parse_config(train::to_json(config)).training.target_weights == config.training.target_weights);
}

TEST_CASE("each setting has a flag", "[train][config]") {
  CHECK(train::flag_of("data.label") == "--label");
  CHECK(train::flag_of("split.file") == "--split-file");
  CHECK(train::flag_of("training.learning_rate") == "--learning-rate");
  CHECK(train::flag_of("model.preset") == "--model");
  CHECK(train::flag_of("nodes_to_predict") == "--nodes-to-predict");
}
