#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/linear.hpp"

namespace edgewise::nn {

/// The mask from a link to the nodes that both of its ends know. No rule makes it, since only a pass knows its links.
inline constexpr const char* kCommonNeighbours = "common_neighbours";
/// What data of links declares in ModelShape::masks, so that a model may use that mask. If it does (Model::uses_mask),
/// each pass brings the mask of its links in ForwardContext::masks: graph::freeze of one row per link, for all nodes.
MaskShape common_neighbours_mask();

/// The node set of numbers of links, one row per link.
inline constexpr const char* kLinkNumbers = "link_numbers";

/// How the rows of the two ends are combined.
enum class LinkKind { product, bilinear, dot, none };
std::vector<std::string> link_kind_names();

/// How the rows of the nodes that both ends know are summarised.
enum class LinkCommon { attention, sum, none };
std::vector<std::string> link_common_names();

struct LinkReadoutOptions {
  int inputs = 0;
  LinkKind kind = LinkKind::product;
  LinkCommon common = LinkCommon::attention;
  int heads = 4;  ///< attention: they share the columns of the input.

  int output_width() const;

  friend bool operator==(const LinkReadoutOptions&, const LinkReadoutOptions&) = default;
};

std::span<const Field<LinkReadoutOptions>> link_readout_fields();

/// Makes one row per link (ForwardContext::links) from one row per node. With s and t the rows of its two ends and w
/// over the nodes that both know (the mask "common_neighbours"):
///   pair   = s * t (product, dot) | (s W_s) * (t W_t) (bilinear), element by element | nothing (none)
///   joint  = nothing | sum over w of x[w] | [a | log(1 + number of w)]
///   y      = [pair | joint] (product, bilinear) | [sum of the columns of pair | joint] (dot)
/// Product and sum are those of neural common neighbours (NCN, Wang et al. 2024). In place of the sum, attention weighs
/// the common neighbours by how they fit the link, with q = pair W_q + b_q and k, v = x W + b each, for each head:
///   a = sum over w of softmax_w(q . k[w] / sqrt(D)) v[w],   heads side by side
/// Its weights sum to 1 and forget how many nodes there are, itself a good predictor of links (Liben-Nowell and
/// Kleinberg 2007); hence the logarithm. Scores without a softmax would keep the number, but they start around zero and
/// cancel, and their sums grow with the neighbours of hubs.
///
/// Shapes: x [N, C]; W_s, W_t, W [C, C]; pair [links, C]; joint [links, 0 | C | C + 1]. Without common neighbours,
/// joint is zeros. Product and dot give the same bits if the ends change places; bilinear is for links with a
/// direction. Needs dense rows.
class LinkReadout : public Block {
 public:
  /// Throws UsageError unless the heads, if there is attention, divide the inputs.
  LinkReadout(const LinkReadoutOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  autograd::Variable pair_rows(ForwardContext& context, autograd::Variable x);
  autograd::Variable attend_to(ForwardContext& context, const graph::FrozenGraph& common, const NodeRows& input,
                               autograd::Variable pair);

  std::string name_;
  LinkReadoutOptions options_;
  Matrix ones_;  ///< dot: the vector that sums columns.
  std::optional<LinearMap> source_, target_;      ///< bilinear.
  std::optional<LinearMap> query_, key_, value_;  ///< attention.
};

/// {"type": "link_readout", "kind": "product" | "bilinear" | "dot" | "none", "common": "attention" | "sum" | "none",
/// "heads": 4}
std::unique_ptr<Block> make_link_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
