#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct ConvolutionOptions {
  int inputs = 0;
  int width = 0;  ///< Columns of the output.
  MaskShape mask = {.name = "band:1+offset", .features = 3};
  float dropout = 0;  ///< On the input.
  bool bias = true;

  friend bool operator==(const ConvolutionOptions&, const ConvolutionOptions&) = default;
};

std::span<const Field<ConvolutionOptions>> convolution_fields();

/// One weight matrix per feature of the mask:
///   y[v] = bias + sum over u -> v of sum over k of feature_k[u -> v] x[u] W_k.
/// Over "band:w+offset" this is a one-dimensional convolution of 2 w + 1 places with zero padding; over
/// "grid:RxC+offset" a two-dimensional one. If the features are edge types, it is a relational graph convolution
/// (Schlichtkrull et al. 2018, without normalisation); with real-valued features, an edge-conditioned one with a linear
/// filter (Simonovsky and Komodakis 2017). One layer over a window is fully connected within the window.
///
/// Shapes: x [N, F], W_k [F, width] stacked on top of each other, y [N, width]. Needs dense input. A node with no
/// source gets the bias.
class Convolution : public Block {
 public:
  Convolution(const ConvolutionOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override;
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  ConvolutionOptions options_;
  autograd::Parameter weight_;
  std::optional<autograd::Parameter> bias_;
};

/// {"type": "convolution", "width": 64, "mask": "band:1+offset", "dropout": 0, "bias": true}
std::unique_ptr<Block> make_convolution(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
