#include "edgewise/nn/dropout.hpp"

#include <array>

#include "edgewise/core/check.hpp"
#include "edgewise/nn/node_rows.hpp"

namespace edgewise::nn {

namespace {

constexpr std::array kDropoutFields = {
    field<&DropoutOptions::probability, Required<Probability>>("probability", "of an element, or a row, to be zeroed"),
    field<&DropoutOptions::rows, Flag>("rows", "zero whole rows"),
};

}  // namespace

std::span<const Field<DropoutOptions>> dropout_fields() { return kDropoutFields; }

Dropout::Dropout(const DropoutOptions& options, const BuildContext& context)
    : name_(context.name), options_(options) {
  check_probability("dropout", options.probability);
}

NodeRows Dropout::forward(ForwardContext& context, const NodeRows& input) {
  if (!options_.rows) return drop(context, input, options_.probability);
  return {.dense = drop_rows(context, dense(input, name_), options_.probability)};
}

std::unique_ptr<Block> make_dropout(const json::Value& config, BuildContext& context) {
  return std::make_unique<Dropout>(read_fields(config, dropout_fields(), context.shape), context);
}

}  // namespace edgewise::nn
