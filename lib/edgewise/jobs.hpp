#pragma once

/// Jobs as the command line runs them: a configuration, the data that it names, runs, and the use of a model file.
#include "edgewise/train/choose/compare_models.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/choose/train_runs.hpp"
#include "edgewise/train/choose/tune_models.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/explain/attention_rows.hpp"
#include "edgewise/train/explain/graph_attention.hpp"
#include "edgewise/train/explain/node_attention.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/model/model_input.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "edgewise/train/run/recipe.hpp"
#include "edgewise/train/use/evaluation.hpp"
#include "edgewise/train/use/model_data.hpp"
#include "edgewise/train/use/prediction.hpp"
