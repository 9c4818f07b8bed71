#include "edgewise/c/edgewise.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "edgewise/core/json.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "edgewise/train/model/trained_model.hpp"
#include "train/friend_files.hpp"

namespace edgewise::test {
namespace {

using Catch::Matchers::Contains;

constexpr const char* kRequest = R"({"id": 7, "nodes": ["p7", "p2"]})";

/// A text of the interface; "" for NULL.
std::string taken(char* text) {
  const std::unique_ptr<char, decltype(&edgewise_free_text)> owner(text, edgewise_free_text);
  return text == nullptr ? std::string() : std::string(text);
}

using Model = std::unique_ptr<edgewise_model, decltype(&edgewise_close)>;

Model open(const std::string& path) { return {edgewise_open(path.c_str(), nullptr, nullptr), edgewise_close}; }

std::string error_of_opening(const char* path, const char* settings) {
  char* error = nullptr;
  CHECK(edgewise_open(path, settings, &error) == nullptr);
  return taken(error);
}

/// A model of friends in a file.
struct ModelFile {
  FriendFiles files;
  std::string path = files.path("model.safetensors");

  ModelFile() {
    files.config.training.epochs = 2;
    train::Run run = train::run_job(files.config, train::read_dataset(files.config.data), 0);
    train::save_trained_model(path, *run.trained);
  }
};

TEST_CASE("a model answers in C, and an argument that is NULL is an error", "[c][edgewise]") {
  const ModelFile file;
  CHECK_THAT(error_of_opening(nullptr, nullptr), Contains("edgewise_open: expected the path of a model, got NULL"));
  CHECK_THAT(error_of_opening("/nowhere", nullptr), Contains("/nowhere"));
  CHECK_THAT(error_of_opening(file.path.c_str(), "{"), Contains("settings"));
  CHECK(edgewise_open(nullptr, nullptr, nullptr) == nullptr);
  const Model model = open(file.path);
  REQUIRE(model != nullptr);
  CHECK_THAT(taken(edgewise_answer(model.get(), kRequest)), Contains("\"predictions\""));
  CHECK_THAT(taken(edgewise_answer(model.get(), "nodes")), Contains("\"error\""));
  CHECK(taken(edgewise_answer(model.get(), nullptr)) ==
        R"({"error":"edgewise_answer: expected a request, got NULL"})");
  CHECK(taken(edgewise_answer(nullptr, kRequest)) == R"({"error":"edgewise_answer: expected a model, got NULL"})");
  edgewise_free_text(nullptr);
  edgewise_close(nullptr);
}

TEST_CASE("no exception leaves the C interface, not even the order to end", "[c][edgewise]") {
  const ModelFile file;
  const Model model = open(file.path);
  const Observed observed({.is_over = [] { return true; }});
  CHECK(error_of_opening(file.path.c_str(), nullptr) == "the work was interrupted");
  CHECK(taken(edgewise_answer(model.get(), R"({"explain": "p3"})")) == R"({"error":"the work was interrupted"})");
}

TEST_CASE("models answer alike in several threads and in a forked process", "[c][edgewise]") {
  constexpr std::size_t kThreads = 4;
  const int before = threads();
  set_threads(2);
  const ModelFile file;
  const Model model = open(file.path);
  const char* explain = R"({"explain": "p3"})";
  const std::string expected =
      taken(edgewise_answer(model.get(), kRequest)) + taken(edgewise_answer(model.get(), explain));
  REQUIRE_THAT(expected, Contains("\"predictions\"") && Contains("\"explanation\""));
  std::vector<std::string> answers(kThreads);
  const auto ask = [&](std::size_t i) {
    const Model own = open(file.path);
    for (int k = 0; k < 3; ++k)
      answers[i] = taken(edgewise_answer(own.get(), kRequest)) + taken(edgewise_answer(own.get(), explain));
  };
  std::vector<std::thread> askers;
  for (std::size_t i = 0; i < kThreads; ++i) askers.emplace_back(ask, i);
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(600);  // ends a child that waits for a thread that it does not have
      ask(0);
      const std::string again =
          taken(edgewise_answer(model.get(), kRequest)) + taken(edgewise_answer(model.get(), explain));
      _exit(answers[0] == expected && again == expected ? 0 : 1);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  for (std::thread& asker : askers) asker.join();
  set_threads(before);
  CHECK(answers == std::vector<std::string>(kThreads, expected));
}

}  // namespace
}  // namespace edgewise::test
