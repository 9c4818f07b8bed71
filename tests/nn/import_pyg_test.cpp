// Names, pairs and refusals. golden_test.cpp checks the imported values.
#include "edgewise/nn/import_pyg.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

const nn::ModelShape kImportedShape{.inputs = 2, .outputs = 2};

nn::Model make_model(const std::string& blocks) {
  return nn::Model(json::parse("{\"blocks\": [" + blocks + "]}", "test"), kImportedShape, 1);
}

io::Safetensors gat_state(const std::string& prefix) {
  io::Safetensors state;
  state.tensors = {{prefix + ".att_src", {1, 1, 2}, {1, 2}},
                   {prefix + ".att_dst", {1, 1, 2}, {3, 4}},
                   {prefix + ".bias", {2}, {5, 6}},
                   {prefix + ".lin.weight", {2, 2}, {7, 8, 9, 10}}};
  return state;
}

const char* const kGat = R"({"type": "gat", "width": 2})";

void check_refused(nn::Model& model, const io::Safetensors& state, const std::string& message) {
  CHECK_THROWS_AS(nn::import_pyg(model, state), ModelError);
  CHECK_THROWS_WITH(nn::import_pyg(model, state), Contains(message) && !Contains("\n"));
}

}  // namespace

TEST_CASE("import_pyg takes the names of all versions of GATConv", "[nn][import_pyg]") {
  Matrix weight(2, 2);
  weight << 7, 9, 8, 10;
  const auto check = [&](const io::Safetensors& state) {
    nn::Model model = make_model(kGat);
    nn::import_pyg(model, state);
    CHECK(model.parameters()[0]->value == weight);
    CHECK(model.parameters()[1]->value(0, 1) == 2);
    CHECK(model.parameters()[2]->value(0, 0) == 3);
    CHECK(model.parameters()[3]->value(0, 1) == 6);
  };
  io::Safetensors state = gat_state("conv1");
  check(state);
  state.tensors[3].name = "conv1.lin_src.weight";
  check(state);
  state.tensors[0].name = "conv1.att_l";
  state.tensors[1].name = "conv1.att_r";
  state.tensors[3].name = "conv1.lin_l.weight";
  state.tensors.push_back(state.tensors[3]);
  state.tensors.back().name = "conv1.lin_r.weight";
  check(state);
  state.tensors.back().values[0] = 0;
  nn::Model model = make_model(kGat);
  check_refused(model, state, "expected the same as \"conv1.lin_l.weight\"");
}

TEST_CASE("import_pyg pairs modules in the order of their numbers", "[nn][import_pyg]") {
  nn::Model model = make_model(std::string(kGat) + "," + kGat);
  io::Safetensors state = gat_state("convs.10");
  state.tensors[2].values = {50, 60};
  for (const io::Tensor& tensor : gat_state("convs.2").tensors) state.tensors.push_back(tensor);
  nn::import_pyg(model, state);
  CHECK(model.parameters()[3]->name == "blocks.0.bias");
  CHECK(model.parameters()[3]->value(0, 0) == 5);
  CHECK(model.parameters()[7]->value(0, 0) == 50);
  const nn::PygModule swapped[] = {{"blocks.0", "convs.10"}, {"blocks.1", "convs.2"}};
  nn::import_pyg(model, state, swapped);
  CHECK(model.parameters()[3]->value(0, 0) == 50);
}

TEST_CASE("import_pyg refuses what does not fit", "[nn][import_pyg]") {
  nn::Model model = make_model(kGat);
  const auto check = [&](const std::string& message, const auto& change) {
    io::Safetensors state = gat_state("conv1");
    change(state.tensors);
    check_refused(model, state, message);
  };
  check("not of a known module", [](auto& tensors) { tensors[0].name = "conv1.attention"; });
  check("\"att_dst\" is missing", [](auto& tensors) { tensors.erase(tensors.begin() + 1); });
  check("module \"conv1\" has nothing to fill it with", [](auto& tensors) { tensors.erase(tensors.begin() + 2); });
  check("the block has no \"residual.weight\"", [](auto& tensors) {
    tensors.push_back({"conv1.res.weight", {2, 2}, {1, 2, 3, 4}});
  });
  check("block \"blocks.0\" has no use for it", [](auto& tensors) {
    tensors.push_back({"conv1.lin_skip.weight", {2, 2}, {1, 2, 3, 4}});
  });
  check("expected [2, 2] for block \"blocks.0\", got [4, 1]", [](auto& tensors) { tensors[3].shape = {4, 1}; });
  check("expected 2 elements for block", [](auto& tensors) {
    tensors[0].shape = {1, 1, 3};
    tensors[0].values = {1, 2, 3};
  });
  check("1 blocks with parameters, the state 2 modules", [](auto& tensors) {
    tensors.push_back({"other.weight", {2, 2}, {1, 2, 3, 4}});
  });
  const nn::PygModule nowhere[] = {{"blocks.7", "conv1"}};
  CHECK_THROWS_WITH(nn::import_pyg(model, gat_state("conv1"), nowhere), Contains("no such block"));
  const nn::PygModule nothing[] = {{"blocks.0", "conv9"}};
  CHECK_THROWS_WITH(nn::import_pyg(model, gat_state("conv1"), nothing), Contains("no tensors of such a module"));
}

TEST_CASE("import_pyg does not drop the skip of a TransformerConv", "[nn][import_pyg]") {
  io::Safetensors state;
  for (const char* name : {"lin_query", "lin_key", "lin_value", "lin_skip"}) {
    state.tensors.push_back({fmt::format("conv.{}.weight", name), {2, 2}, {1, 2, 3, 4}});
    state.tensors.push_back({fmt::format("conv.{}.bias", name), {2}, {5, 6}});
  }
  nn::Model without = make_model(R"({"type": "dot_product", "width": 2})");
  check_refused(without, state, "tensor \"conv.lin_skip.weight\": block \"blocks.0\" has no residual");
  nn::Model with = make_model(R"({"type": "dot_product", "width": 2, "residual": "projection"})");
  nn::import_pyg(with, state);
  state.tensors.resize(6);
  nn::import_pyg(without, state);  // as with root_weight=False
  check_refused(with, state, "tensor \"conv.lin_skip.weight\" is missing");
}
