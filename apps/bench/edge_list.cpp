/// Where the time goes when a big edge list is loaded, each stage with what the ones before it do: the bytes of the file;
/// its rows cut into fields, which is the parser's limit; nodes and edges; the Boost graph.
/// Usage: bench_reading FILE [ROUNDS]

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "edgewise/core/memory.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/train/runs.hpp"

namespace {

using namespace edgewise;

std::size_t read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> block(1 << 20);
  std::size_t bytes = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    bytes += static_cast<std::size_t>(file.gcount());
  return bytes;
}

std::size_t cut_fields(const std::string& path) {
  io::CsvReader reader(path, io::Delimiter::automatic);
  std::size_t fields = 0;
  while (reader.next()) fields += reader.fields().size();
  return fields;
}

std::size_t read_edges(const std::string& path) { return io::read_edge_list(path).edges.size(); }

std::size_t build_graph(const std::string& path) {
  io::EdgeListResult read = io::read_edge_list(path);
  return graph::Graph(std::move(read.names), std::move(read.edges), {.direction = graph::Direction::directed})
      .arc_count();
}

template <class Stage>
void measure(const char* name, const char* unit, int rounds, const Stage& stage) {
  std::vector<double> seconds;
  std::size_t count = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    count = stage();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  fmt::print("{:<24}{:>8.2f}{:>8.2f}{:>8.2f}{:>12} {:<8}{:>8.0f}\n", name, train::median(seconds), *least, *most, count,
             unit, peak_rss_mib());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: bench_reading FILE [ROUNDS]\n");
    return 2;
  }
  const std::string path = argv[1];
  const int rounds = argc > 2 ? std::max(1, std::atoi(argv[2])) : 3;
  try {
    fmt::print("{:<24}{:>8}{:>8}{:>8}{:>12} {:<8}{:>8}\n", "stage", "median s", "least", "most", "count", "", "MiB");
    measure("bytes", "bytes", rounds, [&] { return read_bytes(path); });
    measure("and fields", "fields", rounds, [&] { return cut_fields(path); });
    measure("and nodes and edges", "edges", rounds, [&] { return read_edges(path); });
    measure("and the Boost graph", "arcs", rounds, [&] { return build_graph(path); });
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_reading: {}\n", error.what());
    return 1;
  }
}
