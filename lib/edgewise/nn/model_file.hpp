#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/io/safetensors.hpp"
#include "edgewise/nn/model.hpp"

/// @file
/// A model as one self-contained safetensors file: a tensor for each parameter and each running moment, and the
/// metadata "edgewise.format" and "edgewise.models" (numbers), "edgewise.version", "edgewise.model" (the expanded
/// configuration), "edgewise.shape" and "edgewise.sections" (JSON objects).
namespace edgewise::nn {

inline constexpr int kModelFormat = 1;

struct LoadedModel {
  Model model;
  std::vector<Model> others;  ///< The rest of an ensemble.
  json::Value sections;
};

/// Saves a model atomically. `sections` is an object with what callers need to use the model: labels, feature encoders,
/// scalers, the record of the training. Throws DataError if the file cannot be written.
void save_model(const std::string& path, Model& model, const json::Value& sections = json::Object{});

/// Saves an ensemble: at least one model, all with the same configuration. The tensors of the second begin with
/// "ensemble.1.", and so on; "edgewise.models" is their number. Throws UsageError without a model.
void save_models(const std::string& path, std::span<Model* const> models, const json::Value& sections);

/// The content of the file that `save_models` writes.
io::Safetensors to_safetensors(std::span<Model* const> models, const json::Value& sections);

/// The models in such content; `path` is for messages. Throws as `load_model`.
LoadedModel from_safetensors(const std::string& path, const io::Safetensors& content);

/// Throws ModelError if the file is damaged or hostile, is not an Edgewise model, has a newer format, has tensors that
/// are not those of its configuration, or contains NaN or infinities; DataError if it cannot be read.
LoadedModel load_model(const std::string& path);

}  // namespace edgewise::nn
