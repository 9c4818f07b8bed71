#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "edgewise/train/inputs/descriptor_map.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/loop/batches.hpp"
#include "edgewise/train/loop/ensemble.hpp"
#include "edgewise/train/loop/label_mask.hpp"
#include "edgewise/train/loop/reorder.hpp"
#include "edgewise/train/run/run.hpp"

namespace edgewise::train {

/// Builds a model, provided it fits in memory together with everything training needs. Throws UsageError otherwise.
nn::Model make_fitting_model(const json::Value& config, const nn::ModelShape& shape, std::uint64_t seed);

/// One run of a job for a given model, or the models of an ensemble: the part of `run_job` after model selection. Its
/// steps: prepare the inputs, prepare the graph, train, measure.
class TrainingRun {
 public:
  /// Holds references to all arguments except `split`. `index` counts runs from 0.
  TrainingRun(const Config& config, const Dataset& data, data::Split split, std::int64_t index, const FitHooks& hooks);

  /// May be called once. Throws as `run_job` does.
  Run run();

 private:
  void prepare_inputs();
  void prepare_graph();
  void prepare_batches(NodeOrder order);
  void train_members();
  nn::Model make_member(std::int64_t member);
  void measure();
  void keep();
  void refine();

  const Config& config_;
  const Dataset& data_;
  data::Split split_;
  std::int64_t index_;
  const FitHooks& hooks_;
  TrainOptions options_;                ///< In force.
  std::shared_ptr<TrainedModel> source_;  ///< The model whose weights training starts from.
  FeatureMap map_;
  DescriptorMap descriptor_map_;
  Matrix descriptors_;
  data::Features features_;
  MaskedLabels labels_;
  json::Value model_config_;
  graph::FrozenGraph frozen_;
  std::optional<LinkMap> links_;  ///< Of data of ties.
  std::unique_ptr<Batches> batches_;
  std::vector<nn::Model> members_;
  Ensemble ensemble_;
  Run run_;
};

}  // namespace edgewise::train
