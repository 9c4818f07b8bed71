#include "edgewise/train/predict.hpp"

#include <fmt/format.h>

#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/input.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kRows = 512;

Matrix softmax_rows(ConstMatrixRef outputs) {
  Matrix result(outputs.rows(), outputs.cols());
  parallel_for(static_cast<std::size_t>(outputs.rows()), kRows, [&](std::size_t begin, std::size_t end) {
    for (auto row = static_cast<Eigen::Index>(begin); row < static_cast<Eigen::Index>(end); ++row) {
      result.row(row) = (outputs.row(row).array() - outputs.row(row).maxCoeff()).exp();
      result.row(row) /= result.row(row).sum();
    }
  });
  return result;
}

}  // namespace

Matrix to_predictions(data::Task task, ConstMatrixRef outputs, const data::TargetScaler& scaler) {
  if (outputs.size() == 0) return outputs;
  switch (task) {
    case data::Task::multilabel: return (1 / (1 + (-outputs.array()).exp())).matrix();
    case data::Task::regression: return scaler.restore(outputs);
    case data::Task::classification: break;
  }
  return softmax_rows(outputs);
}

void check_fits(const nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph) {
  const nn::ModelShape& shape = model.shape();
  if (features.columns() != static_cast<std::size_t>(shape.inputs))
    throw ModelError(fmt::format("model: the nodes have {} feature columns, the model is made for {}",
                                 features.columns(), shape.inputs));
  if (graph.edge_features.cols() != shape.edge_features)
    throw ModelError(fmt::format("model: the edges have {} feature columns, the model is made for {}",
                                 graph.edge_features.cols(), shape.edge_features));
  if (features.rows() != graph.destination_count())
    throw ModelError(fmt::format("model: the features have {} rows, the graph has {} nodes", features.rows(),
                                 graph.destination_count()));
}

Matrix predict(nn::Model& model, const data::Features& features, const graph::FrozenGraph& graph, data::Task task,
               const data::TargetScaler& scaler, std::vector<nn::AttentionRecord>* attention) {
  check_fits(model, features, graph);
  const ModelInput input(features);
  autograd::Tape tape(false);
  nn::ForwardContext context{.tape = tape, .graph = graph, .attention = attention};
  return to_predictions(task, model.forward(context, input.signal(tape)).value(), scaler);
}

}  // namespace edgewise::train
