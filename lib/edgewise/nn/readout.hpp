#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

enum class ReadoutKind { sum, mean, max, sum_mean_max };

/// The names of all kinds, in order.
std::vector<std::string> readout_kind_names();

struct ReadoutOptions {
  ReadoutKind kind = ReadoutKind::sum;

  friend bool operator==(const ReadoutOptions&, const ReadoutOptions&) = default;
};

std::span<const Field<ReadoutOptions>> readout_fields();

/// Makes one row per graph from one row per node. With u over the nodes of graph g,
///   y[g] = sum of x[u] | mean of x[u] | max of x[u] in each column | [sum | mean | max].
///
/// Shapes: x [N, C]; y [graphs, C], or [graphs, 3 C]. A graph without nodes gives zeros. Later blocks get one row per
/// graph; those that attend along edges refuse it.
class Readout : public ReadoutBlock {
 public:
  Readout(const ReadoutOptions& options, const BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>&) override {}

 private:
  std::string name_;
  ReadoutOptions options_;
};

/// {"type": "readout", "kind": "sum" | "mean" | "max" | "sum_mean_max"}
std::unique_ptr<ReadoutBlock> make_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
