#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct Gcn2Options {
  int width = 0;  ///< Columns of the input and the output.
  MaskShape mask = {.name = "edges"};
  int layers = 16;
  float restart = 0.1F;       ///< Share of the input in each layer, alpha in the paper, in [0, 1).
  float mapping = 0.5F;       ///< How much the weights of early layers count, lambda in the paper.
  float dropout = 0;          ///< On the input of each layer.
  float weight_decay = 10;    ///< Factor of the training's weight decay, for W.
  bool edge_weights = false;  ///< The first edge feature is the weight of an edge.

  friend bool operator==(const Gcn2Options&, const Gcn2Options&) = default;
};

std::span<const Field<Gcn2Options>> gcn2_fields();

/// A stack of graph convolutions that may be deep: each gets a share of the original input and has a map close to the
/// identity (GCNII, Chen et al. 2020, eq. 5). For layer l = 1, 2, ... with h_0 = x:
///   p   = (1 - restart) A h_{l-1} + restart x,  A with the symmetric weights of GCN
///   h_l = relu(p ((1 - b) I + b W_l)),          b = log(mapping / l + 1)
///
/// Shapes: x [N, width], W_l [width, width], y [N, width]. A node without edges keeps the share of its input.
class Gcn2 : public Block {
 public:
  Gcn2(const Gcn2Options& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  struct Layer {
    autograd::Parameter weight;
    float share;      // b
    Matrix identity;  // (1 - b) I
  };

  std::string name_;
  Gcn2Options options_;
  std::vector<Layer> layers_;
};

/// {"type": "gcn2", "layers": 16, "restart": 0.1, "mapping": 0.5, "dropout": 0, "weight_decay": 10,
///  "edge_weights": false}
std::unique_ptr<Block> make_gcn2(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
