#pragma once

#include <string>

#include "edgewise/core/json.hpp"
#include "edgewise/train/use/evaluation.hpp"

/// @file
/// The result of an evaluation, as JSON and as text.
namespace edgewise::report {

/// {"dataset": "cora", "part": "test", "nodes": 1000, "metrics": {"accuracy": 0.83}, "per_class": [{"class": ...,
/// "precision", "recall", "f1", "support"}, ...], ...}: the members of `edgewise.evaluate/1`
/// (docs/command-line/evaluate.md) but for those that are about the command.
json::Value evaluation_json(const train::ModelData& model, const train::Evaluation& evaluation);

/// The same to read, below a line that starts with `name`, that of the model.
std::string evaluation_text(const std::string& name, const train::ModelData& model,
                            const train::Evaluation& evaluation);

}  // namespace edgewise::report
