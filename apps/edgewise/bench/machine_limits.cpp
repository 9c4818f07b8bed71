#include "bench/machine_limits.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "edgewise/core/detail/simd.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/core/vector_instructions.hpp"

namespace edgewise::app {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
constexpr std::size_t kCacheLine = 64;
constexpr int kTries = 5;

#if defined(__AVX512F__)
using Vector = simd::Float16;
constexpr int kChains = 16;  // of 32 registers; two units with a latency of four cycles keep eight chains busy
#else
using Vector = simd::Float8;
constexpr int kChains = 10;  // of 16 registers
#endif
constexpr std::size_t kVectorFloats = sizeof(Vector) / sizeof(float);

/// Floats on huge pages, if available, first written by the threads that read them.
class Table {
 public:
  explicit Table(std::size_t bytes)
      : bytes_((bytes + kHugePage - 1) / kHugePage * kHugePage),
        data_(static_cast<float*>(std::aligned_alloc(kHugePage, bytes_)), &std::free) {
    if (data_ == nullptr) throw std::bad_alloc();
    madvise(data_.get(), bytes_, MADV_HUGEPAGE);  // best effort; if it fails, the limit is that of small pages
    parallel_for(bytes_ / sizeof(float), kHugePage, [this](std::size_t begin, std::size_t end) {
      std::fill(data_.get() + begin, data_.get() + end, 1.0F);
    });
  }
  float* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  std::size_t bytes_;
  std::unique_ptr<float, decltype(&std::free)> data_;
};

/// Keeps the compiler from optimising the computation away.
void use(Vector value) { asm volatile("" : : "x"(value[0]) : "memory"); }

Vector load(const float* from) {
  Vector value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

/// Time in seconds of the fastest of several runs of body(thread) on every thread.
template <class Body>
double min_seconds(Body&& body) {
  const auto team = static_cast<std::size_t>(threads());
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTries; ++i) {
    const auto start = std::chrono::steady_clock::now();
    parallel_chunks(team, body);
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

/// The range of [0, count) that a thread takes, in multiples of `unit`.
std::pair<std::size_t, std::size_t> share(std::size_t count, std::size_t unit, std::size_t thread) {
  const std::size_t each = count / unit / static_cast<std::size_t>(threads()) * unit;
  return {thread * each, (thread + 1) * each};
}

double measure_read(const Table& table) {
  constexpr std::size_t kStep = 8 * kVectorFloats;
  const double seconds = min_seconds([&](std::size_t thread) {
    const auto [begin, end] = share(table.bytes() / sizeof(float), kStep, thread);
    Vector sums[8] = {};
    for (std::size_t i = begin; i < end; i += kStep)
      for (std::size_t j = 0; j < 8; ++j) sums[j] += load(table.data() + i + j * kVectorFloats);
    for (const Vector sum : sums) use(sum);
  });
  return static_cast<double>(table.bytes()) / seconds / 1e9;
}

double measure_copy(const Table& from, const Table& to) {
  const double seconds = min_seconds([&](std::size_t thread) {
    const auto [begin, end] = share(from.bytes() / sizeof(float), kCacheLine, thread);
    std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(float));
  });
  return 2 * static_cast<double>(from.bytes()) / seconds / 1e9;
}

/// The cache that rows are prefetched into: the locality argument of __builtin_prefetch.
constexpr int kFirstCache = 3;
constexpr int kSecondCache = 2;

/// Sums rows of kVectors vectors. Prefetches each row `ahead` steps before it is needed; 0: no prefetch.
template <std::size_t kVectors, int kCache>
void sum_rows(const float* table, const std::vector<std::uint32_t>& rows, std::size_t ahead) {
  constexpr std::size_t kFloats = kVectors * kVectorFloats;
  constexpr std::size_t kChainsEach = kVectors >= 8 ? kVectors : 2 * kVectors;  // two rows at a time hide latency
  constexpr std::size_t kRowsEach = kChainsEach / kVectors;
  Vector sums[kChainsEach] = {};
  for (std::size_t i = 0; i + ahead + kRowsEach <= rows.size(); i += kRowsEach) {
    for (std::size_t r = 0; r < kRowsEach; ++r) {
      if (ahead > 0) {
        const auto* next = reinterpret_cast<const char*>(table + rows[i + r + ahead] * kFloats);
        for (std::size_t line = 0; line < kFloats * sizeof(float); line += kCacheLine)
          __builtin_prefetch(next + line, 0, kCache);
      }
      const float* row = table + rows[i + r] * kFloats;
      for (std::size_t v = 0; v < kVectors; ++v) sums[r * kVectors + v] += load(row + v * kVectorFloats);
    }
  }
  for (const Vector sum : sums) use(sum);
}

template <std::size_t kRowBytes>
double measure_gather(const Table& table, std::size_t table_bytes) {
  const std::size_t count = std::clamp(4 * table_bytes, std::size_t{25} << 20, std::size_t{100} << 20) / kRowBytes;
  std::vector<std::vector<std::uint32_t>> rows(static_cast<std::size_t>(threads()));
  for (std::size_t t = 0; t < rows.size(); ++t) {
    Random random(t, Stream::generate);
    rows[t].resize(count);
    for (std::uint32_t& row : rows[t]) row = static_cast<std::uint32_t>(random.below(table_bytes / kRowBytes));
  }
  double least = std::numeric_limits<double>::infinity();
  constexpr std::size_t kVectors = kRowBytes / sizeof(Vector);
  const auto gather = [&]<int kCache>(std::integral_constant<int, kCache>, std::size_t ahead) {
    least = std::min(least, min_seconds([&](std::size_t thread) {
                       sum_rows<kVectors, kCache>(table.data(), rows[thread], ahead);
                     }));
  };
  for (const std::size_t ahead : {0, 8, 16}) gather(std::integral_constant<int, kFirstCache>(), ahead);
  for (const std::size_t ahead : {32, 64}) gather(std::integral_constant<int, kSecondCache>(), ahead);
  return static_cast<double>(rows.size() * count * kRowBytes) / least / 1e9;
}

/// Computes x = x * a + b in independent chains; the values stay finite.
double measure_arithmetic() {
  constexpr std::size_t kSteps = 400'000;
  const double seconds = min_seconds([](std::size_t thread) {
    Vector chains[kChains];
    for (int c = 0; c < kChains; ++c) chains[c] = Vector{} + static_cast<float>(thread + static_cast<std::size_t>(c));
    float each_factor = 0.999F, each_term = 0.001F;
    asm volatile("" : "+x"(each_factor), "+x"(each_term));  // in a register: not all processors have one for a vector
    const Vector factor = Vector{} + each_factor, term = Vector{} + each_term;
    for (std::size_t step = 0; step < kSteps; ++step)
#pragma GCC unroll 16
      for (int c = 0; c < kChains; ++c) chains[c] = chains[c] * factor + term;
    for (const Vector chain : chains) use(chain);
  });
  return 2.0 * kSteps * kChains * kVectorFloats * threads() / seconds / 1e9;
}

/// Seconds per load in a chain of dependent loads, on one thread, at scattered places in the first `bytes` of the
/// table. `bytes` is a power of two.
double measure_latency(const Table& table, std::size_t bytes) {
  constexpr std::size_t kSteps = 2'000;  // few enough to fit between two interruptions on a busy machine
  constexpr int kRuns = 100;
  constexpr std::size_t kLineFloats = kCacheLine / sizeof(float);
  const std::size_t lines = bytes / kCacheLine;
  std::uint32_t nothing = 0;
  asm volatile("" : "+r"(nothing));  // hide from the compiler that no index depends on the value loaded
  const auto load_bits = [&](std::size_t line) {
    return std::bit_cast<std::uint32_t>(table.data()[line * kLineFloats]) & nothing;
  };
  std::size_t line = 0;
  for (std::size_t i = 0; i < lines; ++i) line += load_bits(i);  // into the cache, if it fits
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    // Visits every line once before any is repeated (Hull and Dobell 1962).
    for (std::size_t step = 0; step < kSteps; ++step)
      line = (1664525 * line + 1013904223 + load_bits(line)) & (lines - 1);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / static_cast<double>(kSteps));
  }
  asm volatile("" : : "r"(line));
  return least;
}

/// The usable size of the third-level cache. The system may report more if the cache is split among groups of cores or
/// shared with other virtual machines. The result is the largest size up to `reported` at which loads take less than
/// halfway between the times in cache and in memory. `table` must be larger than any cache.
std::size_t measure_third_cache(const Table& table, std::size_t second_cache, std::size_t reported) {
  constexpr double kMinStep = 1.3;  // below this ratio, cache and memory cannot be distinguished
  std::size_t bytes = std::bit_ceil(2 * second_cache);
  const double near = measure_latency(table, bytes);
  const double far = measure_latency(table, std::bit_floor(table.bytes()));
  if (far < kMinStep * near) return reported;
  for (; 2 * bytes <= reported; bytes *= 2)
    if (measure_latency(table, 2 * bytes) > (near + far) / 2) return bytes;
  return reported;
}

std::size_t cache_bytes(int name, std::size_t fallback) {
  const long bytes = sysconf(name);
  return bytes > 0 ? static_cast<std::size_t>(bytes) : fallback;
}

}  // namespace

const char* name(Level level) {
  return level == Level::second_cache ? "second_cache" : level == Level::third_cache ? "third_cache" : "memory";
}

const GatherLimit& MachineLimits::gather(std::size_t row_bytes, std::size_t table_bytes) const {
  const Level level = table_bytes <= second_cache_bytes  ? Level::second_cache
                      : table_bytes <= third_cache_bytes ? Level::third_cache
                                                         : Level::memory;
  const auto distance = [&](const GatherLimit& limit) {
    const std::size_t apart = std::max(limit.row_bytes, row_bytes) - std::min(limit.row_bytes, row_bytes);
    return std::pair(limit.level != level, apart);
  };
  return *std::min_element(gathers.begin(), gathers.end(),
                           [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
}

void MachineLimits::raise(const MachineLimits& other) {
  const auto take = [](double& ours, double theirs) { ours = std::max(ours, theirs); };
  take(read_gigabytes_per_second, other.read_gigabytes_per_second);
  take(copy_gigabytes_per_second, other.copy_gigabytes_per_second);
  take(gigaflops, other.gigaflops);
  for (std::size_t i = 0; i < gathers.size(); ++i)
    take(gathers[i].gigabytes_per_second, other.gathers[i].gigabytes_per_second);
}

json::Value MachineLimits::to_json() const {
  json::Value value;
  value.set("second_cache_bytes", static_cast<std::int64_t>(second_cache_bytes));
  value.set("third_cache_bytes", static_cast<std::int64_t>(third_cache_bytes));
  value.set("read_gigabytes_per_second", read_gigabytes_per_second);
  value.set("copy_gigabytes_per_second", copy_gigabytes_per_second);
  value.set("gigaflops", gigaflops);
  json::Array array;
  for (const GatherLimit& gather : gathers) {
    json::Value item;
    item.set("level", name(gather.level));
    item.set("row_bytes", static_cast<std::int64_t>(gather.row_bytes));
    item.set("table_bytes", static_cast<std::int64_t>(gather.table_bytes));
    item.set("gigabytes_per_second", gather.gigabytes_per_second);
    array.push_back(std::move(item));
  }
  value.set("gathers", std::move(array));
  return value;
}

MachineLimits measure_machine_limits() {
  MachineLimits limits;
  limits.second_cache_bytes = cache_bytes(_SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20);
  const std::size_t reported = cache_bytes(_SC_LEVEL3_CACHE_SIZE, std::size_t{32} << 20);
  const std::size_t large = std::clamp<std::size_t>(6 * reported, std::size_t{256} << 20, std::size_t{1} << 30);
  const Table table(large);
  limits.third_cache_bytes = measure_third_cache(table, limits.second_cache_bytes, reported);
  limits.read_gigabytes_per_second = measure_read(table);
  limits.copy_gigabytes_per_second = measure_copy(table, Table(large));
  for (const auto& [level, bytes] : {std::pair(Level::second_cache, limits.second_cache_bytes / 2),
                                     std::pair(Level::third_cache, std::max(limits.third_cache_bytes / 3,
                                                                        limits.second_cache_bytes * 3 / 2)),
                                     std::pair(Level::memory, large)}) {
    limits.gathers.push_back({level, 256, bytes, measure_gather<256>(table, bytes)});
    limits.gathers.push_back({level, 512, bytes, measure_gather<512>(table, bytes)});
  }
  limits.gigaflops = measure_arithmetic();
  return limits;
}

json::Value Machine::to_json() const {
  json::Value value;
  value.set("processor", processor);
  value.set("compiler", compiler);
  value.set("flags", flags);
  value.set("instructions", instructions);
  value.set("threads", threads);
  return value;
}

Machine this_machine() {
  Machine machine;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos) {
      machine.processor = line.substr(line.find(": ") + 2);
      break;
    }
  if (machine.processor.empty()) machine.processor = std::string("unknown");
  machine.compiler = std::string("g++ ") + __VERSION__;
  machine.flags = EDGEWISE_BUILD_FLAGS;
  machine.instructions = vector_instructions();
  machine.threads = edgewise::threads();
  return machine;
}

}  // namespace edgewise::app
