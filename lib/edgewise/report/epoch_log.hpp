#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "edgewise/train/loop/fit.hpp"

namespace edgewise::report {

/// One model while it was trained.
struct TrainedEpochs {
  std::string model;  ///< "" if it was named by the user.
  std::vector<train::EpochRecord> epochs;
};

/// The epochs of all runs, for learning curves.
class EpochLog {
 public:
  void start_run(std::int64_t run);
  void start_model(const std::string& model);
  void add(const train::EpochRecord& record);

  /// The models of a run, in the order trained: several if one was chosen, or of an ensemble. None if the run was made
  /// earlier, or has no epochs.
  const std::vector<TrainedEpochs>& of(std::int64_t run) const;

 private:
  std::map<std::int64_t, std::vector<TrainedEpochs>> runs_;
  std::int64_t run_ = 0;
};

}  // namespace edgewise::report
