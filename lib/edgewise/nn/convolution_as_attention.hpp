#pragma once

#include <string>
#include <utility>
#include <vector>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/convolution.hpp"

namespace edgewise::nn {

/// An attention layer (make_dot_product) and its weights, by their names within the layer.
struct LayerOfAttention {
  AttentionOptions options;
  std::vector<std::pair<std::string, Matrix>> parameters;
};

/// The attention layer that computes a convolution (Cordonnier et al. 2020, theorem 1): over the same mask, with one
/// head per place of the window, whose score depends only on the place of the source. weight [places F, width] and bias
/// [1, width] are those of a Convolution with these options; pass zeros if it has no bias. With Normaliser::none a
/// head's weight is 1 at its place and 0 elsewhere, and both layers agree everywhere, including at the ends. With
/// Normaliser::softmax, as in the paper, a head whose place is missing spreads its attention over the others. Both
/// layers then agree only if the window is complete, so pad the rows with zeros as the paper does. Throws UsageError if
/// the shapes do not match or there are more places than heads (kMaxHeads).
LayerOfAttention attention_of_convolution(const ConvolutionOptions& convolution, const Matrix& weight,
                                          const Matrix& bias,
                                          attention::Normaliser normaliser = attention::Normaliser::none);

}  // namespace edgewise::nn
