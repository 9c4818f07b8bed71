#include "edgewise/report/epoch_log.hpp"

namespace edgewise::report {

void EpochLog::start_run(std::int64_t run) { run_ = run; }

void EpochLog::start_model(const std::string& model) { runs_[run_].push_back({model, {}}); }

void EpochLog::add(const train::EpochRecord& record) {
  std::vector<TrainedEpochs>& models = runs_[run_];
  const bool is_another = models.empty() || (!models.back().epochs.empty() &&
                                             record.epoch <= models.back().epochs.back().epoch);
  if (is_another) models.push_back({models.empty() ? "" : models.back().model, {}});
  models.back().epochs.push_back(record);
}

const std::vector<TrainedEpochs>& EpochLog::of(std::int64_t run) const {
  static const std::vector<TrainedEpochs> kNone;
  const auto found = runs_.find(run);
  return found == runs_.end() ? kNone : found->second;
}

}  // namespace edgewise::report
