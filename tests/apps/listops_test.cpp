#include "generate/listops.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>

#include "apps/sandbox.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"

using namespace edgewise;
using namespace edgewise::app;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

ListOpsExpression parse(const std::string& text) {
  ListOpsExpression expression;
  std::istringstream tokens(text);
  for (std::string token; tokens >> token;)
    expression.push_back(
        static_cast<std::uint8_t>(std::ranges::find(listops_tokens(), token) - listops_tokens().begin()));
  return expression;
}

std::size_t depth_of(const ListOpsExpression& expression) {
  const std::vector<std::size_t> heads = listops_heads(expression);
  std::size_t deepest = 0;
  for (std::size_t head : heads) {
    std::size_t depth = 1;
    for (; head != 0; head = heads[head - 1]) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

}  // namespace

TEST_CASE("expressions have the values that Python gives them", "[apps][generate][listops]") {
  const json::Value golden = json::parse_file(std::string(EDGEWISE_SOURCE_DIR) + "/tests/golden/listops.json");
  REQUIRE(golden.as_array().size() == 200);
  for (const json::Value& one : golden.as_array()) {
    const std::string text = one.at("text").as_string();
    INFO(text);
    const ListOpsExpression expression = parse(text);
    CHECK(evaluate_listops(expression) == one.at("value").as_integer());
    CHECK(listops_text(expression) == text);
  }
}

TEST_CASE("tokens belong to their operators", "[apps][generate][listops]") {
  CHECK(listops_heads(parse("[MAX 2 [SM 7 7 ] 0 ]")) == std::vector<std::size_t>{0, 1, 1, 3, 3, 3, 1, 1});
  CHECK(listops_heads(parse("4")) == std::vector<std::size_t>{0});
  for (const char* broken : {"", "]", "1 2", "[MAX 1", "[MAX ]", "[MAX 1 ] ]", "[MAX 1 ] 2"}) {
    INFO(broken);
    CHECK_THROWS_WITH(evaluate_listops(parse(broken)), Contains("expected one whole expression"));
  }
}

TEST_CASE("generated expressions differ and keep to their bounds", "[apps][generate][listops]") {
  const ListOpsOptions options = {
      .train = 300, .validation = 0, .test = 100, .depth = 4, .arguments = 3, .min_length = 8, .max_length = 30};
  const std::vector<ListOpsExpression> expressions = generate_listops(options);
  std::set<std::string> texts;
  std::size_t deepest = 0;
  std::set<int> values;
  for (const ListOpsExpression& expression : expressions) {
    texts.insert(listops_text(expression));
    CHECK((expression.size() >= 8 && expression.size() <= 30));
    const std::vector<std::size_t> heads = listops_heads(expression);
    for (std::size_t place = 1; place <= heads.size(); ++place)
      CHECK(std::ranges::count(heads, place) <= 4);  // arguments and the bracket
    deepest = std::max(deepest, depth_of(expression));
    values.insert(evaluate_listops(expression));
  }
  CHECK(texts.size() == 400);
  CHECK(deepest == 4);
  CHECK(values.size() == 10);
  ListOpsOptions other = options;
  CHECK(generate_listops(other) == expressions);
  other.seed = 8;
  CHECK(generate_listops(other) != expressions);
}

TEST_CASE("expressions that do not exist are not looked for without end", "[apps][generate][listops]") {
  CHECK_THROWS_WITH(generate_listops({.train = 11, .validation = 0, .test = 0, .depth = 1, .min_length = 1}),
                    Contains("found only 10 different expressions of 11"));
  CHECK_THROWS_AS(generate_listops({.arguments = 1}), UsageError);
  CHECK_THROWS_AS(generate_listops({.min_length = 9, .max_length = 8}), UsageError);
}

TEST_CASE("models train on generated expressions, as texts and as trees", "[apps][data][listops]") {
  const test::Sandbox sandbox;
  const std::string generate = "data generate listops --train 60 --validation 20 --test 20 --max-length 20 --trees ";
  CHECK_THAT(sandbox.run(generate + "--out lists").out, Contains("100 expressions"));
  CHECK_THAT(sandbox.read("lists/expressions.csv"), StartsWith("id,text,value,split\n1,["));
  CHECK_THAT(sandbox.read("lists/tokens.csv"), StartsWith("expression,position,token,head\n1,1,["));
  const std::string job = "train --label value --task classification --epochs 1 --hidden 16 --threads 1 ";
  const test::Result texts = sandbox.run(job + "--texts lists/expressions.csv");
  INFO(texts.error);
  CHECK(texts.code == 0);
  const test::Result trees = sandbox.run(
      job + "--nodes lists/tokens.csv --graph-column expression --order position --head head --token-columns token "
            "--graphs lists/expressions.csv --mask edges");
  INFO(trees.error);
  CHECK(trees.code == 0);

  // Flags after --lra change its sizes; without them there would be 100,000 expressions.
  const test::Result few = sandbox.run(
      "data generate listops --lra --train 3 --validation 1 --test 1 --out lra --json");
  INFO(few.error);
  REQUIRE(few.code == 0);
  CHECK(few.json().at("expressions") == json::Value(5));
  CHECK(sandbox.read("lra/expressions.csv").size() > 5 * 1000);
  CHECK(sandbox.run("data generate listops --count 3 --out lists").code == 2);
  CHECK(sandbox.run("data generate purchases --depth 3 --out lists").code == 2);
  CHECK(sandbox.run("data generate listops --arguments 1 --out lists").code == 2);
}
