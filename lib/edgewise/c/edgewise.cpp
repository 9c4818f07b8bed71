#include "edgewise/c/edgewise.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

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

}  // namespace

edgewise_model* edgewise_open(const char* path, const char* settings, char** error) try {
  edgewise::train::ModelRequest request{.path = path};
  if (settings != nullptr) request.over = edgewise::json::parse(settings, "settings");
  return new edgewise_model{{edgewise::train::load_trained_model(path), request, [](const std::string&) {}}};
} catch (const std::exception& problem) {
  if (error != nullptr) *error = copy_of(problem.what());
  return nullptr;
}

char* edgewise_answer(edgewise_model* model, const char* request) try {
  return copy_of(model->answerer.answer(request));
} catch (const std::exception&) {
  return nullptr;
}

void edgewise_free_text(char* text) { std::free(text); }

void edgewise_close(edgewise_model* model) { delete model; }

const char* edgewise_version(void) { return edgewise::kVersion; }
