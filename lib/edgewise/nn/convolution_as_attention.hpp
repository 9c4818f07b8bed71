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

/// The attention layer that computes a convolution (Cordonnier et al. 2020, theorem 1): a head for each place of the
/// window, whose score looks at the place of the source alone, over the same mask.
/// weight [places F, width] and bias [1, width] are those of a Convolution with these options; without a bias give
/// zeros. With Normaliser::none a head's weight is 1 at its place and 0 elsewhere, and both layers agree everywhere,
/// places beyond the ends included. With Normaliser::softmax, as in the paper, a head whose place is missing would
/// share its attention among the others: there both agree where the window is whole, so pad the rows with zeros as the
/// paper does. Throws UsageError when the shapes do not fit or there are more places than heads (kMaxHeads).
LayerOfAttention attention_of_convolution(const ConvolutionOptions& convolution, const Matrix& weight,
                                          const Matrix& bias,
                                          attention::Normaliser normaliser = attention::Normaliser::none);

}  // namespace edgewise::nn
