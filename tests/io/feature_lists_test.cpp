#include "edgewise/io/feature_lists.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/error.hpp"
#include "io/files.hpp"
#include "support/dataset.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using io::read_feature_lists;
using test::Files;

TEST_CASE("feature lists are sets, in any order", "[io][feature_lists]") {
  const Files files;
  const std::string text = "\xef\xbb\xbf{\"7\": [3, 1, 3],\n \"a\\u00e9\": [], \"5\": [0]}\n";
  for (const std::string& path : {files.write("a.json", text), files.write_gzip("a.json.gz", text)}) {
    const auto lists = read_feature_lists(path);
    CHECK(lists.names[1] == "aé");
    REQUIRE(lists.matrix.rows() == 3);
    CHECK(lists.matrix.cols() == 4);
    CHECK(lists.matrix.nonZeros() == 3);
    CHECK(lists.matrix.coeff(0, 3) == 1.0f);
    CHECK(lists.matrix.coeff(2, 0) == 1.0f);
  }
  const graph::NodeNames known = graph::NodeNames::numbered(8);
  const auto ordered = read_feature_lists(files.write("b.json", "{\"7\":[1]}"), {.known_nodes = &known});
  CHECK(ordered.matrix.rows() == 8);
  CHECK(ordered.matrix.coeff(7, 1) == 1.0f);
  CHECK(read_feature_lists(files.write("c.json", "{}")).matrix.rows() == 0);
}

TEST_CASE("feature lists refuse anything else", "[io][feature_lists]") {
  const Files files;
  const auto read = [&](std::string_view text) { return read_feature_lists(files.write("bad.json", text)); };
  CHECK_THROWS_WITH(read("{\"0\": [1,\n \"x\"]}"), Contains("bad.json:2:5: not a list of features"));
  for (const char* text :
       {"", "[]", "1", "{\"0\": 1}", "{\"0\": [[1]]}", "{\"0\": [1.5]}", "{\"0\": [-1]}", "{\"0\": [1]",
        "{\"0\": [1]} x", "{\"0\": {\"a\": 1}}", "{\"0\": [null]}", "{\"0\": [99999999999]}", "{\"0\": [1e99]}",
        "{\"\": [1]}", "{\"\xff\": [1]}", "{\"0\": [1,]}"})
    CHECK_THROWS_AS(read(text), DataError);
  CHECK_THROWS_WITH(read("{\"0\": [1], \"0\": [2]}"), Contains("\"0\" appears here a second time"));
  CHECK_THROWS_AS(read(std::string(1'000'000, '[')), DataError);
  CHECK_THROWS_AS(read(std::string_view("{\"0\": [1]}\0{", 12)), DataError);
  CHECK_THROWS_AS(read_feature_lists(files.path("missing.json")), DataError);
  CHECK_THROWS_AS(read_feature_lists(files.path("")), DataError);
  const std::string packed = test::slurp(files.write_gzip("good.gz", "{\"0\": [1, 2, 3, 4, 5, 6, 7, 8]}"));
  CHECK_THROWS_WITH(read_feature_lists(files.write("cut.gz", packed.substr(0, packed.size() - 9))),
                    Contains("cut short"));
}

TEST_CASE("feature lists of the public data sets have their counts", "[io][feature_lists][data]") {
  const struct {
    const char* folder;
    const char* file;
    int nodes;
    int features;
    int nonzeros;
  } lists[] = {{"musae-facebook", "facebook_features.json.gz", 22470, 4714, 314583},
               // 690,374 entries in the file, of which 16 are repeated.
               {"musae-github", "git_features.json.gz", 37700, 4005, 690358},
               {"wikipedia-chameleon", "chameleon_features.json.gz", 2277, 3132, -1},
               {"wikipedia-squirrel", "squirrel_features.json.gz", 5201, 3148, -1},
               {"twitch/DE", "DE_features.json.gz", 9498, 3170, -1},
               {"twitch/PTBR", "PTBR_features.json.gz", 1912, 3169, -1}};
  for (const auto& set : lists) {
    const auto folder = test::dataset(set.folder);
    if (!folder) continue;
    CAPTURE(set.folder);
    const auto features = read_feature_lists(*folder + "/" + set.file);
    CHECK(features.matrix.rows() == set.nodes);
    CHECK(features.matrix.cols() == set.features);
    if (set.nonzeros >= 0) CHECK(features.matrix.nonZeros() == set.nonzeros);
  }
}
