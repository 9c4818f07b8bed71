#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct AppnpOptions {
  MaskShape mask = {.name = "edges"};
  int steps = 10;
  float restart = 0.1F;       ///< Share of the input in each step, in [0, 1).
  float dropout = 0;          ///< On the entries of A, drawn again in each step.
  bool edge_weights = false;  ///< The first edge feature is the weight of an edge.

  friend bool operator==(const AppnpOptions&, const AppnpOptions&) = default;
};

std::span<const Field<AppnpOptions>> appnp_fields();

/// Personalised PageRank over the output of the previous blocks (APPNP, Gasteiger et al. 2019, eq. 4):
///   z_0 = x,  z_{k+1} = (1 - restart) A z_k + restart x,  A with the symmetric weights of GCN
/// [n, width] -> [n, width]; no parameters. Reaches far at little cost if there are few columns, so put it after the
/// logits. A node without edges keeps restart * x.
class Appnp : public Block {
 public:
  Appnp(const AppnpOptions& options, const BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  AppnpOptions options_;
};

/// {"type": "appnp", "steps": 10, "restart": 0.1, "dropout": 0, "edge_weights": false}
std::unique_ptr<Block> make_appnp(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
