#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/attention_options.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

struct QueryReadoutOptions {
  int inputs = 0;
  int heads = 1;
  int width = 0;  ///< Of each head.
  float attention_dropout = 0;
  bool bias = true;  ///< Of keys and values.
  attention::Normaliser normaliser = attention::Normaliser::softmax;

  friend bool operator==(const QueryReadoutOptions&, const QueryReadoutOptions&) = default;
};

std::span<const Field<QueryReadoutOptions>> query_readout_fields();

/// Pooling by learned queries, one per head and the same for all graphs (the attention of PMA, Lee et al. 2019, without
/// its residual and feed-forward). With k, v = x W + b each and u over the nodes of graph g:
///   score[u, h] = query[h] . k[u, h] / sqrt(D)
///   y[g, h]     = sum over u of softmax_u(score) v[u, h],   heads side by side
///
/// Shapes: x [N, C]; W [C, H*D]; query [1, H*D]; y [graphs, H*D]. Takes sparse input. A graph without nodes gives
/// zeros.
class QueryReadout : public ReadoutBlock {
 public:
  QueryReadout(const QueryReadoutOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  std::string name_;
  QueryReadoutOptions options_;
  autograd::Parameter query_;
  LinearMap key_;
  LinearMap value_;
};

/// {"type": "query_readout", "heads": 1, "width": (of each head), "attention_dropout": 0, "bias": true (of k, v),
///  "normaliser": "softmax"}
std::unique_ptr<ReadoutBlock> make_query_readout(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
