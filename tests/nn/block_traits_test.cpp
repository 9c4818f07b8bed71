#include "edgewise/nn/block_traits.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <set>

#include "edgewise/graph/masks/rules.hpp"
#include "edgewise/nn/block_table.hpp"
#include "edgewise/nn/model.hpp"
#include "support/gradient_check.hpp"

using namespace edgewise;

namespace {

constexpr graph::Node kPathNodes = 9;
constexpr int kPathInputs = 5;

/// Each node attends to itself and the one before it.
graph::FrozenGraph path() {
  graph::EdgeList edges;
  for (graph::Node node = 1; node < kPathNodes; ++node) {
    edges.sources.push_back(node - 1);
    edges.targets.push_back(node);
  }
  edges.features = Matrix::Ones(kPathNodes - 1, 1);
  const graph::Graph graph(graph::NodeNames::numbered(kPathNodes), std::move(edges),
                           {.direction = graph::Direction::directed});
  return graph::freeze(graph, {.self_loops = graph::AddSelfLoops::yes});
}

struct Probe {
  std::string type;
  std::string block;
};

/// One block of each type whose rows are those of nodes, with what it may look at.
const std::vector<Probe> kProbes = {
    {"linear", R"({"type": "linear", "width": 4})"},
    {"layer_norm", R"({"type": "layer_norm"})"},
    {"batch_norm", R"({"type": "batch_norm"})"},
    {"activation", R"({"type": "activation", "function": "gelu"})"},
    {"dropout", R"({"type": "dropout", "probability": 0.4})"},
    {"feed_forward", R"({"type": "feed_forward", "hidden": 6, "width": 4})"},
    {"gat", R"({"type": "gat", "width": 2, "heads": 3})"},
    {"gat", R"({"type": "gat", "width": 2, "mask": "k_hop:3"})"},
    {"gatv2", R"({"type": "gatv2", "width": 2})"},
    {"bahdanau", R"({"type": "bahdanau", "width": 2})"},
    {"dot_product", R"({"type": "dot_product", "width": 2})"},
    {"dot_product", R"({"type": "dot_product", "width": 2, "relations": 1})"},
    {"rgcn", R"({"type": "rgcn", "width": 4})"},
    {"gcn", R"({"type": "gcn", "width": 4})"},
    {"gcn2", R"({"type": "gcn2", "layers": 3})"},
    {"sage", R"({"type": "sage", "width": 4})"},
    {"appnp", R"({"type": "appnp", "steps": 4})"},
    {"convolution", R"({"type": "convolution", "width": 4, "mask": "edges"})"},
    {"residual", R"({"type": "residual", "blocks": [{"type": "sage", "width": 5}, {"type": "gat", "width": 5}]})"},
    {"concat_self", R"({"type": "concat_self", "block": {"type": "gatv2", "width": 3}})"},
    {"parallel", R"({"type": "parallel", "branches": [[{"type": "gat", "width": 3}, {"type": "gat", "width": 3}],
                     [{"type": "linear", "width": 3}]]})"},
};
/// These may depend on all rows of a graph, or change the rows.
const std::set<std::string> kUnbounded = {"linear_attention", "positions", "lstm", "concat_set", "node_set",
                                          "readout",   "set2set", "attention_readout", "components", "query_readout",
                                          "link_readout", "part_encoders"};

nn::Model blocks_model(const std::string& blocks, const nn::ModelShape& shape = {.inputs = kPathInputs, .outputs = 2}) {
  return nn::Model(json::parse(R"({"blocks": [)" + blocks + "]}", "test"), shape, /*seed=*/3);
}

bool uses_edge_features(const std::string& block, int edge_features = 1) {
  return blocks_model(R"({"type": "parallel", "branches": [[)" + block + R"(], [{"type": "linear", "width": 2}]]})",
                  {.inputs = kPathInputs, .outputs = 2, .edge_features = edge_features})
      .uses_edge_features();
}

/// How many steps before the last node a change still reaches it; nothing if none does.
std::optional<std::size_t> farthest_seen(nn::Block& block) {
  const graph::FrozenGraph frozen = path();
  constexpr std::array offsets = {graph::Node{0}, kPathNodes};
  const graph::FrozenGraph hops = graph::parse_mask("k_hop:3").build({frozen, offsets});
  const auto last_row = [&](const Matrix& x) {
    autograd::Tape tape;
    nn::ForwardContext context{.tape = tape, .masks = {{"edges", &frozen}, {"k_hop:3", &hops}}};
    const autograd::Variable y = block.forward(context, {.dense = tape.constant(x)}).dense;
    return Matrix(y.value().row(kPathNodes - 1));
  };
  const Matrix x = test::random_matrix(kPathNodes, kPathInputs, 5);
  const Matrix expected = last_row(x);
  for (graph::Node node = 0; node < kPathNodes; ++node) {
    Matrix changed = x;
    changed.row(node).array() += 1;
    if (last_row(changed) != expected) return kPathNodes - 1 - node;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("every block reaches as far as it says", "[nn][block_traits]") {
  std::set<std::string> types = kUnbounded;
  for (const auto& [type, text] : kProbes) {
    INFO(text);
    types.insert(type);
    nn::BuildContext context{.shape = {.inputs = kPathInputs, .outputs = 2, .edge_features = 1},
                             .width = kPathInputs,
                             .name = "b",
                             .seed = 3};
    const std::unique_ptr<nn::Block> block = nn::make_block(json::parse(text, "test"), context);
    CHECK(block->traits().reach == farthest_seen(*block));
  }
  const std::vector<std::string> all = nn::block_types();
  CHECK(types == std::set<std::string>(all.begin(), all.end()));
}

TEST_CASE("blocks in sequence add their reach, and parallel ones have the longest", "[nn][block_traits]") {
  const nn::BlockTraits two{.reach = 2, .uses_attention = true}, three{.reach = 3, .weighs_by_degree = true};
  const nn::BlockTraits all{.reach = std::nullopt, .has_batch_moments = true};
  CHECK(nn::in_sequence(two, three).reach == 5U);
  CHECK(nn::in_parallel(two, three).reach == 3U);
  CHECK(nn::in_sequence(two, three).uses_attention);
  CHECK(nn::in_parallel(two, three).weighs_by_degree);
  CHECK_FALSE(nn::in_sequence(two, all).reach);
  CHECK_FALSE(nn::in_parallel(all, two).reach);
  CHECK(nn::in_sequence(two, all).has_batch_moments);
  CHECK(nn::repeated(2, 4) == 8U);
  CHECK_FALSE(nn::repeated(std::nullopt, 4));
}

TEST_CASE("a model that weighs by degrees needs the edges of one step more", "[nn][block_traits]") {
  CHECK(blocks_model(R"({"type": "gcn", "width": 4}, {"type": "gcn", "width": 2})").reach(false) == 3U);
  CHECK(blocks_model(R"({"type": "sage", "width": 4}, {"type": "sage", "width": 2})").reach(false) == 2U);
  CHECK(blocks_model(R"({"type": "linear", "width": 2})").reach(false) == 0U);
  CHECK_FALSE(blocks_model(R"({"type": "positions"}, {"type": "linear", "width": 2})").reach(false));
  const nn::Model normalised = blocks_model(R"({"type": "batch_norm"}, {"type": "sage", "width": 2})");
  CHECK(normalised.reach(false) == 1U);
  CHECK_FALSE(normalised.reach(true));
}

TEST_CASE("a model uses features of edges by attention, as weights, and by convolution", "[nn][block_traits]") {
  CHECK(uses_edge_features(R"({"type": "gat", "width": 2})"));
  CHECK(uses_edge_features(R"({"type": "gcn", "width": 2, "edge_weights": true})"));
  CHECK(uses_edge_features(R"({"type": "convolution", "width": 2, "mask": "edges"})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "gat", "width": 2})", 0));
  CHECK_FALSE(uses_edge_features(R"({"type": "gat", "width": 2, "edge_features": false})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "gat", "width": 2, "mask": "k_hop:2"})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "gat", "width": 2, "mask": "complete"})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "convolution", "width": 2, "mask": "k_hop:2"})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "gcn", "width": 2})"));
  CHECK_FALSE(uses_edge_features(R"({"type": "sage", "width": 2})"));
}

TEST_CASE("only attention over a mask counts as attention", "[nn][block_traits]") {
  CHECK(blocks_model(R"({"type": "residual", "blocks": [{"type": "bahdanau", "width": 2}]})").uses_attention());
  CHECK_FALSE(blocks_model(R"({"type": "sage", "width": 2})").uses_attention());
  CHECK_FALSE(blocks_model(R"({"type": "attention_readout"}, {"type": "linear", "width": 2})").uses_attention());
}
