#pragma once

#include <functional>
#include <string>

#include "edgewise/train/use/model_data.hpp"
#include "flags.hpp"
#include "session.hpp"

namespace edgewise::app {

/// Arguments of the verbs that apply a model to data: the model file, and a data set of the catalogue or data flags.
struct ModelArguments {
  std::string model;
  std::string dataset;
  json::Value flags{json::Object{}};
};

void add_model_arguments(CLI::App& verb, ModelArguments& arguments);

/// Runs `call`, which applies the model. A ModelError that does not name the file, such as that it does not fit the
/// data, gets its path. A UsageError about settings that come from the file alone becomes a ModelError.
int with_model(const ModelArguments& arguments, const std::function<int()>& call);

train::ModelRequest request_of(const ModelArguments& arguments);

/// Throws as train::load_trained_model and train::open_model do.
train::OpenModel open_model(const ModelArguments& arguments);

/// Prints notes as `note` does.
train::NoteHook note_hook(const Session& session);

/// As train::load_model_data, and prints the notes.
train::ModelData load_model_data(const Session& session, train::OpenModel model, train::Needs needs);
train::ModelData load_model_data(const Session& session, const ModelArguments& arguments, train::Needs needs);

}  // namespace edgewise::app
