#include "edgewise/nn/model_file.hpp"

#include <catch2/catch.hpp>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/io/safetensors.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

struct Directory {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("edgewise-model-file-" + std::to_string(::getpid()));
  Directory() { std::filesystem::create_directories(path); }
  ~Directory() { std::filesystem::remove_all(path); }
  std::string file(const char* name) const { return (path / name).string(); }
};

const nn::ModelShape kFileShape{.inputs = 5, .outputs = 3, .edge_features = 2};

nn::Model make_model() {
  return nn::Model(json::parse(R"({"preset": "gat", "hidden": 8, "heads": 2, "norm": "batch"})", "test"), kFileShape,
                   3);
}

/// Changes something in the file of a saved model.
template <class Change>
void check_refused(const std::string& message, const Change& change) {
  const Directory directory;
  const std::string path = directory.file("m.safetensors");
  nn::Model model = make_model();
  nn::save_model(path, model);
  io::Safetensors content = io::read_safetensors(path);
  change(content);
  io::write_safetensors(path, content);
  INFO(message);
  CHECK_THROWS_AS(nn::load_model(path), ModelError);
  CHECK_THROWS_WITH(nn::load_model(path), Contains(message) && Contains("m.safetensors") && !Contains("\n"));
}

std::string& metadata(io::Safetensors& content, const std::string& name) {
  for (auto& [key, text] : content.metadata) {
    if (key == name) return text;
  }
  throw std::logic_error("no such metadata");
}

io::Tensor& tensor(io::Safetensors& content, const std::string& name) {
  for (io::Tensor& each : content.tensors) {
    if (each.name == name) return each;
  }
  throw std::logic_error("no such tensor");
}

}  // namespace

TEST_CASE("a model file restores the model and the sections", "[nn][model_file]") {
  const Directory directory;
  const std::string path = directory.file("m.safetensors");
  nn::Model model = make_model();
  model.state()[0].second->setConstant(0.25F);
  const json::Value sections =
      json::parse(R"({"labels": {"names": ["no", "yes", "ö"]}, "record": {"epochs": 3}})", "t");
  nn::save_model(path, model, sections);
  nn::LoadedModel loaded = nn::load_model(path);
  CHECK(loaded.sections == sections);
  CHECK(loaded.model.config() == model.config());
  CHECK(loaded.model.shape() == model.shape());
  REQUIRE(loaded.model.parameters().size() == model.parameters().size());
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    CHECK(loaded.model.parameters()[i]->name == model.parameters()[i]->name);
    CHECK(loaded.model.parameters()[i]->value == model.parameters()[i]->value);
  }
  REQUIRE(loaded.model.state().size() == 2);
  CHECK(*loaded.model.state()[0].second == *model.state()[0].second);

  // Saving again gives the same bytes.
  nn::save_model(directory.file("again"), loaded.model, loaded.sections);
  const auto bytes = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  CHECK(bytes(path) == bytes(directory.file("again")));
}

TEST_CASE("a model file that is damaged or hostile is refused", "[nn][model_file]") {
  check_refused("\"edgewise.format\" is missing", [](auto& content) { content.metadata.clear(); });
  check_refused("expected a number as", [](auto& content) { metadata(content, "edgewise.format") = "1x"; });
  check_refused("has format 2; this version reads up to 1",
                [](auto& content) { metadata(content, "edgewise.format") = "2"; });
  check_refused("edgewise.model", [](auto& content) { metadata(content, "edgewise.model") = "{"; });
  check_refused("\"blocks\" is missing", [](auto& content) { metadata(content, "edgewise.model") = "{}"; });
  check_refused("expected an object", [](auto& content) { metadata(content, "edgewise.sections") = "3"; });
  check_refused("\"inputs\" is missing", [](auto& content) { metadata(content, "edgewise.shape") = "{}"; });
  check_refused("inputs: expected a size", [](auto& content) {
    metadata(content, "edgewise.shape") = R"({"inputs": -1, "outputs": 3, "edge_features": 2})";
  });
  check_refused("\"blocks.0.weight\": expected shape", [](auto& content) {
    metadata(content, "edgewise.shape") = R"({"inputs": 4, "outputs": 3, "edge_features": 2})";
  });
  // A configuration that needs more memory than there are numbers in the file.
  check_refused("are more than there are", [](auto& content) {
    metadata(content, "edgewise.shape") = R"({"inputs": 2147483647, "outputs": 3, "edge_features": 2})";
  });
  check_refused("are more than there are", [](auto& content) {
    metadata(content, "edgewise.model") =
        R"({"blocks": [{"type": "linear", "width": 1000000}, {"type": "linear", "width": "outputs"}]})";
  });
  check_refused("tensor \"blocks.0.bias\" is missing", [](auto& content) {
    std::erase_if(content.tensors, [](const io::Tensor& each) { return each.name == "blocks.0.bias"; });
  });
  check_refused("tensor \"more\" is not part of the model",
                [](auto& content) { content.tensors.push_back({"more", {1}, {0}}); });
  check_refused("tensor \"blocks.0.weight\": expected shape [5, 8]",
                [](auto& content) { tensor(content, "blocks.0.weight").shape = {8, 5}; });
  check_refused("holds NaN or infinities", [](auto& content) {
    tensor(content, "blocks.0.weight").values[3] = std::numeric_limits<float>::quiet_NaN();
  });
  check_refused("running_variance\" holds NaN or infinities", [](auto& content) {
    tensor(content, "blocks.1.running_variance").values[0] = std::numeric_limits<float>::infinity();
  });
}

TEST_CASE("a small model file cannot ask for many models, layers or steps", "[nn][model_file]") {
  const auto check_config = [](const std::string& message, const std::string& config) {
    check_refused(message, [&](io::Safetensors& content) { metadata(content, "edgewise.model") = config; });
  };
  check_config("expected blocks, got a preset", R"({"preset": "gat", "layers": 2000000000})");
  for (const char* block : {R"({"type": "gcn2", "layers": 2000000000})", R"({"type": "appnp", "steps": 2000000000})"})
    check_config("expected an integer from 1 to 1000, got 2000000000", std::string(R"({"blocks": [)") + block + "]}");
  const auto check_models = [](const std::string& message, const std::string& config) {
    check_refused(message, [&](io::Safetensors& content) {
      metadata(content, "edgewise.models") = "2147483647";
      metadata(content, "edgewise.model") = config;
      metadata(content, "edgewise.shape") = R"({"inputs": 0, "outputs": 3, "edge_features": 2})";
    });
  };
  check_models("2147483647 models are more than 1000",
               R"({"blocks": [{"type": "linear", "width": "outputs", "bias": false}]})");
  check_refused("1000 models, but tensors for fewer", [](io::Safetensors& content) {
    metadata(content, "edgewise.models") = "1000";
    metadata(content, "edgewise.model") =
        R"({"blocks": [{"type": "gcn2", "layers": 1000}, {"type": "linear", "width": "outputs"}]})";
    metadata(content, "edgewise.shape") = R"({"inputs": 0, "outputs": 3, "edge_features": 2})";
  });
}

TEST_CASE("a model saved with rows in bfloat16 is loaded and computes in float32", "[nn][model_file]") {
  const Directory directory;
  const std::string path = directory.file("m.safetensors");
  nn::Model model = make_model();
  nn::save_model(path, model, json::parse(R"({"training": {"model": {"preset": "gat", "storage": "bfloat16"}}})", ""));
  io::Safetensors content = io::read_safetensors(path);
  std::string& config = metadata(content, "edgewise.model");
  constexpr std::string_view kStorage = R"("storage":"bfloat16",)";
  for (std::size_t at = 0; (at = config.find(R"("type":"gat",)", at)) != std::string::npos; at += kStorage.size() + 1)
    config.insert(at, kStorage);
  REQUIRE(config.find(kStorage) != std::string::npos);
  io::write_safetensors(path, content);
  const nn::LoadedModel loaded = nn::load_model(path);
  CHECK(loaded.model.config() == model.config());
  CHECK(loaded.sections == json::parse(R"({"training": {"model": {"preset": "gat"}}})", ""));
}

TEST_CASE("a model file has at least one model", "[nn][model_file]") {
  CHECK_THROWS_AS(nn::to_safetensors({}, json::Object{}), UsageError);
}

TEST_CASE("a truncated model file is refused", "[nn][model_file]") {
  const Directory directory;
  const std::string path = directory.file("m.safetensors");
  nn::Model model = make_model();
  nn::save_model(path, model);
  for (auto size = std::filesystem::file_size(path); size > 0;) {
    size -= std::min<std::uintmax_t>(size, 97);
    std::filesystem::resize_file(path, size);
    CHECK_THROWS_AS(nn::load_model(path), ModelError);
  }
  CHECK_THROWS_AS(nn::load_model(directory.file("missing")), DataError);
}

TEST_CASE("a file of a graph-level model keeps its shape", "[nn][model_file]") {
  const Directory directory;
  const std::string path = directory.file("m.safetensors");
  const nn::ModelShape shape{.inputs = 5, .outputs = 2, .edge_features = 2, .pair_features = 3};
  nn::Model model(json::parse(R"({"preset": "gps", "hidden": 8, "heads": 2, "readout": "mean"})", "test"), shape, 3);
  nn::save_model(path, model, json::Object{});
  nn::LoadedModel loaded = nn::load_model(path);
  CHECK(loaded.model.shape() == shape);
  CHECK(loaded.model.is_graph_level());
  CHECK(loaded.model.uses_mask("complete"));
}
