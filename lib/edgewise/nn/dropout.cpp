#include "edgewise/nn/dropout.hpp"

#include <array>

#include "edgewise/core/check.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kDropoutFields = {
    field<&DropoutOptions::probability, Required<Probability>>("probability", "of an element to be zeroed"),
};

}  // namespace

std::span<const Field<DropoutOptions>> dropout_fields() { return kDropoutFields; }

Dropout::Dropout(const DropoutOptions& options) : options_(options) {
  check_probability("dropout", options.probability);
}

NodeRows Dropout::forward(ForwardContext& context, const NodeRows& input) {
  return drop(context, input, options_.probability);
}

std::unique_ptr<Block> make_dropout(const json::Value& config, BuildContext& context) {
  return std::make_unique<Dropout>(read_fields(config, dropout_fields(), context.shape));
}

}  // namespace edgewise::nn
