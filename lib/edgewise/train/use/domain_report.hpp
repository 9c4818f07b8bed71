#pragma once

#include "edgewise/train/model/applicability_domain.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/source/dataset.hpp"

namespace edgewise::train {

/// How the items of some data compare to those that a model was trained on: by its applicability domain, and by the
/// columns that it uses. Empty if the model cannot tell.
DomainReport domain_report_of(const TrainedModel& trained, const Dataset& data);

}  // namespace edgewise::train
