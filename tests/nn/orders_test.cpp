// Compares blocks along an order or a grid with PyTorch and torchdiffeq (tests/golden/make_orders.py).
#include <catch2/catch.hpp>

#include "edgewise/autograd/arithmetic.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/convolution.hpp"
#include "edgewise/nn/lstm.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/positions.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"
#include "support/ring_batch.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using graph::Node;
using test::check_near;
using test::matrix;

namespace {

struct Golden {
  io::Safetensors file;
  std::vector<Node> offsets = {0};
  std::uint32_t grid_columns = 0;

  explicit Golden(const std::string& name) : file(test::golden("order_" + name)) {
    for (const float size : file.find("sizes")->values) offsets.push_back(offsets.back() + static_cast<Node>(size));
    grid_columns = static_cast<std::uint32_t>(std::stoul(*file.find_metadata("grid_columns")));
  }
};

}  // namespace

TEST_CASE("blocks along an order give the values and gradients of PyTorch", "[nn][orders][golden]") {
  const std::string name =
      GENERATE("lstm", "convolution_line", "convolution_grid", "attention_band", "positions_sinusoidal",
               "positions_learned", "positions_recurrent", "positions_floater", "linear_elu", "linear_causal",
               "linear_sgformer");
  INFO(name);
  const Golden golden(name);
  const Matrix x = matrix(golden.file, "x"), y = matrix(golden.file, "y"), r = matrix(golden.file, "r");
  nn::Model model(json::parse(*golden.file.find_metadata("model"), name),
                  {.inputs = static_cast<int>(x.cols()), .outputs = static_cast<int>(y.cols())}, 1);
  const auto parameters = model.parameters();
  for (autograd::Parameter* parameter : parameters) parameter->value = matrix(golden.file, parameter->name);
  std::map<std::string, graph::FrozenGraph> masks;
  const graph::FrozenGraph no_edges;
  for (const nn::MaskShape& mask : model.masks())
    masks.emplace(mask.name, graph::parse_mask(mask.name).build(
                                 {.edges = no_edges, .offsets = golden.offsets, .grid_columns = golden.grid_columns}));
  autograd::Tape tape;
  nn::ForwardContext context{.tape = tape};
  for (const auto& [mask_name, mask] : masks) context.masks.emplace(mask_name, &mask);
  autograd::Parameter input("x", x);
  const autograd::Variable found = model.forward(context, {.dense = tape.parameter(input)});
  check_near("y", found.value(), y);
  tape.backward(test::weighted_sum(found, r));
  check_near("grad.x", input.gradient, matrix(golden.file, "grad.x"));
  for (const autograd::Parameter* parameter : parameters)
    check_near(parameter->name, parameter->gradient, matrix(golden.file, "grad." + parameter->name));
}

TEST_CASE("blocks along an order work without nodes, and with empty graphs", "[nn][orders]") {
  for (const std::vector<Node>& offsets : {std::vector<Node>{0}, std::vector<Node>{0, 0, 2, 2}}) {
    const graph::FrozenGraph order = graph::readout_mask(offsets);
    for (const char* block :
         {R"({"type": "lstm", "width": 3})", R"({"type": "positions"})", R"({"type": "positions", "kind": "floater"})",
          R"({"type": "positions", "kind": "recurrent"})", R"({"type": "positions", "kind": "learned"})",
          R"({"type": "linear_attention", "width": 3})", R"({"type": "linear_attention", "width": 3, "causal": true})",
          R"({"type": "linear_attention", "width": 3, "kernel": "sgformer"})"}) {
      INFO(block);
      nn::BuildContext build{.shape = {.inputs = 2, .outputs = 1}, .width = 2, .name = "b"};
      const auto made = nn::make_block(json::parse(block, "test"), build);
      autograd::Tape tape;
      nn::ForwardContext context{.tape = tape, .masks = {{"readout", &order}}};
      const Matrix x = Matrix::Ones(offsets.back(), 2);
      CHECK(autograd::Variable(made->forward(context, {.dense = tape.constant(x)}).dense).value().allFinite());
    }
  }
}

TEST_CASE("positions keep the gradients of several passes on one tape", "[nn][orders]") {
  const std::string kind = GENERATE("learned", "recurrent", "floater");
  INFO(kind);
  const auto gradients_of = [&](const std::vector<Node>& sizes) {
    nn::BuildContext build{.shape = {.inputs = 2, .outputs = 1}, .width = 2, .name = "b"};
    const auto made = nn::make_block(json::parse(R"({"type": "positions", "kind": ")" + kind + "\"}", "test"), build);
    std::vector<autograd::Parameter*> parameters;
    made->collect_parameters(parameters);
    autograd::Tape tape;
    std::vector<graph::FrozenGraph> orders;
    for (const Node size : sizes) orders.push_back(graph::readout_mask(std::vector<Node>{0, size}));
    std::vector<autograd::Variable> found;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      nn::ForwardContext context{.tape = tape, .masks = {{"readout", &orders[i]}}};
      const autograd::Variable x = tape.make(sizes[i], 2, false);
      x.value().setOnes();
      found.push_back(made->forward(context, {.dense = x}).dense);
    }
    autograd::Variable loss = tape.make(1, 1, false);
    loss.value().setZero();
    for (const autograd::Variable y : found)
      loss = autograd::add(loss, test::weighted_sum(y, tape.keep<Matrix>(Matrix::Ones(y.rows(), 2))));
    tape.backward(loss);
    Matrix all(0, 1);
    for (const autograd::Parameter* parameter : parameters) {
      all.conservativeResize(all.rows() + parameter->gradient.size(), 1);
      all.bottomRows(parameter->gradient.size()) = parameter->gradient.reshaped<Eigen::RowMajor>();
    }
    return all;
  };
  const Matrix together = gradients_of({3, 2000}), apart = gradients_of({3}) + gradients_of({2000});
  CHECK((together - apart).norm() <= 1e-4F * apart.norm());
}

TEST_CASE("a convolution refuses more rows of weights than an int can count", "[nn][orders]") {
  const nn::ConvolutionOptions options{.inputs = 1 << 16, .width = 1, .mask = {.name = "m", .features = 1 << 16}};
  nn::BuildContext build{.shape = {.inputs = 1 << 16, .outputs = 1}, .width = 1 << 16, .name = "b"};
  CHECK_THROWS_WITH(nn::Convolution(options, build),
                    "b.weight: expected sizes from 0 to 2147483647, got 4294967296 x 1");
}

TEST_CASE("blocks along an order refuse nodes without an order", "[nn][orders]") {
  const auto make = [](const std::string& blocks) {
    return nn::Model(json::parse(R"({"blocks": )" + blocks + "}", "test"), {.inputs = 2, .outputs = 1}, 1);
  };
  CHECK_THROWS_WITH(make(R"([{"type": "readout", "kind": "mean"}, {"type": "lstm", "width": 3}])"),
                    Contains("one row per graph"));
  CHECK_THROWS_WITH(make(R"([{"type": "convolution", "width": 3, "mask": "band:1"}])"), Contains("band:1+offset"));
  CHECK_THROWS_WITH(make(R"([{"type": "convolution", "width": 3, "mask": "complete+offset"}])"), Contains("+offset"));
  CHECK_THROWS_WITH(make(R"([{"type": "positions", "kind": "sine"}])"), Contains("recurrent, floater"));
}
