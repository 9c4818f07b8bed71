/// Shows where the time goes when a big edge list is loaded. Each stage includes the ones before it: reading the bytes
/// of the file; splitting its rows into fields, which is the limit of the parser; nodes and edges; the Boost graph.
/// Usage: bench_reading FILE [ROUNDS]

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/memory.hpp"
#include "edgewise/graph/graph.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/edge_list.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "failure.hpp"

namespace {

using namespace edgewise;

std::size_t read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(fmt::format("{}: cannot be opened", path));
  std::vector<char> block(1 << 20);
  std::size_t bytes = 0;
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    bytes += static_cast<std::size_t>(file.gcount());
  return bytes;
}

std::size_t cut_fields(const std::string& path) {
  io::CsvReader reader(path);
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
void measure(const char* name, const char* unit, std::size_t rounds, const Stage& stage) {
  std::vector<double> seconds;
  std::size_t count = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const Clock::time_point start = Clock::now();
    count = stage();
    seconds.push_back(seconds_since(start));
  }
  const auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  fmt::print("{:<24}{:>8.2f}{:>8.2f}{:>8.2f}{:>12} {:<8}{:>8.0f}\n", name, train::median(seconds), *least, *most, count,
             unit, peak_rss_mib());
}

int measure_stages(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.size() > 2) throw UsageError("usage: bench_reading FILE [ROUNDS]");
  const std::string& path = arguments[0];
  const std::size_t rounds = arguments.size() > 1 ? app::count_argument("ROUNDS", arguments[1]) : 3;
  fmt::print("{:<24}{:>8}{:>8}{:>8}{:>12} {:<8}{:>8}\n", "stage", "median s", "least", "most", "count", "", "MiB");
  measure("bytes", "bytes", rounds, [&] { return read_bytes(path); });
  measure("and fields", "fields", rounds, [&] { return cut_fields(path); });
  measure("and nodes and edges", "edges", rounds, [&] { return read_edges(path); });
  measure("and the Boost graph", "arcs", rounds, [&] { return build_graph(path); });
  return app::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  return app::run_program("bench_reading", [&] { return measure_stages({argv + 1, argv + argc}); });
}
