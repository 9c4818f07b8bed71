#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

struct DropoutOptions {
  float probability = 0;  ///< Of an element, or a row, to be zeroed, in [0, 1).
  bool rows = false;      ///< Whether whole rows are zeroed.

  friend bool operator==(const DropoutOptions&, const DropoutOptions&) = default;
};

std::span<const Field<DropoutOptions>> dropout_fields();

/// Zeroes elements in training and scales up the others; does nothing in evaluation. Takes sparse input and drops its
/// non-zeros; but whole rows (DropNode, Feng et al. 2020) must be dense.
class Dropout : public Block {
 public:
  /// Throws UsageError for a probability outside [0, 1).
  Dropout(const DropoutOptions& options, const BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {}; }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  DropoutOptions options_;
};

/// {"type": "dropout", "probability": 0.5, "rows": false}
std::unique_ptr<Block> make_dropout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
