#include "edgewise/c/edgewise.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/version.hpp"
#include "edgewise/train/answer/answerer.hpp"

struct edgewise_model {
  edgewise::train::Answerer answerer;
};

namespace {

/// A copy for the caller; null if memory runs out.
char* copy_of(std::string_view text) noexcept {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

/// Calls report(line) with what is being caught, in one line; null if memory runs out meanwhile.
template <class Report>
char* caught(const Report& report) noexcept try {
  try {
    throw;
  } catch (const std::exception& problem) {
    return report(problem.what());
  } catch (const edgewise::Interrupted&) {
    return report("the work was interrupted");
  } catch (...) {
    return report("an exception of an unknown kind was thrown");
  }
} catch (...) {
  return nullptr;
}

char* answer_of_error(const char* line) {
  return copy_of(edgewise::json::dump(edgewise::json::Object{{"error", line}}));
}

/// The argument, which must not be null.
template <class Argument>
Argument* given(Argument* argument, const char* what) {
  if (argument == nullptr) throw edgewise::UsageError(std::string(what) + ", got NULL");
  return argument;
}

}  // namespace

edgewise_model* edgewise_open(const char* path, const char* settings, char** error) try {
  edgewise::train::ModelRequest request{.path = given(path, "edgewise_open: expected the path of a model")};
  if (settings != nullptr) request.over = edgewise::json::parse(settings, "settings");
  if (const char* folder = std::getenv("TMPDIR")) request.parts.folder = folder;
  return new edgewise_model{{edgewise::train::load_trained_model(path), request, [](const std::string&) {}}};
} catch (...) {
  if (error != nullptr) *error = caught(copy_of);
  return nullptr;
}

char* edgewise_answer(edgewise_model* model, const char* request) try {
  return copy_of(given(model, "edgewise_answer: expected a model")
                     ->answerer.answer(given(request, "edgewise_answer: expected a request")));
} catch (...) {
  return caught(answer_of_error);
}

void edgewise_free_text(char* text) { std::free(text); }

void edgewise_close(edgewise_model* model) { delete model; }

const char* edgewise_version(void) { return edgewise::kVersion; }
