#include "edgewise/train/explain/attention_rows.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// 0 and 1 attend to 0, and 1 to itself.
graph::FrozenGraph three_pairs() { return graph::freeze(graph::Csr{{0, 1, 3}, {0, 0, 1}}, 2); }

nn::AttentionRecord record_over(const std::string& mask) {
  nn::AttentionRecord record;
  record.mask = mask;
  record.weights = (Matrix(3, 2) << 1, 1, 0.25F, 0.5F, 0.75F, 0.5F).finished();
  return record;
}

}  // namespace

TEST_CASE("attention is collected in rows of pairs", "[train][attention_rows]") {
  const io::AttentionTable all = collect_rows(three_pairs(), {record_over("edges")});
  CHECK(all.sources == std::vector<graph::Node>{0, 0, 1});
  CHECK(all.targets == std::vector<graph::Node>{0, 1, 1});
  CHECK(all.edges == std::vector<graph::StoredEdge>{0, 1, 2});
  CHECK(all.layers.front() == record_over("edges").weights);
  const io::AttentionTable one = collect_rows(three_pairs(), {record_over("complete")}, graph::Node{1});
  CHECK(one.targets == std::vector<graph::Node>{1, 1});
  CHECK(one.edges.front() == graph::kAddedSelfLoop);  // pairs of other masks are no edges of the user
  CHECK(one.layers.front() == record_over("edges").weights.bottomRows(2));
}

TEST_CASE("the mask of a table is that of the edges unless another is asked for", "[train][attention_rows]") {
  const AttentionRecords both = {record_over("causal"), record_over("edges")};
  CHECK(choose_mask("", both) == "edges");
  CHECK(choose_mask("causal", both) == "causal");
  CHECK(choose_mask("", {record_over("causal")}) == "causal");
  CHECK(records_over("causal", both).size() == 1);
  CHECK_THROWS_WITH(choose_mask("casual", both), Contains("did you mean \"causal\"?"));
  CHECK_THROWS_AS(choose_mask("", {record_over("readout")}), UsageError);
}
