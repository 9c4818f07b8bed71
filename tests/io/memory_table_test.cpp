#include "edgewise/io/memory_table.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/feature_table.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/node_table.hpp"
#include "io/files.hpp"

using namespace edgewise;
using Catch::Matchers::Contains;

namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

template <class Number>
io::MemoryColumn numbers(std::string name, const std::vector<Number>& values) {
  return {std::move(name), io::NumbersInMemory<Number>{reinterpret_cast<const std::byte*>(values.data())}};
}

io::MemoryColumn texts(std::string name, const std::vector<std::string>& values) {
  return {std::move(name), std::span<const std::string>(values)};
}

std::string file_of(const io::MemoryTable& table) {
  std::string all;
  io::for_each_line(table, [&](std::string_view line) {
    all += line;
    return true;
  });
  return all;
}

std::string text_of(double value) {
  const std::vector<double> values = {value};
  io::MemoryColumn::Buffer buffer;
  return std::string(numbers("x", values).text(0, buffer));
}

void check_same(const io::NodeTable& a, const io::NodeTable& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(io::names_of(a.columns) == io::names_of(b.columns));
  CHECK(a.lines == b.lines);
  CHECK(a.id_column == b.id_column);
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    const io::Column &x = a.columns[i], &y = b.columns[i];
    INFO(x.name);
    CHECK(x.is_numeric == y.is_numeric);
    CHECK(x.categories == y.categories);
    CHECK(x.codes == y.codes);
    CHECK(x.missing == y.missing);
    CHECK(x.rounded == y.rounded);
    for (std::size_t row = 0; row < x.numbers.size(); ++row)
      CHECK((x.numbers[row] == y.numbers[row] || (std::isnan(x.numbers[row]) && std::isnan(y.numbers[row]))));
  }
}

}  // namespace

TEST_CASE("numbers in memory are written as Python writes them", "[io][memory_table]") {
  CHECK(text_of(0) == "0.0");
  CHECK(text_of(-3) == "-3.0");
  CHECK(text_of(0.1) == "0.1");
  CHECK(text_of(1e-4) == "0.0001");
  CHECK(text_of(1e-5) == "1e-05");
  CHECK(text_of(9e15) == "9000000000000000.0");
  CHECK(text_of(1.5e16) == "1.5e+16");
  CHECK(text_of(kNothing).empty());
  CHECK(text_of(-1.7976931348623157e308) == "-1.7976931348623157e+308");
}

TEST_CASE("a table in memory is read as a file with the same rows", "[io][memory_table]") {
  const std::vector<std::int64_t> ids = {10, -3, 9'007'199'254'740'993};
  const std::vector<double> ages = {0.1, kNothing, 1e-320};
  const std::vector<std::int32_t> zips = {16'777'217, 2, 3};
  const std::vector<float> sizes = {0.1F, -0.0F, 3};
  const std::vector<std::string> cities = {"Delft, NL", " the \"Hague\" ", ""};
  const std::vector<double> odd = {1, std::numeric_limits<double>::infinity(), 2};
  const io::MemoryTable table{{numbers("id", ids), numbers("age", ages), numbers("zip", zips), numbers("size", sizes),
                               texts("city", cities), numbers("odd", odd)},
                              3};
  CHECK(file_of(table).starts_with("id,age,zip,size,city,odd\n10,0.1,16777217,0.1,\"Delft, NL\",1.0\n"));
  const test::Files files;
  const std::string path = files.write("nodes.csv", file_of(table));
  const io::TablesInMemory here({{"memory:nodes", &table}});
  const io::NodeTable read = io::read_node_table("memory:nodes");
  check_same(read, io::read_node_table(path));
  CHECK(read.file == "memory:nodes");
  CHECK(read.names[2] == "9007199254740993");
  CHECK(read.at("zip").rounded == "16777217");
  CHECK_FALSE(read.at("odd").is_numeric);
  const io::NodeTableOptions as_texts{.categorical = {"age", "zip"}};
  check_same(io::read_node_table("memory:nodes", as_texts), io::read_node_table(path, as_texts));
  const io::NodeTableOptions as_numbers{.numeric = {"age", "size"}};
  check_same(io::read_node_table("memory:nodes", as_numbers), io::read_node_table(path, as_numbers));
}

TEST_CASE("columns in memory may be anywhere in a matrix", "[io][memory_table]") {
  const std::vector<double> matrix = {1, 2, 3, 4, 5, 6};  // [2, 3], of which the last column is read upwards
  const auto* const last = reinterpret_cast<const std::byte*>(matrix.data() + 5);
  constexpr auto kRow = static_cast<std::ptrdiff_t>(3 * sizeof(double));
  const std::vector<std::string> ids = {"a", "b"};
  const io::MemoryTable table{{texts("id", ids), {"x", io::NumbersInMemory<double>{last, -kRow}}}, 2};
  const io::TablesInMemory here({{"memory:nodes", &table}});
  CHECK(io::read_node_table("memory:nodes").at("x").numbers == std::vector<float>{6, 3});
}

TEST_CASE("edges in memory always have a header", "[io][memory_table]") {
  const std::vector<std::int64_t> sources = {0, 2, 7}, targets = {2, 0, 0};
  const std::vector<double> weights = {0.5, 1, 2};
  const io::MemoryTable table{{numbers("0", sources), numbers("1", targets), numbers("weight", weights)}, 3};
  const io::TablesInMemory here({{"memory:edges", &table}});
  const io::EdgeListResult read = io::read_edge_list("memory:edges");
  CHECK(read.edges.size() == 3);
  CHECK(read.edges.weights == std::vector<float>{0.5F, 1, 2});
  CHECK(read.names[2] == "7");
  CHECK(read.report.commented_rows.count == 0);
  const std::vector<std::string> odd = {"#a", "%b"};
  const io::MemoryTable commented{{texts("#from", odd), texts("to", odd)}, 2};
  const io::TablesInMemory others({{"memory:edges", &commented}});
  CHECK(io::read_edge_list("memory:edges").names[0] == "#a");
}

TEST_CASE("features and molecules in memory", "[io][memory_table]") {
  const std::vector<std::int32_t> nodes = {0, 1}, features = {4, 0};
  const std::vector<double> values = {0.5, 2};
  const std::vector<std::string> smiles = {"CCO", "", "C"}, others = {"C#N", "CC", "CCC"};
  const io::MemoryTable sparse{
      {numbers("node", nodes), numbers("feature", features), numbers("value", values)}, 2, " features=7 nnz=2"};
  const io::MemoryTable molecules{{texts("smiles", smiles), texts("y", others)}, 3};
  const io::TablesInMemory here({{"memory:features", &sparse}, {"memory:molecules", &molecules}});
  graph::NodeNames names;
  names.add("0");
  names.add("1");
  CHECK(io::read_sparse_features("memory:features", {.known_nodes = &names}).matrix.cols() == 7);
  const io::MoleculeTable read = io::read_molecule_table("memory:molecules");
  CHECK(read.smiles == std::vector<std::string>{"CCO", "", "C"});
  CHECK(read.where(2).line == 4);
}

TEST_CASE("tables in memory are found by their thread, as long as they are there", "[io][memory_table]") {
  const io::MemoryTable first, second;
  CHECK(io::table_in_memory("memory:nodes") == nullptr);
  {
    const io::TablesInMemory outer({{"memory:nodes", &first}});
    {
      const io::TablesInMemory inner({{"memory:nodes", &second}});
      CHECK(io::table_in_memory("memory:nodes") == &second);
      CHECK(io::can_be_read_twice("memory:nodes"));
    }
    CHECK(io::table_in_memory("memory:nodes") == &first);
    CHECK(io::table_in_memory("memory:edges") == nullptr);
    std::thread([] { CHECK(io::table_in_memory("memory:nodes") == nullptr); }).join();
  }
  CHECK_THROWS_WITH(io::read_node_table("memory:nodes"), Contains("memory:nodes"));
}
