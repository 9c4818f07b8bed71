#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "edgewise/graph/graph.hpp"
#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/sage.hpp"

namespace edgewise::nn {

struct RgcnOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the output.
  int relations = 1;
  int bases = 0;  ///< If not 0, the maps of the relations are sums of so many, each with its own weights.
  Aggregate aggregate = Aggregate::mean;
  EdgeFeatures edge_features = EdgeFeatures::automatic;  ///< Those after the features of the relations.
  int edge_columns = 0;                                  ///< Of these.

  friend bool operator==(const RgcnOptions&, const RgcnOptions&) = default;
};

std::span<const Field<RgcnOptions>> rgcn_fields();

/// A map of each relation (RGCN, Schlichtkrull et al. 2018, eq. 2): with N_r[v] the edges u -> v of relation r,
///   y[v] = x[v] W_root + b + sum over r of mean over N_r[v] of (x[u] W_r + e[u->v] E_r),
/// or their sum. The first features of an edge say of which relation it is, e are those after them. With "bases": B,
///   W_r = sum over k of a_rk V_k   (eq. 3).
///
/// Shapes: x [N, F]; W_root, W_r, V_k [F, width]; a [relations, B]; E_r [edge columns, width]; y [N, width]. Takes
/// sparse input. A node without edges of a relation gets zeros from it.
class Rgcn : public Block {
 public:
  Rgcn(const RgcnOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

  /// Of each relation.
  const std::vector<MaskShape>& masks() const { return masks_; }

 private:
  /// Of each relation.
  std::vector<autograd::Variable> weights(autograd::Tape& tape);

  std::string name_;
  RgcnOptions options_;
  std::vector<MaskShape> masks_;
  std::vector<graph::Node> rows_;  // 0, 1, ...: of each relation among the combinations of the bases
  LinearMap root_;
  std::vector<autograd::Parameter> weights_;
  std::optional<autograd::Parameter> bases_, coefficients_;
  std::vector<autograd::Parameter> edge_weights_;
};

/// {"type": "rgcn", "width": 64, "relations": 3, "bases": 0 (none), "aggregate": "mean", "edge_features": "auto"}
std::unique_ptr<Block> make_rgcn(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
