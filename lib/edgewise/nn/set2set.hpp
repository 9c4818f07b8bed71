#pragma once

#include <memory>
#include <span>
#include <string>

#include "edgewise/nn/fields.hpp"
#include "edgewise/nn/linear.hpp"
#include "edgewise/nn/readout_block.hpp"

namespace edgewise::nn {

struct Set2SetOptions {
  int inputs = 0;
  int steps = 3;  ///< How often the LSTM attends to the nodes.

  friend bool operator==(const Set2SetOptions&, const Set2SetOptions&) = default;
};

std::span<const Field<Set2SetOptions>> set2set_fields();

/// Set2Set (Vinyals et al. 2016, eq. 3-7), one row per graph: an LSTM attends to the nodes of its graph `steps` times.
/// Starting from zeros, with u over the nodes of graph g,
///   q, c     = LSTM([q | r], c)
///   r[g]     = sum over u of softmax_u(q[g] . x[u]) x[u]
/// and y = [q | r] of the last step. The gates of the LSTM are in the order input, forget, cell, output:
/// [q | r] W_i + b_i + q W_h.
///
/// Shapes: x [N, C]; W_i [2 C, 4 C]; W_h [C, 4 C]; y [graphs, 2 C]. A graph without nodes gives zeros. The weights of
/// the last step are recorded.
class Set2Set : public ReadoutBlock {
 public:
  Set2Set(const Set2SetOptions& options, BuildContext& context);
  NodeRows forward(ForwardContext& context, const NodeRows& input) override;
  BlockTraits traits() const override { return {.reach = std::nullopt}; }
  void collect_parameters(std::vector<autograd::Parameter*>& parameters) override;

 private:
  autograd::Variable remember(ForwardContext& context, autograd::Variable state, autograd::Variable hidden,
                              autograd::Variable& cell);
  autograd::Variable ask(ForwardContext& context, const graph::FrozenGraph& mask, autograd::Variable query,
                         autograd::Variable x, bool is_last);

  std::string name_;
  Set2SetOptions options_;
  LinearMap input_;
  LinearMap hidden_;
};

/// {"type": "set2set", "steps": 3}
std::unique_ptr<ReadoutBlock> make_set2set(const json::Value& config, BuildContext& context);

}  // namespace edgewise::nn
