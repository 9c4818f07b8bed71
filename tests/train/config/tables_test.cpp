#include "edgewise/train/config/config.hpp"
#include "edgewise/train/config/tables.hpp"

#include <catch2/catch.hpp>
#include <string>

#include "edgewise/core/error.hpp"
#include "edgewise/io/memory_table.hpp"

using namespace edgewise;

TEST_CASE("tables that were in memory in training must be given", "[train][tables]") {
  train::DataConfig data;
  data.edges = "memory";
  data.nodes = "memory:edges";
  CHECK_NOTHROW(train::check_are_files("my.safetensors", data));
  for (const std::string name : {"edges", "nodes", "molecules", "features", "graphs", "texts"}) {
    const json::Object data_of_one = {{name, train::in_memory(name)}};
    const train::DataConfig one = train::parse_config(json::Object{{"data", data_of_one}}).data;
    CHECK_THROWS_WITH(
        train::check_are_files("my.safetensors", one),
        "my.safetensors: the model was trained on tables in memory, which are not in its file: give data." + name);
  }
  data.edges = train::in_memory("edges");
  data.nodes = train::in_memory("nodes");
  CHECK_THROWS_AS(train::check_are_files("my.safetensors", data), UsageError);
  CHECK_THROWS_WITH(train::check_are_files("my.safetensors", data),
                    Catch::Matchers::EndsWith("give data.edges, data.nodes"));
  const io::MemoryTable edges, nodes;
  const io::TablesInMemory tables({{data.edges.front(), &edges}, {data.nodes.front(), &nodes}});
  CHECK_NOTHROW(train::check_are_files("my.safetensors", data));
}
