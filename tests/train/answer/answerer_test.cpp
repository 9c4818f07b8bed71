#include "edgewise/train/answer/answerer.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/setting.hpp"
#include "train/explain/explained_models.hpp"

using namespace edgewise;
using namespace edgewise::train;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

json::Value parsed(const std::string& answer) {
  CHECK(answer.find('\n') == std::string::npos);
  return json::parse(answer, "answer");
}

const json::Value& prediction(const json::Value& answer, std::size_t i) {
  return answer.at("predictions").as_array().at(i);
}

/// Refers to the files of its training.
Answerer answerer_for(ModelData data) { return {std::move(data.trained), {"m"}, test::ignore_note}; }

}  // namespace

TEST_CASE("requests about nodes are answered as predict would", "[train][answerer]") {
  test::FriendFiles files;
  ModelData data = test::trained_on_friends(files, json::Object{{"preset", "gatv2"}, {"hidden", 8}, {"heads", 2}});
  const Matrix expected = predict(data.trained, data.data, data.inputs);
  Answerer answerer = answerer_for(std::move(data));
  const json::Value answer = parsed(answerer.answer(R"({"id": [1, "a"], "nodes": ["p7", "p2", "p7"]})"));
  CHECK(answer.at("id") == json::Value(json::Array{1, "a"}));
  CHECK(answer.at("predictions").as_array().size() == 3);
  CHECK(prediction(answer, 0).at("node") == json::Value("p7"));
  CHECK(prediction(answer, 0) == prediction(answer, 2));
  const double of_p2 = prediction(answer, 1).at("probabilities").at("no").as_number();
  CHECK(of_p2 == Approx(static_cast<double>(expected(2, 0))).epsilon(1e-6));
  CHECK(parsed(answerer.answer(R"({"nodes": []})")).at("predictions").as_array().empty());
  const json::Value explained = parsed(answerer.answer(R"({"explain": "p3", "of": "yes"})")).at("explanation");
  CHECK(explained.at("of") == json::Value("yes"));
  CHECK(explained.at("value") == explained.at("prediction").at("yes"));
  CHECK_FALSE(explained.at("parts").as_array().empty());
}

TEST_CASE("requests about molecules bring them", "[train][answerer]") {
  ModelData data = test::trained_on_molecules(test::small_gatv2("sum"));
  const Matrix expected = predict(data.trained, data.data, data.inputs);
  Answerer answerer = answerer_for(std::move(data));  // the table of its training is gone
  const json::Value answer = parsed(answerer.answer(R"({"molecules": ["CCCC", "no molecule", "CCO"]})"));
  const auto value = [&](std::size_t i) { return prediction(answer, i).at("predicted").at("y"); };
  CHECK(value(0).as_number() == Approx(static_cast<double>(expected(3, 0))).epsilon(1e-5));
  CHECK(value(1).is_null());
  CHECK(prediction(answer, 1).find("problem") != nullptr);
  CHECK(value(2).as_number() == Approx(static_cast<double>(expected(0, 0))).epsilon(1e-5));
  const json::Value explained = parsed(answerer.answer(R"({"explain": "CCO"})")).at("explanation");
  CHECK(explained.at("value").as_number() == Approx(value(2).as_number()).epsilon(1e-5));
  CHECK_THAT(answerer.answer(R"({"explain": "no molecule"})"), StartsWith(R"({"error":)"));
}

TEST_CASE("a request that cannot be answered gets one line that says why", "[train][answerer]") {
  test::FriendFiles files;
  Answerer answerer =
      answerer_for(test::trained_on_friends(files, json::Object{{"preset", "gcn"}, {"hidden", 8}}));
  const auto error = [&](const char* request) { return parsed(answerer.answer(request)).at("error").as_string(); };
  CHECK_THAT(error(""), Contains("the request"));
  CHECK_THAT(error("\xff\xfe"), Contains("the request"));
  CHECK_THAT(error("[1]"), Contains("the request"));
  CHECK_THAT(error("{}"), Contains(R"(expected "nodes" or "explain")"));
  CHECK_THAT(error(R"({"nodes": ["p1"], "explain": "p1"})"), Contains(R"(expected "nodes" or "explain")"));
  CHECK_THAT(error(R"({"nodes": "p1"})"), Contains("nodes: expected an array"));
  CHECK_THAT(error(R"({"nodes": [3]})"), Contains("nodes[0]"));
  CHECK_THAT(error(R"({"nodes": ["nobody"]})"), Contains(R"(there is no node "nobody")"));
  CHECK_THAT(error(R"({"molecules": ["C"]})"), Contains("molecules"));
  CHECK_THAT(error(R"({"nodes": ["p1"], "level": 2})"), Contains("2"));
  name_settings([](std::string_view path) { return "--" + std::string(path); });
  CHECK_THAT(error(R"({"nodes": ["p1"], "level": 2})"), StartsWith("level: expected a share"));
  CHECK_THAT(error(R"({"nodes": ["p1"], "level": 0.9999})"), StartsWith("level: "));
  CHECK_THAT(error(R"({"explain": "p1", "of": "maybe"})"), StartsWith("of: the model predicts nothing called"));
  CHECK(setting("intervals") == "--intervals");
  name_settings({});
  CHECK(parsed(answerer.answer(R"({"id": 5, "nodes": [3]})")).at("id") == json::Value(5));
}
