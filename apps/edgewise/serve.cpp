#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/core/input_file.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/train/answer/answerer.hpp"
#include "flags.hpp"
#include "line_server.hpp"
#include "model_data.hpp"
#include "session.hpp"

namespace edgewise::app {
namespace {

struct ServeArguments {
  ModelArguments model;
  std::string socket;
};

std::size_t answer_standard_input(train::Answerer& answerer, const Session& session) {
  std::size_t answered = 0;
  for (std::string line; !session.interrupt->is_requested() && std::getline(std::cin, line);) {
    if (line.empty()) continue;
    std::cout << answerer.answer(line) << std::endl;
    ++answered;
  }
  return answered;
}

std::size_t answer_clients(train::Answerer& answerer, const std::string& socket, const Session& session) {
  LineServer server(socket, [&](std::string_view line) { return answerer.answer(line); });
  note(session, fmt::format("{}: ready", socket));
  return server.run([&] {
    if (!session.interrupt->is_requested()) return false;
    session.end_orderly();
    return true;
  });
}

int serve(const ServeArguments& arguments, const Session& session) {
  if (arguments.socket.empty() && arguments.model.model == kStandardInput)
    throw UsageError("the model: standard input (-) is for the requests; give the model as a file, or --socket");
  train::ModelRequest request = request_of(arguments.model);
  request.parts = session.parts();
  train::Answerer answerer(train::load_trained_model(arguments.model.model), request, note_hook(session));
  const std::size_t answered = arguments.socket.empty() ? answer_standard_input(answerer, session)
                                                        : answer_clients(answerer, arguments.socket, session);
  note(session, fmt::format("{} answered", counted(answered, "request")));
  return kDone;
}

}  // namespace

/// edgewise serve: answers requests for predictions and explanations.
void add_serve(CLI::App& app, Session& session) {
  CLI::App& verb = *app.add_subcommand(
      "serve",
      "Answer requests for predictions and explanations, one JSON object per line, without reloading the model");
  auto arguments = std::make_shared<ServeArguments>();
  add_model_arguments(verb, arguments->model);
  start_group(verb, "Requests");
  verb.add_option("--socket", arguments->socket,
                  "Unix domain socket to make and listen on, for any number of clients; without it requests are read "
                  "from standard input");
  add_examples(verb, {"edgewise serve model.safetensors --socket answers.socket",
                      "echo '{\"nodes\": [\"p0\", \"p1\"]}' | edgewise serve model.safetensors"});
  session.add_verb(
      verb, [arguments, &session] { return with_model(arguments->model, [&] { return serve(*arguments, session); }); });
}

}  // namespace edgewise::app
