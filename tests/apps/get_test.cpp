#include <minizip/zip.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "apps/sandbox.hpp"
#include "edgewise/data/sha256.hpp"
#include "get/archive.hpp"
#include "get/pickle.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using test::check_one_line;
using test::Result;
using test::Sandbox;

namespace {

using Files = std::vector<std::pair<std::string, std::string>>;

void write_zip(const Sandbox& sandbox, const std::string& name, const Files& files) {
  const zipFile zip = zipOpen64(sandbox.path(name).c_str(), 0);
  for (const auto& [file, text] : files) {
    REQUIRE(zipOpenNewFileInZip(zip, file.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, Z_DEFLATED, 6) == ZIP_OK);
    REQUIRE(zipWriteInFileInZip(zip, text.data(), static_cast<unsigned>(text.size())) == ZIP_OK);
    REQUIRE(zipCloseFileInZip(zip) == ZIP_OK);
  }
  REQUIRE(zipClose(zip, nullptr) == ZIP_OK);
}

std::string entry(const std::string& role, const std::string& path, const std::string& text) {
  return fmt::format(R"({{"role": "{}", "path": "{}", "sha256": "{}"}})", role, path, data::sha256(text));
}

/// A catalogue of one set.
void write_catalogue(const Sandbox& sandbox, const std::string& name, const std::string& task, const std::string& format,
                     const std::vector<std::string>& entries) {
  sandbox.write("catalogue.json", fmt::format(R"({{"version": 1, "datasets": [{{"name": "{}", "title": "", "task": "{}",
    "format": "{}", "directed": false, "split": "", "splits": [], "metric": "accuracy", "source": "", "licence": "", "files": [{}],
    "counts": {{}}, "published": []}}]}})", name, task, format, fmt::join(entries, ", ")));
}

Result get(const Sandbox& sandbox, const std::string& arguments) {
  return sandbox.shell("EDGEWISE_DATASETS=. EDGEWISE_DATA=data " + Sandbox::kBinary + "data get " + arguments);
}

// Pickles as Python 2 wrote them.

std::string little(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(number >> (8 * i));
  return text;
}
std::string integer(std::int64_t number) { return "J" + little(static_cast<std::uint64_t>(number), 4); }
std::string text(const std::string& words) { return "T" + little(words.size(), 4) + words; }
std::string global(const std::string& module, const std::string& name) { return "c" + module + "\n" + name + "\n"; }

template <class Number>
std::string array(const std::vector<std::int64_t>& shape, const std::vector<Number>& values, const std::string& type) {
  std::string sizes = "(";
  for (const std::int64_t size : shape) sizes += integer(size);
  std::string bytes(values.size() * sizeof(Number), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const std::string dtype = global("numpy", "dtype") + text(type) + integer(0) + integer(1) + "\x87R(" + integer(3) +
                            text("<") + "NNNtb";
  return global("numpy.core.multiarray", "_reconstruct") + global("numpy", "ndarray") + integer(0) + "\x85" +
         text("b") + "\x87R(" + integer(1) + sizes + "t" + dtype + "\x89" + text(bytes) + "tb";
}

std::string pickled(const std::string& value) { return "\x80\x02" + value + "."; }

std::string matrix(std::int64_t rows, std::int64_t columns, const std::vector<int>& offsets,
                   const std::vector<int>& indices) {
  const auto size = [](const std::vector<int>& of) { return std::vector<std::int64_t>{std::int64_t(of.size())}; };
  return pickled(global("scipy.sparse.csr", "csr_matrix") + ")\x81}(" + text("_shape") + integer(rows) +
                 integer(columns) + "\x86" + text("indptr") + array(size(offsets), offsets, "i4") + text("indices") +
                 array(size(indices), indices, "i4") + text("data") +
                 array(size(indices), std::vector<float>(indices.size(), 1), "f4") + "ub");
}

/// One row of zeros with a 1 for each class.
std::string labels(const std::vector<int>& classes) {
  std::vector<int> ones(2 * classes.size());
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i] >= 0) ones[2 * i + static_cast<std::size_t>(classes[i])] = 1;
  return pickled(array({std::int64_t(classes.size()), 2}, ones, "i4"));
}

/// 502 nodes with a label to train or validate on, and nodes 503 and 505 to test.
Files planetoid() {
  std::vector<int> offsets{0}, indices, classes;
  for (int node = 0; node < 502; ++node) {
    indices.push_back(node % 3);
    offsets.push_back(node + 1);
    classes.push_back(node % 2);
  }
  const std::string graph = pickled(global("collections", "defaultdict") + global("__builtin__", "list") + "\x85R(" +
                                    integer(0) + "](" + integer(503) + integer(1) + "e" + integer(1) + "](" +
                                    integer(0) + integer(1) + "eu");
  return {{"p/ind.toy.x", matrix(2, 3, {0, 1, 2}, {0, 1})},
          {"p/ind.toy.y", labels({0, 1})},
          {"p/ind.toy.allx", matrix(502, 3, offsets, indices)},
          {"p/ind.toy.ally", labels(classes)},
          {"p/ind.toy.tx", matrix(2, 3, {0, 2, 2}, {2, 0})},
          {"p/ind.toy.ty", labels({1, 0})},
          {"p/ind.toy.graph", graph},
          {"p/ind.toy.test.index", "505\n503\n"}};
}

void write_rows_catalogue(const Sandbox& sandbox) {
  write_catalogue(sandbox, "toy", "node classification", "rows",
                  {entry("edges", "toy/edges.csv", "source,target\n0,1\n0,503\n"),
                   entry("features", "toy/features.csv.gz", "?"), entry("labels", "toy/labels.csv", "?"),
                   entry("split", "toy/split.csv", "?")});
}

}  // namespace

TEST_CASE("data get finds the files of a set in a zip, a folder and a file, compressed or not", "[apps][data]") {
  const Sandbox sandbox;
  const std::string edges = "id_1,id_2\n0,1\n", targets = "id,page_type\n0,a\n1,b\n", features = R"({"0": [1], "1": []})";
  write_catalogue(sandbox, "pages", "node classification", "musae",
                  {entry("edges", "pages/pages_edges.csv.gz", edges),
                   entry("features", "pages/pages_features.json.gz", features),
                   entry("labels", "pages/pages_target.csv", targets)});
  const Files files = {{"pages/README.txt", "by SNAP"},
                       {"pages/musae_pages_edges.csv", edges},
                       {"pages/musae_pages_features.json", features},
                       {"pages/musae_pages_target.csv", targets}};
  write_zip(sandbox, "pages.zip", files);
  const Result result = get(sandbox, "pages --from pages.zip");
  INFO(result.error);
  CHECK(result.code == 0);
  CHECK_THAT(result.out, EndsWith("state: here\n"));
  CHECK(sandbox.read("data/pages/pages_target.csv") == targets);
  CHECK(sandbox.shell("zcat data/pages/pages_edges.csv.gz").out == edges);

  const Result of_folder = get(sandbox, "pages --from data/pages --json");
  CHECK(of_folder.json().at("state") == json::Value("here"));
  CHECK(of_folder.json().at("files").as_array().size() == 3);

  sandbox.write("data/pages/pages_target.csv", targets + "2,c\n");
  const Result other = get(sandbox, "pages --from data/pages");
  CHECK_THAT(other.out, Contains("pages_target.csv: another version than that of the catalogue\n"));
  CHECK_THAT(other.out, Contains("state: damaged"));
}

TEST_CASE("data get takes the only file of a set whatever its name", "[apps][data]") {
  const Sandbox sandbox;
  const std::string table = "smiles,y\nCCO,1\n";
  write_catalogue(sandbox, "water", "molecule regression", "molecules", {entry("molecules", "water/table.csv", table)});
  sandbox.write("download", table);
  REQUIRE(sandbox.shell("gzip download").code == 0);
  CHECK_THAT(get(sandbox, "water --from download.gz").out, EndsWith("state: here\n"));
  CHECK(sandbox.read("data/water/table.csv") == table);
}

TEST_CASE("data get converts the raw files of Planetoid", "[apps][data]") {
  const Sandbox sandbox;
  write_rows_catalogue(sandbox);
  write_zip(sandbox, "planetoid.zip", planetoid());
  const Result result = get(sandbox, "toy --from planetoid.zip");
  INFO(result.error);
  REQUIRE(result.code == 0);
  CHECK(sandbox.read("data/toy/edges.csv") == "source,target\n0,1\n0,503\n");  // each once, no loops
  const std::string features = sandbox.shell("zcat data/toy/features.csv.gz").out;
  CHECK_THAT(features, Catch::Matchers::StartsWith("# nodes=506 features=3 nnz=504\nnode,feature,value\n0,0,1\n1,1,1\n"));
  CHECK_THAT(features, EndsWith("\n501,0,1\n505,0,1\n505,2,1\n"));  // the first line of tx is of node 505
  CHECK_THAT(sandbox.read("data/toy/labels.csv"), EndsWith("\n501,1\n502,-1\n503,0\n504,-1\n505,1\n"));
  const std::string split = sandbox.read("data/toy/split.csv");
  CHECK_THAT(split, Contains("\n1,train\n2,val\n") && EndsWith("\n501,val\n502,none\n503,test\n504,none\n505,test\n"));
}

TEST_CASE("data get refuses what it cannot use in one line", "[apps][data]") {
  const Sandbox sandbox;
  write_rows_catalogue(sandbox);
  const auto refused = [&](const std::string& arguments, int code, const std::string& problem) {
    const Result result = get(sandbox, arguments);
    INFO(arguments);
    CHECK(result.code == code);
    CHECK_THAT(result.error, Contains(problem));
    check_one_line(result);
    CHECK_FALSE(std::filesystem::exists(sandbox.path("data/toy/edges.csv")));
  };
  refused("toy --from none.zip", 3, "none.zip: no such file or folder");
  refused("tay --from none.zip", 2, "toy");
  write_zip(sandbox, "other.zip", {{"readme.md", "nothing"}});
  refused("toy --from other.zip", 3, "other.zip: expected edges.csv, or ind.toy.* of toy, but has no such file");
  write_zip(sandbox, "trap.zip", {{"../../edges.csv", "source,target\n"}});
  refused("toy --from trap.zip", 3, "has a file whose name leads out of it: \"../../edges.csv\"");
  write_zip(sandbox, "root.zip", {{"/etc/edges.csv", "source,target\n"}});
  refused("toy --from root.zip", 3, "leads out of it");

  Files files = planetoid();
  write_zip(sandbox, "whole.zip", files);
  const std::string whole = sandbox.read("whole.zip");
  sandbox.write("half.zip", whole.substr(0, whole.size() / 2));
  refused("toy --from half.zip", 3, "is a damaged or truncated zip");
  std::string damaged = whole;
  damaged[damaged.find("ind.toy.allx") + 40] ^= 0x55;
  sandbox.write("damaged.zip", damaged);
  refused("toy --from damaged.zip", 3, "ind.toy.allx: is damaged");
  sandbox.write("page.zip", "<html>404</html>");
  refused("toy --from page.zip", 3, "page.zip: is not a zip archive");
  sandbox.write("page", "<html>404</html>");
  refused("toy --from page", 3, "page: expected edges.csv, or ind.toy.* of toy, but is not a zip archive");
  sandbox.write("edges.csv.tgz", std::string("\x1f\x8b") + "rubbish");
  refused("toy --from edges.csv.tgz", 3, "unpack it, and pass the folder");

  files.pop_back();
  write_zip(sandbox, "part.zip", files);
  refused("toy --from part.zip", 3, "part.zip: has no ind.toy.test.index");
  files.emplace_back("p/ind.toy.test.index", "505\n99999999999\n");
  write_zip(sandbox, "far.zip", files);
  refused("toy --from far.zip", 3, "line 2: expected a node, got \"99999999999\"");
  files.back().second = "505\n";
  write_zip(sandbox, "few.zip", files);
  refused("toy --from few.zip", 3, "the files ind.toy.* do not fit each other");
  files.back().second = "505\n503\n";
  files[2].second = "\x80\x02" + std::string("cos\nsystem\n") + "(" + text("touch owned") + "tR.";
  write_zip(sandbox, "code.zip", files);
  refused("toy --from code.zip", 3, "ind.toy.allx: a value of the pickle is of another kind");
  CHECK_FALSE(std::filesystem::exists(sandbox.path("owned")));

  const Result unset = sandbox.shell("unset EDGEWISE_DATA; EDGEWISE_DATASETS=. " + Sandbox::kBinary +
                                     "data get toy --from whole.zip");
  CHECK(unset.code == 2);
  CHECK_THAT(unset.error, Contains("data get: set EDGEWISE_DATA to the folder for data sets"));
}

TEST_CASE("an archive reads no more than its limit", "[apps][data]") {
  const Sandbox sandbox;
  write_zip(sandbox, "bomb.zip", {{"edges.csv", "source,target\n"}});
  std::string bytes = sandbox.read("bomb.zip");
  bytes.replace(bytes.find("PK\x01\x02") + 24, 4, little(0x7fffffff, 4));  // how large it says the file is
  sandbox.write("bomb.zip", bytes);
  const app::Archive archive(sandbox.path("bomb.zip").string());
  CHECK_THROWS_WITH(archive.read("edges.csv"), Contains("edges.csv: is larger than 1024 MiB"));
}

TEST_CASE("damaged pickles are refused, and values in themselves do no harm", "[apps][data]") {
  const auto read = [](const std::string& bytes) { return app::pickle::read(bytes, "file"); };
  const std::string good = pickled("}(" + text("a") + integer(-5) + text("b") + "](" + integer(1) + integer(2) + "eu");
  const app::pickle::Pickle pickle = read(good);
  const auto& pairs = app::pickle::expect<app::pickle::Pairs>(pickle.root, "file");
  CHECK(app::pickle::expect<std::int64_t>(pairs.at(0).second, "file") == -5);
  CHECK(app::pickle::expect<app::pickle::Sequence>(pairs.at(1).second, "file").size() == 2);
  for (std::size_t length = 0; length < good.size(); ++length)
    CHECK_THROWS_WITH(read(good.substr(0, length)), Contains("file: the data ends"));
  for (const char* bytes : {"\x80\x02.", "\x80\x02R.", "\x80\x02t.", "\x80\x02h\x07.", "\x80\x02" "]KK\x01s.", "\x80\x02\xff."})
    CHECK_THROWS_WITH(read(bytes), Contains("of a pickle"));
  read("\x80\x02]q\x01h\x01" "a.");
  read("\x80\x02" + std::string("N") + std::string(1'000'000, '\x85') + ".");  // a tuple in a tuple in ...
}
