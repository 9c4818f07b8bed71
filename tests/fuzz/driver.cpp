#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "fuzz/allocations.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/targets.hpp"

/// @file
/// Mutates the seeds of a reader, in process. A crash, an exception other than Error, or more memory than documented
/// ends it with code 1 and leaves the input in `crash.bin`. With a limit so do inputs that take more CPU time.
/// Usage: edgewise_fuzz TARGET|all SECONDS|INPUTSx [SEED [LIMIT]], or edgewise_fuzz list for the names of the targets.
/// `1000000x` is a million inputs, however long they take; LIMIT is in seconds for one input.
namespace edgewise::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFreeBytes = std::size_t{64} << 20;
constexpr std::size_t kBytesOfAByte = 64;

std::vector<char> current;  // for the signal handlers

void save_input() {
  std::ofstream("crash.bin", std::ios::binary).write(current.data(), static_cast<std::streamsize>(current.size()));
}

void on_signal(int signal) {
  save_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Sends SIGPROF after this much CPU time; 0: never.
void limit_time(time_t seconds) {
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = seconds, .tv_usec = 0}};
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

/// Statistics of a run over one target.
struct Count {
  std::uint64_t inputs = 0;
  std::uint64_t taken = 0;
  std::size_t max_bytes = 0;
};

void check_memory(const Target& target, std::size_t bytes) {
  const std::size_t most = kFreeBytes + kBytesOfAByte * current.size();
  if (bytes <= most) return;
  throw std::runtime_error(fmt::format("{}: {} bytes of memory for {} of text", target.name, bytes, current.size()));
}

/// When a run over a target ends, and when a single input has taken too long.
struct End {
  double seconds = 0;
  std::uint64_t inputs = 0;  // 0: limited by time
  time_t limit = 0;          // 0: none
};

End parse_end(const std::string& text) {
  if (text.ends_with('x')) return {.inputs = std::stoull(text)};
  return {.seconds = std::stod(text)};
}

Count run_target(const Target& target, const End& end, std::uint64_t seed) {
  Random random(seed, Stream::generate);
  std::vector<std::vector<char>> pool;
  for (const std::string& text : target.seeds) pool.emplace_back(text.begin(), text.end());
  Count count;
  const Clock::time_point start = Clock::now();
  const auto is_over = [&] {
    if (end.inputs > 0) return count.inputs >= end.inputs;
    return std::chrono::duration<double>(Clock::now() - start).count() >= end.seconds;
  };
  while (!is_over()) {
    current = mutate(pool, random);
    limit_time(end.limit);
    const Allocations allocations;
    const bool is_taken = run_one(target, current);
    check_memory(target, allocations.peak());
    limit_time(0);
    ++count.inputs;
    count.taken += is_taken ? 1 : 0;
    count.max_bytes = std::max(count.max_bytes, allocations.peak());
    // Inputs that are still accepted make good seeds.
    if (is_taken && pool.size() < 512 && random.below(16) == 0) pool.push_back(current);
  }
  return count;
}

int run(const std::string& name, const End& end, std::uint64_t seed) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGPROF, SIGBUS, SIGILL}) std::signal(signal, on_signal);
  set_threads(1);
  bool is_found = false;
  for (const Target& target : targets()) {
    if (name != "all" && name != target.name) continue;
    is_found = true;
    const Count count = run_target(target, end, seed);
    fmt::print("{:<16} {:>9} inputs, {:>8} taken, {:>7.1f} MiB at most\n", target.name, count.inputs, count.taken,
               static_cast<double>(count.max_bytes) / (1 << 20));
    std::fflush(stdout);
  }
  return is_found ? 0 : 2;
}

}  // namespace
}  // namespace edgewise::fuzz

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string("list")) {
    for (const edgewise::fuzz::Target& target : edgewise::fuzz::targets()) fmt::print("{}\n", target.name);
    return 0;
  }
  if (argc < 3) {
    fmt::print(stderr, "usage: edgewise_fuzz TARGET|all SECONDS|INPUTSx [SEED [LIMIT]], or edgewise_fuzz list\n");
    return 2;
  }
  try {
    edgewise::fuzz::End end = edgewise::fuzz::parse_end(argv[2]);
    if (argc > 4) end.limit = std::stoi(argv[4]);
    return edgewise::fuzz::run(argv[1], end, argc > 3 ? std::stoull(argv[3]) : 1);
  } catch (const std::exception& error) {
    edgewise::fuzz::save_input();
    fmt::print(stderr, "edgewise_fuzz: {}; the input is in crash.bin\n", error.what());
    return 1;
  }
}
