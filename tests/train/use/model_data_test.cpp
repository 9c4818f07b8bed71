#include "edgewise/train/use/model_data.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "train/friend_files.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;

namespace {

/// A model trained on friends, and how to use it.
struct FriendModel {
  test::FriendFiles files;
  Dataset data = read_dataset(files.config.data);
  Run run = run_job(files.config, data, 0);

  ModelRequest request(const char* member, const json::Value& value) const {
    ModelRequest request{"m.safetensors"};
    json::set_at(request.over, std::string("data.") + member, value);
    return request;
  }
  OpenModel open(const ModelRequest& request) {
    return open_model(from_safetensors("m.safetensors", to_safetensors(*run.trained)), request);
  }
};

std::vector<std::string> notes_of(OpenModel model) {
  std::vector<std::string> notes;
  load_model_data(std::move(model), Needs::features, [&](const std::string& line) { notes.push_back(line); });
  return notes;
}

}  // namespace

TEST_CASE("without other data a model reads that of training", "[train][model_data]") {
  FriendModel friends;
  std::vector<std::string> notes;
  ModelData loaded = load_model_data(friends.open({"m.safetensors"}), Needs::labels,
                                     [&](const std::string& line) { notes.push_back(line); });
  CHECK(notes.empty());
  CHECK(loaded.data.labels.names == friends.data.labels.names);
  CHECK(predict(loaded.trained, loaded.data, loaded.inputs) == friends.run.predictions);
}

TEST_CASE("other nodes with the edges of training are noted", "[train][model_data]") {
  FriendModel friends;
  const std::string path = friends.files.path("people.csv");
  const std::vector<std::string> notes = notes_of(friends.open(friends.request("nodes", path)));
  REQUIRE(notes.size() == 1);
  CHECK_THAT(notes[0], Contains("uses the edges of training"));
}

TEST_CASE("data of another kind than in training is refused", "[train][model_data]") {
  FriendModel friends;
  CHECK_THROWS_WITH(friends.open(friends.request("molecules", "m.csv")),
                    Contains("m.safetensors: the model was trained on the nodes of a network, not on molecules"));
  CHECK_THROWS_AS(friends.open(friends.request("texts", "t.csv")), ModelError);
  CHECK_THROWS_AS(friends.open(friends.request("label", json::Array{"buys", "age"})), UsageError);
}

TEST_CASE("a note comes before the error that it may explain", "[train][model_data]") {
  FriendModel friends;
  std::vector<std::string> notes;
  CHECK_THROWS_AS(load_model_data(friends.open(friends.request("nodes", "missing.csv")), Needs::features,
                                  [&](const std::string& line) { notes.push_back(line); }),
                  DataError);
  CHECK(notes.size() == 1);
}

TEST_CASE("other features than in training are refused", "[train][model_data]") {
  FriendModel friends;
  const ModelRequest other = friends.request("encodings", json::Object{{"degree", true}});
  CHECK_THROWS_AS(friends.open(other), ModelError);
  CHECK_THROWS_WITH(friends.open(other), Contains("m.safetensors: the model was trained with data.encodings.degree = "
                                                  "false, got true"));
  CHECK_NOTHROW(friends.open(friends.request("encodings", json::Object{{"degree", false}})));
}
