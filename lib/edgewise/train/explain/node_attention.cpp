#include "edgewise/train/explain/node_attention.hpp"

#include <vector>

#include "edgewise/autograd/tape.hpp"
#include "edgewise/train/explain/attending_model.hpp"
#include "edgewise/train/inputs/job_batches.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/predict.hpp"
#include "edgewise/train/model/refinement.hpp"

namespace edgewise::train {
namespace {

NodeAttention ask_nodes(const ModelData& loaded, TrainedModel& trained, const ModelInput& input) {
  NodeAttention answer;
  answer.batches =
      std::make_unique<NodeBatches>(input.features, input.graph, std::vector<graph::Node>{}, layout_of(loaded.data));
  answer.batches->check_fits(trained.model);
  autograd::Tape tape(false);
  const autograd::Variable outputs =
      answer.batches->forward(trained.model, {.tape = tape, .attention = &answer.records}, {});
  answer.predictions = to_predictions(trained.task, outputs.value(), trained.scaler);
  if (trained.refinement) answer.predictions = refine(*trained.refinement, loaded.data.graph, answer.predictions);
  check_finite(answer.predictions);
  return answer;
}

}  // namespace

NodeAttention attention_of_nodes(const std::string& path, ModelData& loaded, const NoteHook& note) {
  return first_with_attention(path, loaded, note, [&](TrainedModel& trained, const ModelInput& input) {
    return ask_nodes(loaded, trained, input);
  });
}

}  // namespace edgewise::train
