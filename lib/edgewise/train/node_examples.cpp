#include "edgewise/train/node_examples.hpp"

#include <fmt/format.h>

#include "edgewise/autograd/sparse_linear.hpp"
#include "edgewise/autograd/permute_rows.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/graph/permutation.hpp"

namespace edgewise::train {

NodeExamples::NodeExamples(const data::Features& features, const graph::FrozenGraph& graph,
                           std::vector<graph::Node> order)
    : features_(features), graph_(graph), place_(graph::inverse(order)) {
  if (features.is_sparse) sparse_ = std::make_unique<autograd::SparseInput>(features.sparse);
}

NodeExamples::~NodeExamples() = default;

void NodeExamples::check_fits(const nn::Model& model) const {
  const nn::ModelShape& shape = model.shape();
  if (model.is_graph_level())
    throw ModelError("model: it has a readout: it labels graphs, and the data has labels of nodes");
  if (model.uses_complete_mask())
    throw ModelError("model: it attends between all nodes of a graph (as the preset gps does), which is for collections "
                     "of small graphs");
  if (features_.columns() != static_cast<std::size_t>(shape.inputs))
    throw ModelError(fmt::format("model: the nodes have {} feature columns, the model is made for {}",
                                 features_.columns(), shape.inputs));
  if (graph_.edge_features.cols() != shape.edge_features)
    throw ModelError(fmt::format("model: the edges have {} feature columns, the model is made for {}",
                                 graph_.edge_features.cols(), shape.edge_features));
  if (features_.rows() != graph_.destination_count())
    throw ModelError(fmt::format("model: the features have {} rows, the graph has {} nodes", features_.rows(),
                                 graph_.destination_count()));
}

std::vector<std::vector<graph::Node>> NodeExamples::steps(std::vector<graph::Node> items, std::uint64_t,
                                                          std::uint64_t) const {
  return {std::move(items)};
}

autograd::Variable NodeExamples::forward(nn::Model& model, const Pass& pass, std::span<const graph::Node>) {
  nn::ForwardContext context{.tape = pass.tape,
                             .graph = graph_,
                             .is_training = pass.is_training,
                             .seed = pass.seed,
                             .step = pass.step,
                             .attention = pass.attention};
  nn::Signal signal;
  if (sparse_ == nullptr)
    signal.dense = pass.tape.constant(features_.dense);
  else
    signal.sparse.input = sparse_.get();
  const autograd::Variable outputs = model.forward(context, signal);
  if (place_.empty()) return outputs;
  if (pass.attention != nullptr) put_back(*pass.attention);
  return autograd::permute_rows(outputs, place_);
}

void NodeExamples::put_back(std::vector<nn::AttentionRecord>& records) const {
  const std::vector<graph::StoredEdge> slots = graph::permuted_slots(graph_, place_);
  for (nn::AttentionRecord& record : records) record.weights = graph::permute_rows(record.weights, slots);
}

}  // namespace edgewise::train
