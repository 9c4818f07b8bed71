// Readouts of links, compared with PyTorch, with a loop over the links, and as the end of every preset.
#include "edgewise/nn/link_readout.hpp"

#include <catch2/catch.hpp>

#include <cmath>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "edgewise/nn/model_file.hpp"
#include "support/golden.hpp"
#include "support/gradient_check.hpp"
#include "support/presets.hpp"
#include "support/ring_batch.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using autograd::Variable;
using Catch::Matchers::Contains;
using graph::Node;
using test::check_near;
using test::matrix;

namespace {

constexpr int kNodeWidth = 4;  // of the rows of nodes

const nn::ModelShape kLinkShape{.inputs = kNodeWidth,
                                .outputs = 2,
                                .node_sets = {},
                                .masks = {nn::common_neighbours_mask()}};

/// Links between nodes, and the nodes that both ends know.
struct Links {
  std::vector<Node> sources, targets;
  graph::FrozenGraph common;

  nn::ForwardContext context(autograd::Tape& tape, bool is_training = false) const {
    return {.tape = tape,
            .masks = {{nn::kCommonNeighbours, &common}},
            .is_training = is_training,
            .seed = 1,
            .links = {sources, targets}};
  }
};

/// Link i joins the nodes i and 3 i + 1, modulo their number; it has i modulo 4 common neighbours.
Links links_of(Node nodes, Node count) {
  Links links;
  graph::Csr rows;
  for (Node i = 0; i < count; ++i) {
    links.sources.push_back(i % nodes);
    links.targets.push_back((3 * i + 1) % nodes);
    const Node first = i % (nodes - 3);
    for (Node w = first; w < first + i % 4; ++w) rows.columns.push_back(w);
    rows.offsets.push_back(rows.columns.size());
  }
  links.common = graph::freeze(std::move(rows), nodes);
  return links;
}

/// The columns of the adjacency matrix that both rows have.
Links links_of(const io::Safetensors& file) {
  const Matrix adjacency = matrix(file, "adjacency"), ends = matrix(file, "links");
  Links links;
  graph::Csr rows;
  for (Eigen::Index i = 0; i < ends.cols(); ++i) {
    links.sources.push_back(static_cast<Node>(ends(0, i)));
    links.targets.push_back(static_cast<Node>(ends(1, i)));
    for (Node w = 0; w < adjacency.cols(); ++w)
      if (adjacency(links.sources.back(), w) * adjacency(links.targets.back(), w) > 0) rows.columns.push_back(w);
    rows.offsets.push_back(rows.columns.size());
  }
  links.common = graph::freeze(std::move(rows), static_cast<std::size_t>(adjacency.rows()));
  return links;
}

/// All that read the rows of the ends.
std::vector<std::string> all_link_readouts() {
  std::vector<std::string> texts;
  for (const std::string kind : {"product", "bilinear", "dot"})
    for (const std::string& common : nn::link_common_names())
      texts.push_back(R"({"type": "link_readout", "heads": 2, "kind": ")" + kind + R"(", "common": ")" + common +
                      "\"}");
  return texts;
}

std::string with_link_head(const std::string& readout) {
  return "[" + readout + R"(, {"type": "linear", "width": 2}])";
}

nn::Model link_model_of(const std::string& blocks, const nn::ModelShape& shape = kLinkShape) {
  return {json::parse(R"({"blocks": )" + blocks + "}", "test"), shape, 3};
}

struct MadeReadout {
  std::unique_ptr<nn::Block> block;
  std::vector<autograd::Parameter*> parameters;
  int width;
};

MadeReadout make_link_readout(const std::string& text) {
  nn::BuildContext build{.shape = kLinkShape, .width = kNodeWidth, .name = "b", .seed = 3};
  MadeReadout made{nn::make_block(json::parse(text, "test"), build), {}, build.width};
  CHECK(build.node_set == nn::kLinks);
  made.block->collect_parameters(made.parameters);
  for (autograd::Parameter* parameter : made.parameters) parameter->value.array() += 0.2F;
  return made;
}

Matrix rows_of(const MadeReadout& made, const Links& links, const Matrix& x) {
  autograd::Tape tape(false);
  nn::ForwardContext context = links.context(tape);
  return Variable(made.block->forward(context, {.dense = tape.constant(x)}).dense).value();
}

}  // namespace

TEST_CASE("readouts of links give the values and gradients of PyTorch", "[nn][link_readout][golden]") {
  const std::string name = GENERATE("product_sum", "product_attention", "bilinear_none", "dot_attention");
  INFO(name);
  const io::Safetensors file = test::golden("links_" + name);
  const Links links = links_of(file);
  const Matrix y = matrix(file, "y"), r = matrix(file, "r");
  autograd::Parameter x("x", matrix(file, "x"));
  nn::ModelShape shape = kLinkShape;
  shape.inputs = static_cast<int>(x.value.cols());
  shape.outputs = static_cast<int>(y.cols());
  nn::Model model(json::parse(*file.find_metadata("model"), name), shape, 1);
  for (autograd::Parameter* parameter : model.parameters()) parameter->value = matrix(file, parameter->name);
  autograd::Tape tape;
  nn::ForwardContext context = links.context(tape);
  const Variable output = model.forward(context, {.dense = tape.parameter(x)});
  check_near("y", output.value(), y);
  tape.backward(test::weighted_sum(output, r));
  check_near("grad.x", x.gradient, matrix(file, "grad.x"));
  for (const autograd::Parameter* parameter : model.parameters())
    check_near(parameter->name, parameter->gradient, matrix(file, "grad." + parameter->name));
}

TEST_CASE("gradients of readouts of links match central differences", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  for (const std::string& text : all_link_readouts()) {
    INFO(text);
    nn::Model model = link_model_of(with_link_head(text));
    test::check_gradients(model.parameters(), x, [&](autograd::Tape& tape, std::span<const Variable> v) {
      nn::ForwardContext context = links.context(tape, true);
      return model.forward(context, {.dense = v[0]});
    });
  }
}

TEST_CASE("products, dot products and sums over common neighbours are those of a loop", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  Matrix product(9, kNodeWidth), sum = Matrix::Zero(9, kNodeWidth);
  for (std::size_t i = 0; i < 9; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    product.row(row) = x.row(links.sources[i]).cwiseProduct(x.row(links.targets[i]));
    for (auto slot = links.common.incoming.offsets[i]; slot < links.common.incoming.offsets[i + 1]; ++slot)
      sum.row(row) += x.row(links.common.incoming.columns[slot]);
  }
  const Matrix both = rows_of(make_link_readout(R"({"type": "link_readout", "common": "sum"})"), links, x);
  CHECK(both.leftCols(kNodeWidth) == product);
  check_near("sum", both.rightCols(kNodeWidth), sum);
  CHECK(rows_of(make_link_readout(R"({"type": "link_readout", "common": "none"})"), links, x) == product);
  const std::string of_dot = R"({"type": "link_readout", "kind": "dot", "common": "none"})";
  const Matrix dot = rows_of(make_link_readout(of_dot), links, x);
  check_near("dot", dot, product.rowwise().sum());
  const Matrix counted = rows_of(make_link_readout(R"({"type": "link_readout", "heads": 2})"), links, x);
  REQUIRE(counted.cols() == 2 * kNodeWidth + 1);
  for (Eigen::Index row = 0; row < 9; ++row)
    CHECK(counted(row, 2 * kNodeWidth) == Approx(std::log(1 + static_cast<double>(row % 4))));
}

TEST_CASE("a link without common neighbours gets zeros for them", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  for (const std::string& text : all_link_readouts()) {
    INFO(text);
    const MadeReadout made = make_link_readout(text);
    autograd::Tape tape;
    autograd::Parameter x("x", test::random_matrix(7, kNodeWidth, 5));
    nn::ForwardContext context = links.context(tape);
    const Variable y = made.block->forward(context, {.dense = tape.parameter(x)}).dense;
    REQUIRE(y.rows() == 9);
    REQUIRE(y.cols() == made.width);
    const bool is_dot = text.find("dot") != std::string::npos;
    const Eigen::Index of_common = made.width - (is_dot ? 1 : kNodeWidth);
    CHECK(y.value().row(4).tail(of_common).isZero(0));
    if (of_common > 0) CHECK_FALSE(y.value().row(5).tail(of_common).isZero(0));
    const Matrix ones = Matrix::Ones(y.rows(), y.cols());
    tape.backward(test::weighted_sum(y, ones));
    CHECK(y.value().allFinite());
    CHECK(x.gradient.allFinite());
    for (const autograd::Parameter* parameter : made.parameters) CHECK(parameter->gradient.allFinite());
  }
}

TEST_CASE("only bilinear links tell their ends apart", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  Links turned = links;
  std::swap(turned.sources, turned.targets);
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  for (const std::string& text : all_link_readouts()) {
    INFO(text);
    const MadeReadout made = make_link_readout(text);
    const bool has_direction = text.find("bilinear") != std::string::npos;
    CHECK((rows_of(made, links, x) == rows_of(made, turned, x)) != has_direction);
  }
}

TEST_CASE("a link-level model in two steps gives the rows of one pass", "[nn][link_readout]") {
  const Links links = links_of(40, 90);
  const Matrix x = test::random_matrix(40, kNodeWidth, 5);
  for (const std::string& text : all_link_readouts()) {
    INFO(text);
    nn::Model model =
        link_model_of(R"([{"type": "linear", "width": 8}, )" + text + R"(, {"type": "linear", "width": 2}])");
    CHECK_FALSE(model.starts_with_links());
    CHECK(model.masks_by_rule().empty());
    autograd::Tape tape(false);
    nn::ForwardContext whole = links.context(tape), first{.tape = tape}, second = links.context(tape);
    const Matrix expected = model.forward(whole, {.dense = tape.constant(x)}).value();
    const nn::NodeRows nodes = model.encode(first, {.dense = tape.constant(x)});
    CHECK(model.read_out(second, nodes).value() == expected);
  }
}

TEST_CASE("links without the rows of their ends have the numbers of links alone", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  const MadeReadout made = make_link_readout(R"({"type": "link_readout", "kind": "none"})");
  CHECK(made.width == 0);
  CHECK(rows_of(made, links, test::random_matrix(7, kNodeWidth, 5)).rows() == 9);
  CHECK_THROWS_WITH(link_model_of(R"([{"type": "link_readout", "kind": "none", "common": "sum"}])"),
                    Catch::Matchers::Contains("expected \"none\" beside \"kind\": \"none\""));
}

TEST_CASE("link-level models give the same bits at any number of threads", "[nn][link_readout][threads]") {
  const Links links = links_of(900, 5000);
  const Matrix x = test::random_matrix(900, kNodeWidth, 5);
  for (const std::string& text : all_link_readouts()) {
    INFO(text);
    const auto run = [&](int thread_count) {
      set_threads(thread_count);
      nn::Model model = link_model_of(with_link_head(text));
      autograd::Parameter input("x", x);
      autograd::Tape tape;
      nn::ForwardContext context = links.context(tape, true);
      const Variable y = model.forward(context, {.dense = tape.parameter(input)});
      const Matrix weights = test::random_matrix(y.rows(), y.cols(), 8);
      tape.backward(test::weighted_sum(y, weights));
      std::vector<Matrix> results = {y.value(), input.gradient};
      for (const autograd::Parameter* parameter : model.parameters()) results.push_back(parameter->gradient);
      return results;
    };
    const int before = threads();
    const std::vector<Matrix> one = run(1), two = run(2);
    set_threads(before);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(one[i] == two[i]);
  }
}

TEST_CASE("the attention to common neighbours is recorded", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  nn::Model model = link_model_of(with_link_head(R"({"type": "link_readout", "heads": 2})"));
  CHECK(model.uses_mask(nn::kCommonNeighbours));
  CHECK(model.is_link_level());
  CHECK_FALSE(model.is_graph_level());
  autograd::Tape tape(false);
  std::vector<nn::AttentionRecord> records;
  nn::ForwardContext context = links.context(tape);
  context.attention = &records;
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  model.forward(context, {.dense = tape.constant(x)});
  REQUIRE(records.size() == 1);
  CHECK(records[0].mask == nn::kCommonNeighbours);
  CHECK(records[0].weights.rows() == static_cast<Eigen::Index>(links.common.slot_count()));
  CHECK(records[0].weights.topRows(1).sum() == Approx(2));  // link 1 has one common neighbour, for both heads
}

TEST_CASE("after a readout, links attend to the nodes that both ends know", "[nn][link_readout]") {
  const Links links = links_of(7, 9);
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  nn::Model model = link_model_of(R"([{"type": "link_readout", "common": "none"},
                                 {"type": "dot_product", "mask": "common_neighbours", "width": 1, "heads": 2}])");
  test::check_gradients(model.parameters(), x, [&](autograd::Tape& tape, std::span<const Variable> v) {
    nn::ForwardContext context = links.context(tape);
    return model.forward(context, {.dense = v[0]});
  });
}

TEST_CASE("numbers of links are joined to the readout", "[nn][link_readout][concat_set]") {
  const Links links = links_of(7, 9);
  const Matrix numbers = test::random_matrix(9, 3, 6), x = test::random_matrix(7, kNodeWidth, 5);
  nn::ModelShape shape = kLinkShape;
  shape.node_sets = {{nn::kLinkNumbers, 3}};
  shape.outputs = kNodeWidth + 3;
  nn::Model model = link_model_of(
      R"([{"type": "link_readout", "common": "none"}, {"type": "concat_set", "set": "link_numbers"}])", shape);
  CHECK(model.masks().empty());
  const auto run = [&](const Matrix& of_links) {
    autograd::Tape tape(false);
    nn::ForwardContext context = links.context(tape);
    context.node_sets[nn::kLinkNumbers] = {.dense = tape.constant(of_links)};
    return Matrix(model.forward(context, {.dense = tape.constant(x)}).value());
  };
  CHECK(run(numbers).rightCols(3) == numbers);
  CHECK_THROWS_WITH(run(numbers.topRows(8)), Contains("9 rows, but 8 of the node set \"link_numbers\""));
  CHECK_THROWS_WITH(run(numbers.leftCols(2)), Contains("columns of the node set \"link_numbers\""));
}

TEST_CASE("invalid readouts of links are refused", "[nn][link_readout]") {
  const auto refuse = [](const std::string& blocks, const std::string& message, const nn::ModelShape& shape) {
    CAPTURE(blocks);
    CHECK_THROWS_AS(link_model_of(blocks, shape), UsageError);
    CHECK_THROWS_WITH(link_model_of(blocks, shape), Contains(message));
  };
  const std::string readout = R"({"type": "link_readout", "common": "none"})";
  refuse(R"([{"type": "link_readout", "kind": "sum"}])", "blocks[0].kind: expected one of product, bilinear, dot",
         kLinkShape);
  refuse(R"([{"type": "link_readout", "common": "all"}])", "blocks[0].common: expected one of attention, sum, none",
         kLinkShape);
  refuse(R"([{"type": "link_readout", "heads": 3}])", "expected 1 to 512 heads that divide 4 columns, got 3",
         kLinkShape);
  refuse(R"([{"type": "link_readout"}])", R"(blocks[0]: "common": expected "none": only data of links tells)",
         {.inputs = kNodeWidth, .outputs = 2});
  refuse("[" + readout + R"(, {"type": "gat", "width": 2}])",
         "blocks[1]: a block of type \"gat\" needs one row per node, but after a readout there is one row per link",
         kLinkShape);
  refuse("[" + readout + ", " + readout + "]", "there is one row per link", kLinkShape);
  refuse("[" + readout + R"(, {"type": "readout", "kind": "sum"}])", "there is one row per link", kLinkShape);
  refuse("[" + readout + R"(, {"type": "lstm", "width": 2}])", "there is one row per link", kLinkShape);
  refuse(R"([{"type": "readout", "kind": "sum"}, )" + readout + "]", "there is one row per graph", kLinkShape);
  refuse(R"([{"type": "node_set", "set": "edges", "blocks": [)" + readout + "]}]",
         "a readout is for the rows of \"nodes\"", kLinkShape);
  refuse("[" + readout + "]", "expected the last block to give 2 columns", kLinkShape);
  refuse(with_link_head(readout), "besides nodes, edges, graphs and links",
         {.inputs = kNodeWidth, .outputs = 2, .node_sets = {{nn::kLinks, 2}}});
}

TEST_CASE("a link-level model reports which links do not fit", "[nn][link_readout]") {
  const Links links = links_of(7, 9), other = links_of(7, 8);
  nn::Model model = link_model_of(with_link_head(R"({"type": "link_readout", "heads": 2})"));
  const Matrix x = test::random_matrix(7, kNodeWidth, 5);
  const auto check = [&](const std::string& message, const auto& spoil) {
    autograd::Tape tape(false);
    nn::ForwardContext context = links.context(tape);
    spoil(context);
    CHECK_THROWS_WITH(model.forward(context, {.dense = tape.constant(x)}), Contains(message));
  };
  check("links: expected their ends in the forward pass, got none", [](auto& context) { context.links = {}; });
  check("got 9 sources and 8 targets", [&](auto& context) { context.links.targets = other.targets; });
  check(R"(expected the mask "common_neighbours")", [](auto& context) { context.masks.clear(); });
  check(R"(mask "common_neighbours": made for 8 rows of "links", but there are 9)",
        [&](auto& context) { context.masks[nn::kCommonNeighbours] = &other.common; });
  const std::vector<Node> beyond(9, 7);
  check("select_rows: rows contains 7, expected less than 7",
        [&](auto& context) { context.links.sources = beyond; });
}

TEST_CASE("a file of a link-level model keeps its shape", "[nn][link_readout][model_file]") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.path("m.safetensors");
  const Links links = links_of(7, 9);
  nn::ModelShape shape = kLinkShape;
  shape.node_sets = {{nn::kLinkNumbers, 3}};
  nn::Model model(json::parse(R"({"preset": "mlp", "readout": "links", "link_numbers": true})", "test"), shape, 3);
  nn::save_model(path, model, json::Object{});
  nn::LoadedModel loaded = nn::load_model(path);
  CHECK(loaded.model.shape() == shape);
  CHECK(loaded.model.is_link_level());
  CHECK(loaded.model.uses_mask(nn::kCommonNeighbours));
  const Matrix numbers = test::random_matrix(9, 3, 6), x = test::random_matrix(7, kNodeWidth, 5);
  const auto run = [&](nn::Model& of) {
    autograd::Tape tape(false);
    nn::ForwardContext context = links.context(tape);
    context.node_sets[nn::kLinkNumbers] = {.dense = tape.constant(numbers)};
    return Matrix(of.forward(context, {.dense = tape.constant(x)}).value());
  };
  CHECK(run(model) == run(loaded.model));
}

TEST_CASE("every preset is read out for links", "[nn][link_readout][presets]") {
  const test::Batch batch = test::ring_batch({8});
  const Links links = links_of(8, 9);
  const Matrix numbers = test::random_matrix(9, 3, 6);
  nn::ModelShape shape = test::kBatchShape;
  shape.node_sets = {{nn::kLinkNumbers, 3}};
  shape.masks = {nn::common_neighbours_mask()};
  const std::string kind = GENERATE("product", "bilinear", "dot"), common = GENERATE("attention", "sum", "none");
  for (const std::string& name : test::presets_of_nodes()) {
    const std::string text = R"({"preset": ")" + name + R"(", "hidden": 16, "readout": "links", "link_kind": ")" +
                             kind + R"(", "common": ")" + common + R"(", "link_numbers": true, "readout_hidden": 6})";
    INFO(text);
    nn::Model model(json::parse(text, "test"), shape, 5);
    CHECK(model.is_link_level());
    CHECK(model.uses_mask(nn::kCommonNeighbours) == (common != "none"));
    autograd::Parameter x("x", batch.x);
    autograd::Tape tape;
    nn::ForwardContext context = test::context_of(tape, batch, true);
    context.masks[nn::kCommonNeighbours] = &links.common;
    context.links = {links.sources, links.targets};
    context.node_sets[nn::kLinkNumbers] = {.dense = tape.constant(numbers)};
    std::map<std::string, graph::FrozenGraph> made;
    for (const nn::MaskShape& mask : model.masks())
      if (!context.masks.contains(mask.name))
        made.emplace(mask.name,
                     graph::parse_mask(mask.name).build({.edges = batch.all.graph, .offsets = batch.all.offsets}));
    for (const auto& [mask_name, mask] : made) context.masks.emplace(mask_name, &mask);
    const Variable y = model.forward(context, {.dense = tape.parameter(x)});
    REQUIRE(y.rows() == 9);
    REQUIRE(y.cols() == test::kBatchShape.outputs);
    CHECK(y.value().allFinite());
    const Matrix ones = Matrix::Ones(y.rows(), y.cols());
    tape.backward(test::weighted_sum(y, ones));
    CHECK(x.gradient.allFinite());
    CHECK_FALSE(x.gradient.isZero(0));
  }
}

TEST_CASE("no activation comes between the last layer and a readout of links", "[nn][link_readout][presets]") {
  const auto types_before_readout = [](const std::string& preset, const std::string& members) {
    const json::Value model =
        nn::expand_model(json::parse(R"({"preset": ")" + preset + "\"" + members + R"(, "layers": 2})", "test"));
    std::vector<std::string> types;
    for (const json::Value& block : model.at("blocks").as_array()) {
      types.push_back(block.at("type").as_string());
      if (types.back().ends_with("readout")) break;
    }
    return types;
  };
  using Types = std::vector<std::string>;
  const std::string links = R"(, "readout": "links")", graphs = R"(, "readout": "mean")";
  CHECK(types_before_readout("gcn", links) == Types{"gcn", "activation", "gcn", "link_readout"});
  CHECK(types_before_readout("gcn", graphs) == Types{"gcn", "activation", "gcn", "activation", "readout"});
  CHECK(types_before_readout("mlp", links) == Types{"dropout", "linear", "activation", "dropout", "linear",
                                                    "link_readout"});
  CHECK(types_before_readout("gcn", links + R"(, "residual": "post_norm")") ==
        Types{"gcn", "batch_norm", "activation", "dropout", "gcn", "batch_norm", "dropout", "link_readout"});
  for (const char* preset : {"grand", "window"}) {
    INFO(preset);
    CHECK(std::ranges::count(types_before_readout(preset, links), "activation") == 0);
    CHECK(std::ranges::count(types_before_readout(preset, graphs), "activation") == 1);
  }
}

TEST_CASE("presets pass the members of links on, and refuse them elsewhere", "[nn][link_readout][presets]") {
  const auto block = [](const std::string& members, std::size_t index) {
    const json::Value model =
        nn::expand_model(json::parse(R"({"preset": "gcn", "layers": 1, "readout": "links")" + members + "}", "test"));
    return json::dump(model.at("blocks").as_array()[index]);
  };
  CHECK(block("", 1) == json::dump(json::parse(R"({"type": "link_readout", "kind": "product", "common": "attention",
                                                   "heads": 4})", "test")));
  CHECK(block("", 2) == json::dump(json::parse(R"({"type": "layer_norm"})", "test")));
  CHECK(block(R"(, "link_kind": "dot", "common": "none")", 2) ==
        json::dump(json::parse(R"({"type": "linear", "width": 64})", "test")));
  CHECK(block(R"(, "link_numbers": true)", 3) ==
        json::dump(json::parse(R"({"type": "concat_set", "set": "link_numbers"})", "test")));
  const auto check = [](const std::string& members, const std::string& message) {
    CAPTURE(members);
    const json::Value config = json::parse(R"({"preset": "gcn", )" + members + "}", "test");
    CHECK_THROWS_WITH(nn::expand_model(config), Contains(message));
  };
  for (const char* member : {R"("link_kind": "dot")", R"("common": "sum")", R"("link_numbers": true)"}) {
    check(member, R"(expected "readout": "links" as well)");
    check(std::string(R"("readout": "sum", )") + member, R"(expected "readout": "links" as well)");
  }
  check(R"("readout": "links", "link_kind": "sum")", "link_kind: expected one of product, bilinear, dot");
  check(R"("readout": "links", "common": "max")", "common: expected one of attention, sum, none");
  check(R"("readout": "links", "descriptors": true)", "descriptors: expected \"link_numbers\" for links");
  check(R"("readout": "links", "link_kind": "dot", "common": "none", "readout_norm": "layer")",
        "readout_norm: expected none or batch");
  check(R"("readout": "links", "readout_heads": 3)", "expected a multiple of the 3 heads");
}
