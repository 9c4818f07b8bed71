#include "model_data.hpp"

#include <fmt/format.h>

#include <utility>

#include "edgewise/core/error.hpp"
#include "train_config.hpp"

namespace edgewise::app {

namespace {

ModelError about_model(const std::string& path, const Error& error) {
  const std::string what = error.what();
  return ModelError(what.starts_with(path) ? what : fmt::format("{}: {}", path, what));
}

}  // namespace

void add_model_arguments(CLI::App& verb, ModelArguments& arguments) {
  verb.add_option("model", arguments.model, "A model file from edgewise train")->required();
  verb.add_option(
      "dataset", arguments.dataset,
      "A data set of the catalogue or a frozen network, unless data flags are given; by default the training data");
  ConfigFlags flags(verb, arguments.flags);
  flags.add("data");
  flags.add("split");
}

int with_model(const ModelArguments& arguments, const std::function<int()>& call) {
  try {
    return call();
  } catch (const ModelError& error) {
    throw about_model(arguments.model, error);
  }
}

train::ModelRequest request_of(const ModelArguments& arguments) {
  train::ModelRequest request{arguments.model, arguments.flags};
  if (!arguments.dataset.empty()) set_dataset(arguments.dataset, request.over);
  return request;
}

train::OpenModel open_model(const ModelArguments& arguments) {
  train::OpenModel model = train::open_model(request_of(arguments));
  check_split_flags(arguments.flags, model.config.split);
  return model;
}

train::NoteHook note_hook(const Session& session) {
  return [&session](const std::string& line) { note(session, line); };
}

train::ModelData load_model_data(const Session& session, train::OpenModel model, train::Needs needs) {
  model.parts = session.parts();
  return train::load_model_data(std::move(model), needs, note_hook(session));
}

train::ModelData load_model_data(const Session& session, const ModelArguments& arguments, train::Needs needs) {
  return load_model_data(session, open_model(arguments), needs);
}

}  // namespace edgewise::app
