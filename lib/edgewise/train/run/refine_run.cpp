#include "edgewise/train/run/refine_run.hpp"

#include <utility>

#include "edgewise/train/run/run_record.hpp"

namespace edgewise::train {

void take_refinement(const data::Labels& labels, RefinedPredictions refined, Run& run) {
  run.predictions = std::move(refined.predictions);
  run.trained->refinement = std::move(refined.refinement);
  measure_again(labels, run);
}

void refine_always(const Dataset& data, Run& run) {
  if (auto refined = best_refinement(data, run.split, run.predictions, run.report.metric))
    take_refinement(data.labels, std::move(*refined), run);
}

}  // namespace edgewise::train
