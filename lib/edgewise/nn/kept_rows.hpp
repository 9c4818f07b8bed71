#pragma once

#include <map>
#include <string>
#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/nn/block.hpp"

/// @file
/// What a decoder that writes one row at a time keeps between its steps, so that a step costs its new rows. In a step,
/// a model gets only these as its nodes, and blocks find the past here. Its masks then have one row per new row; the
/// columns of those from the nodes to themselves are all rows written so far.
namespace edgewise::nn {

/// Rows that grow step by step.
class RowTable {
 public:
  void append(ConstMatrixRef rows);
  ConstMatrixMap rows() const;

 private:
  std::vector<float> values_;
  Eigen::Index columns_ = 0;
};

struct KeptRows {
  graph::Node step = 0;  ///< Steps done before: the position of the new rows in their sequences.
  /// For each new row the row that it follows, counted over all steps; not used in the first step.
  std::vector<graph::Node> previous = {};
  std::map<std::string, RowTable> tables = {};  ///< By the names of blocks and of what they keep.
};

/// `rows` of this step with those of all steps before; `rows` itself if nothing is kept.
autograd::Variable with_past(ForwardContext& context, const std::string& name, autograd::Variable rows);

/// The rows kept under this name that those of this step follow; one or more steps were done.
autograd::Variable past_rows(ForwardContext& context, const std::string& name);

/// What `make` gives in the first step, which does not change later; always made if nothing is kept.
template <class Make>
autograd::Variable made_once(ForwardContext& context, const std::string& name, const Make& make) {
  if (context.kept != nullptr && context.kept->step > 0)
    return context.tape.constant(context.kept->tables.at(name).rows());
  return with_past(context, name, make());
}

}  // namespace edgewise::nn
