#include <unistd.h>

#include <boost/property_tree/xml_parser.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "edgewise/core/json.hpp"
#include "support/command.hpp"
#include "support/temporary_directory.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Result;
using test::slurp;

namespace {

Result bench(const test::TemporaryDirectory& directory, const std::string& arguments) {
  return test::run_command(directory.path(), "'" EDGEWISE_CLI "' bench attention " + arguments);
}

/// Skips nothing that takes long, since that depends on what else the machine does.
constexpr const char* kTiny =
    "--threads 1 --repeats 2 --time 0.001 --max-seconds 1e9 --nodes 16,40 --density 0.05,1 ";

void check_members(const json::Value& value, std::initializer_list<const char*> members) {
  for (const char* member : members) {
    INFO(member);
    CHECK(value.find(member) != nullptr);
  }
}

std::vector<std::string> split_lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void check_measured(const json::Value& variant, bool is_training) {
  check_members(variant, {"variant", "skipped", "median_ms", "least_ms", "rounds", "calls", "peak_bytes",
                          "output_difference", "gradient_difference", "gigaflops", "share_of_arithmetic",
                          "gigabytes_per_second", "share_of_gather"});
  CHECK(variant.at("least_ms").as_number() > 0);
  CHECK(variant.at("median_ms").as_number() >= variant.at("least_ms").as_number());
  CHECK(variant.at("rounds") == json::Value(2));
  CHECK(variant.at("output_difference").as_number() <= 1e-4);
  CHECK(variant.at("gradient_difference").is_null() != is_training);
  const bool is_sparse = !variant.at("variant").as_string().starts_with("dense");
  CHECK(variant.at("share_of_gather").is_null() != is_sparse);
}

}  // namespace

TEST_CASE("a sweep writes the documented fields", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  const auto [score, normaliser] = GENERATE(table<std::string, std::string>(
      {{"dot_product", "softmax"}, {"gat", "none"}, {"gatv2", "relu"}, {"bahdanau", "relu"}}));
  CAPTURE(score, normaliser);
  const Result result = bench(directory, std::string(kTiny) + "--score " + score + " --normaliser " + normaliser +
                                             " --heads 2 --width 5 --out b.json --csv b.csv --html b.html --json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  const json::Value object = json::parse_file((directory.path() / "b.json").string());
  CHECK(json::parse(split_lines(result.out).back(), "standard output") == object);
  CHECK(object.at("schema") == json::Value("edgewise.bench/1"));
  check_members(object, {"command", "graph", "score", "normaliser", "scale", "heads", "width", "seed",
                         "machine", "limits", "agreement_bound", "rows", "crossovers"});
  CHECK(object.at("score").as_string() == score);
  CHECK(object.at("normaliser").as_string() == normaliser);
  CHECK_THAT(slurp(directory.path() / "b.html"), Contains(score + " attention, " + normaliser));
  check_members(object.at("machine"), {"processor", "compiler", "flags", "instructions", "threads"});
  check_members(object.at("limits"), {"second_cache_bytes", "third_cache_bytes", "read_gigabytes_per_second",
                                      "copy_gigabytes_per_second", "gigaflops", "gathers"});
  CHECK(object.at("limits").at("gigaflops").as_number() > 0);
  CHECK_THAT(object.at("machine").at("flags").as_string(), Contains("-march="));
  if (const long reported = sysconf(_SC_LEVEL3_CACHE_SIZE); reported > 0)
    CHECK(object.at("limits").at("third_cache_bytes").as_integer() <= reported);
  for (const json::Value& gather : object.at("limits").at("gathers").as_array())
    check_members(gather, {"level", "row_bytes", "table_bytes", "gigabytes_per_second"});

  const json::Array& rows = object.at("rows").as_array();
  REQUIRE(rows.size() == 8);  // 2 sizes, 2 densities, 2 passes
  for (const json::Value& row : rows) {
    check_members(row, {"nodes", "sources", "edges", "density", "asked_density", "pass", "variants"});
    REQUIRE(row.at("variants").as_array().size() == 4);
    for (const json::Value& variant : row.at("variants").as_array())
      check_measured(variant, row.at("pass") == json::Value("training"));
  }
  CHECK(rows.back().at("edges") == json::Value(40 * 40));
  const json::Array& crossovers = object.at("crossovers").as_array();
  CHECK(crossovers.size() == 16);  // 2 dense variants, 2 metrics, 2 passes, 2 sizes
  for (const json::Value& crossover : crossovers) {
    check_members(crossover, {"nodes", "pass", "metric", "dense", "density", "verdict"});
    CHECK(crossover.at("density").is_null() == (crossover.at("verdict") != json::Value("crosses")));
  }

  const std::vector<std::string> csv = split_lines(slurp(directory.path() / "b.csv"));
  REQUIRE(csv.size() == 33);
  CHECK_THAT(csv.front(),
             StartsWith("score,normaliser,nodes,sources,edges,density,asked_density,pass,variant,skipped,median_ms,"));
  CHECK_THAT(csv.back(), StartsWith(score + "," + normaliser + ",40,40,1600,"));
  const auto commas = std::count(csv.front().begin(), csv.front().end(), ',');
  for (const std::string& line : csv) CHECK(std::count(line.begin(), line.end(), ',') == commas);
}

TEST_CASE("a dot product can be measured without its scale", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  const Result result = bench(directory, std::string(kTiny) + "--scale false --normaliser relu --out b.json");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, Contains("dot_product attention without scale, relu"));
  CHECK(json::parse_file((directory.path() / "b.json").string()).at("scale") == json::Value(false));
  CHECK_THAT(bench(directory, "--scale false --score gat").error, Contains("--scale: gat has none"));
}

TEST_CASE("the page of a sweep is one well-formed document", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  const Result result = bench(directory, std::string(kTiny) + "--quiet --html b.html");
  REQUIRE(result.code == 0);
  CHECK(result.error.empty());
  const std::string page = slurp(directory.path() / "b.html");
  CHECK_THAT(page, StartsWith("<!DOCTYPE html>") && Contains("edgewise bench attention") && Contains("sparse_fused"));
  CHECK_THAT(page, !Contains("<script") && !Contains("src="));
  std::istringstream in(page);
  boost::property_tree::ptree tree;
  CHECK_NOTHROW(boost::property_tree::read_xml(in, tree));
  CHECK(tree.count("html") == 1);
}

TEST_CASE("what is too large is skipped with a reason", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  const Result result = bench(directory, "--threads 1 --quiet --repeats 1 --nodes 64,100000 --density 0.5 "
                                         "--max-memory 1 --variants sparse_fused,dense_masked "
                                         "--out b.json --csv b.csv --html b.html");
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, Contains("skipped: dense_masked, training, 100000 nodes, density 50 %: would need "));
  const json::Value object = json::parse_file((directory.path() / "b.json").string());
  const json::Value& last = object.at("rows").as_array().back().at("variants").as_array().back();
  CHECK_THAT(last.at("skipped").as_string(), StartsWith("would need ") && Contains("GiB"));
  CHECK(last.find("median_ms") == nullptr);
}

TEST_CASE("agreement is reported if results were compared", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  const std::string tiny =
      "--threads 1 --quiet --repeats 1 --time 0.001 --max-seconds 1e9 --nodes 16 --density 1 --html b.html ";
  CHECK_THAT(bench(directory, tiny + "--variants sparse_fused,dense_tiled").out, Contains("results agree within"));
  CHECK_THAT(slurp(directory.path() / "b.html"), Contains("all agreed within"));
  CHECK_THAT(bench(directory, tiny + "--variants sparse_fused").out,
             Contains("limits of this machine") && !Contains("agree"));
  CHECK_THAT(slurp(directory.path() / "b.html"), Contains("Times are medians") && !Contains("agreed"));
}

TEST_CASE("a single graph is measured", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  directory.write("friends.csv", "source,target\na,b\nb,c\nc,c\n");
  const std::string tiny = "--threads 1 --repeats 1 --quiet --json --edges friends.csv ";
  const Result kept = bench(directory, tiny + "--html b.html");
  REQUIRE(kept.code == 0);
  const json::Value object = json::parse(split_lines(kept.out).back(), "standard output");
  REQUIRE(object.at("rows").as_array().size() == 2);
  CHECK(object.at("rows").as_array().front().at("nodes") == json::Value(3));
  CHECK(object.at("rows").as_array().front().at("edges") == json::Value(5));
  CHECK(object.at("crossovers").as_array().empty());
  std::ifstream page(directory.path() / "b.html");
  boost::property_tree::ptree tree;
  CHECK_NOTHROW(boost::property_tree::read_xml(page, tree));
  const Result dropped = bench(directory, tiny + "--self-loops drop --directed");
  REQUIRE(dropped.code == 0);
  CHECK_THAT(dropped.out, Contains("\"edges\":2"));
}

TEST_CASE("wrong flags of the benchmark are reported in one line", "[apps][bench]") {
  const test::TemporaryDirectory directory;
  for (const char* arguments :
       {"--density 0", "--density 1.5", "--density nan", "--variants sparse_fussed", "--nodes 0", "--nodes many",
        "--score linear", "--normaliser tanh", "--scale maybe", "--score gat --scale false", "--storage float32",
        "--heads 0", "--width 0", "--repeats 0", "--time 0", "--max-memory -1", "--threads 0", "--graph nosuchset",
        "--graph karate-club --edges friends.csv", "--nodes 64,064", "--density 0.5,1,0.5",
        "--variants dense_tiled,dense_tiled", "--mask band:4 --density 0.1,0.5"}) {
    INFO(arguments);
    const Result result = bench(directory, arguments);
    CHECK(result.code == 2);
    CHECK_THAT(result.error, StartsWith("edgewise: "));
    CHECK(split_lines(result.error).size() == 1);
  }
  CHECK_THAT(bench(directory, "--variants sparse_fussed").error, Contains("did you mean \"sparse_fused\"?"));
  CHECK_THAT(bench(directory, "--nodes 64,064").error, Contains("--nodes: expected each number once, got 64 twice"));
  CHECK_THAT(bench(directory, "--variants dense_tiled,sparse_fused,dense_tiled").error,
             Contains("--variants: expected each variant once, got \"dense_tiled\" twice"));
  CHECK_THAT(bench(directory, "--mask band:4 --density 1").error,
             Contains("--density: is for random edges; the mask band:4 has none"));
  CHECK_THAT(bench(directory, "--score bahdanu").error, Contains("did you mean \"bahdanau\"?"));
  directory.write("mine.csv", "source,target\na,b\n");
  CHECK_THAT(bench(directory, "--edges mine.csv --csv mine.csv").error, Contains("--csv: mine.csv is also read"));
  CHECK(slurp(directory.path() / "mine.csv") == "source,target\na,b\n");
  CHECK_THAT(bench(directory, "--out same --csv same").error, Contains("--csv: same is also written by --out"));
  const Result result = bench(directory, "--out no/such/folder/b.json");  // reported before anything is measured
  CHECK(result.code == 3);
  CHECK_THAT(result.error, StartsWith("edgewise: no/such/folder/b.json") && !Contains("measuring"));
}
