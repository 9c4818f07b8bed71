#include "edgewise/nn/convolution_as_attention.hpp"

#include <fmt/format.h>

#include "edgewise/attention/options.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"

namespace edgewise::nn {

namespace {

/// A softmax over one such score and zeros is one-hot in float32, unless there are a billion zeros.
constexpr float kCertain = 40;

}  // namespace

LayerOfAttention attention_of_convolution(const ConvolutionOptions& convolution, const Matrix& weight,
                                          const Matrix& bias, attention::Normaliser normaliser) {
  const int places = convolution.mask.features, inputs = convolution.inputs, width = convolution.width;
  check_shape("attention_of_convolution", "weight", shape_of(weight), {Eigen::Index{places} * inputs, width});
  check_shape("attention_of_convolution", "bias", shape_of(bias), {1, width});
  if (places < 1 || places > kMaxHeads)
    throw UsageError(fmt::format("attention_of_convolution: expected 1 to {} places, got {}", kMaxHeads, places));
  if (normaliser == attention::Normaliser::relu)
    throw UsageError("attention_of_convolution: expected the normaliser none or softmax");
  LayerOfAttention layer;
  layer.options = {.inputs = inputs,
                   .heads = places,
                   .width = width,
                   .score = attention::Score::dot_product,
                   .merge = Merge::mean,
                   .mask = convolution.mask,
                   .normaliser = normaliser,
                   .bias = false,
                   .edge_mode = EdgeMode::bias,
                   .output_projection = true};
  // Makes up for the mean over the heads, which divides by their number. Head k has the columns k width ... of the map.
  Matrix value(inputs, Eigen::Index{places} * width);
  for (Eigen::Index k = 0; k < places; ++k)
    value.middleCols(k * width, width) = static_cast<float>(places) * weight.middleRows(k * inputs, inputs);
  const float certain = normaliser == attention::Normaliser::softmax ? kCertain : 1.0F;
  const Matrix nothing = Matrix::Zero(inputs, Eigen::Index{places} * width);
  layer.parameters = {{"query.weight", nothing},
                      {"key.weight", nothing},
                      {"value.weight", std::move(value)},
                      {"edge_bias", certain * Matrix::Identity(places, places)},
                      {"output.weight", Matrix::Identity(width, width)},
                      {"output.bias", bias}};
  return layer;
}

}  // namespace edgewise::nn
