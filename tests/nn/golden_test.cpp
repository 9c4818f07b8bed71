// Compares the layers with PyTorch Geometric: values and gradients from tests/golden/make_layers.py, read and imported
// with the library.
#include <catch2/catch.hpp>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "edgewise/autograd/activations.hpp"
#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/autograd/binary_cross_entropy.hpp"
#include "edgewise/autograd/consistency.hpp"
#include "edgewise/autograd/cross_entropy.hpp"
#include "edgewise/autograd/gaussian_error.hpp"
#include "edgewise/autograd/squared_error.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/import_pyg.hpp"
#include "edgewise/nn/model.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;
using autograd::Variable;
using test::check_near;
using test::golden;
using test::golden_graph;
using test::matrix;

namespace {

/// The tensors under `from`, moved under `to`.
io::Safetensors state_under(const io::Safetensors& file, const std::string& from, const std::string& to = "conv.") {
  io::Safetensors state;
  for (const io::Tensor& tensor : file.tensors) {
    if (!tensor.name.starts_with(from)) continue;
    state.tensors.push_back(tensor);
    state.tensors.back().name = to + tensor.name.substr(from.size());
  }
  return state;
}

void check_layer(const std::string& name) {
  INFO(name);
  const io::Safetensors file = golden(name);
  const json::Value config = json::parse(*file.find_metadata("model"), name);
  const graph::FrozenGraph frozen = golden_graph(file, nn::graph_options_of(config));
  const Matrix y = matrix(file, "y");
  autograd::Parameter x("x", matrix(file, "x"));
  const nn::ModelShape shape{.inputs = static_cast<int>(x.value.cols()),
                             .outputs = static_cast<int>(y.cols()),
                             .edge_features = static_cast<int>(frozen.edge_features.cols())};
  nn::Model model(config, shape, 1);
  io::Safetensors state = state_under(file, "conv.");
  // With root_weight=False the module does not use its skip.
  if (name == "transformer_bare")
    std::erase_if(state.tensors, [](const io::Tensor& tensor) { return tensor.name.starts_with("conv.lin_skip."); });
  nn::import_pyg(model, state);

  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}}, .is_training = true};
  for (const auto& [state_name, moments] : model.state()) {
    moments->setConstant(state_name.ends_with("variance") ? 1.0F : 0.0F);
  }
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), y);
  const Matrix r = matrix(file, "r");
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));

  // The gradients are imported into a second model in the same way.
  nn::Model gradients(config, shape, 1);
  io::Safetensors gradient_state = state_under(file, "grad.conv.");
  for (const auto& [state_name, moments] : model.state()) {
    const std::string theirs = state_name.ends_with("variance") ? "conv.running_var" : "conv.running_mean";
    check_near(state_name, *moments, matrix(file, theirs));
    gradient_state.tensors.push_back(*file.find(theirs));
  }
  nn::import_pyg(gradients, gradient_state);
  const auto found = model.parameters();
  const auto expected = gradients.parameters();
  for (std::size_t i = 0; i < found.size(); ++i) {
    // PyG has two factors, Edgewise their product, so the gradients cannot be compared.
    const bool is_product = name.starts_with("gat_") && found[i]->name.ends_with("edge_weight");
    if (!is_product) check_near(found[i]->name, found[i]->gradient, expected[i]->value);
  }
}

}  // namespace

TEST_CASE("layers give the values and gradients of PyTorch Geometric", "[nn][golden]") {
  for (const char* name :
       {"gat_concat", "gat_mean_loops", "gat_edges_residual", "gat_edges_loops", "gatv2_concat",
        "gatv2_mean_edges_loops", "gatv2_shared_residual", "transformer_concat", "transformer_mean_beta",
        "transformer_edges_beta", "transformer_bare", "gcn", "linear", "layer_norm", "batch_norm"}) {
    check_layer(name);
  }
}

TEST_CASE("gcn2 gives the values and gradients of PyTorch Geometric's GCN2Conv", "[nn][golden]") {
  const io::Safetensors file = golden("gcn2");
  const json::Value config = json::parse(*file.find_metadata("model"), "gcn2");
  const graph::FrozenGraph frozen = golden_graph(file, nn::graph_options_of(config));
  autograd::Parameter x("x", matrix(file, "x"));
  nn::Model model(config, {.inputs = 5, .outputs = 5}, 1);
  const std::vector<autograd::Parameter*> weights = model.parameters();
  REQUIRE(weights.size() == 2);
  for (std::size_t layer = 0; layer < 2; ++layer)
    weights[layer]->value = matrix(file, "conv." + std::to_string(layer) + ".weight1");
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}}, .is_training = true};
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), matrix(file, "y"));
  const Matrix r = matrix(file, "r");
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));
  for (std::size_t layer = 0; layer < 2; ++layer)
    check_near(weights[layer]->name, weights[layer]->gradient,
               matrix(file, "grad.conv." + std::to_string(layer) + ".weight1"));
}

// tests/golden/make_models.py
TEST_CASE("layers without an import give the values and gradients of PyTorch Geometric", "[nn][golden]") {
  const std::string name = GENERATE("sage", "sage_bare", "appnp", "appnp_bare", "bahdanau", "rgcn", "rgcn_bases",
                                    "rgat", "hgt");
  INFO(name);
  const io::Safetensors file = golden(name);
  const json::Value config = nn::expand_model(json::parse(*file.find_metadata("model"), name));
  const graph::FrozenGraph frozen = golden_graph(file, nn::graph_options_of(config));
  autograd::Parameter x("x", matrix(file, "x"));
  const Matrix y = matrix(file, "y"), r = matrix(file, "r");
  nn::Model model(config,
                  {.inputs = static_cast<int>(x.value.cols()),
                   .outputs = static_cast<int>(y.cols()),
                   .edge_features = static_cast<int>(frozen.edge_features.cols())},
                  1);
  for (autograd::Parameter* parameter : model.parameters()) parameter->value = matrix(file, parameter->name);
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}}};
  const std::vector<graph::Node> offsets = {0, static_cast<graph::Node>(x.value.rows())};
  std::map<std::string, graph::FrozenGraph> relations;
  for (const nn::MaskShape& mask : model.masks_by_rule()) {
    relations[mask.name] = graph::parse_mask(mask.name).build({.edges = frozen, .offsets = offsets});
    context.masks[mask.name] = &relations[mask.name];
  }
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), y);
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));
  const bool has_products = name == "hgt";  // of parameters there, which have the gradients
  for (const autograd::Parameter* parameter : model.parameters())
    if (!has_products) check_near(parameter->name, parameter->gradient, matrix(file, "grad." + parameter->name));
}

TEST_CASE("an imported model of several layers gives the values and gradients of PyTorch Geometric", "[nn][golden]") {
  const io::Safetensors file = golden("several_layers");
  const json::Value config = json::parse(*file.find_metadata("model"), "several_layers");
  const graph::FrozenGraph frozen = golden_graph(file, nn::graph_options_of(config));
  autograd::Parameter x("x", matrix(file, "x"));
  nn::Model model(config, {.inputs = 5, .outputs = 2}, 1);
  const nn::PygModule modules[] = {{"blocks.0", "conv1"}, {"blocks.1", "norm1"}, {"blocks.3", "conv2"},
                                   {"blocks.4", "norm2"}, {"blocks.6", "conv3"}, {"blocks.7", "head"}};
  nn::import_pyg(model, state_under(file, "state.", ""), modules);
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}}};
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), matrix(file, "y"));
  const Matrix r = matrix(file, "r");
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));
}

TEST_CASE("losses and activations give the values and gradients of PyTorch", "[nn][golden]") {
  const io::Safetensors file = golden("losses");
  const Matrix targets = matrix(file, "targets"), weights = matrix(file, "weights");
  const std::span<const float> weight_span(weights.data(), 4);
  std::vector<std::int32_t> classes;
  std::vector<std::uint32_t> nodes;
  for (const float c : file.find("classes")->values) {
    classes.push_back(static_cast<std::int32_t>(c));
    nodes.push_back(static_cast<std::uint32_t>(nodes.size()));
  }
  const auto check = [&](const std::string& name, const auto& loss) {
    autograd::Parameter logits("logits", matrix(file, "logits"));
    autograd::Tape tape;
    const Variable value = loss(tape.parameter(logits));
    tape.backward(value);
    check_near(name, value.value(), matrix(file, name));
    check_near("grad." + name, logits.gradient, matrix(file, "grad." + name));
  };
  check("cross_entropy", [&](Variable x) { return autograd::cross_entropy(x, classes, nodes); });
  check("cross_entropy_weighted", [&](Variable x) { return autograd::cross_entropy(x, classes, nodes, weight_span); });
  check("binary_cross_entropy", [&](Variable x) { return autograd::binary_cross_entropy(x, targets, nodes); });
  check("binary_cross_entropy_weighted",
        [&](Variable x) { return autograd::binary_cross_entropy(x, targets, nodes, weight_span); });
  check("consistency", [&](Variable x) {
    return autograd::consistency(std::array{x, autograd::scale(x, -0.5F), autograd::scale(x, 2)}, 0.5F);
  });
  check("squared_error", [&](Variable x) { return autograd::squared_error(x, targets, nodes); });
  const Matrix known = targets.leftCols(2);
  check("gaussian_error", [&](Variable x) { return autograd::gaussian_error(x, known, nodes); });

  const Matrix logits = matrix(file, "logits");
  autograd::Tape tape;
  const Variable x = tape.constant(logits);
  check_near("relu", autograd::relu(x).value(), matrix(file, "activation.relu"));
  check_near("elu", autograd::elu(x).value(), matrix(file, "activation.elu"));
  check_near("gelu", autograd::gelu(x).value(), matrix(file, "activation.gelu"));
  check_near("sigmoid", autograd::sigmoid(x).value(), matrix(file, "activation.sigmoid"));
  check_near("tanh", autograd::tanh(x).value(), matrix(file, "activation.tanh"));
}
