#pragma once

#include <string>

#include "edgewise/report/epoch_log.hpp"
#include "edgewise/report/train_result.hpp"

namespace edgewise::report {

/// The loss over the epochs of the model that is kept, and the validation metric of all models tried in its run; "" if
/// nothing had epochs. `model`: the name of what is kept.
std::string learning_section(const train::Run& kept, const std::string& model,
                             const std::vector<TrainedEpochs>& trained);

}  // namespace edgewise::report
