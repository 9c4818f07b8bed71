#include <fmt/format.h>

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "edgewise/core/json.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/nn/presets.hpp"
#include "edgewise/train/choose/job.hpp"
#include "edgewise/train/doctor/read_dataset.hpp"
#include "support/temporary_directory.hpp"
#include "train/toy_files.hpp"

using namespace edgewise;

namespace {

/// FNV-1a of the bytes.
std::uint64_t hash_of(const Matrix& matrix) {
  std::uint64_t hash = 14695981039346656037ULL;
  const auto* bytes = reinterpret_cast<const unsigned char*>(matrix.data());
  for (std::size_t i = 0; i < static_cast<std::size_t>(matrix.size()) * sizeof(float); ++i)
    hash = (hash ^ bytes[i]) * 1099511628211ULL;
  return hash;
}

/// A job on files of 400 nodes, large enough for several chunks.
struct Job {
  Job(const test::TemporaryDirectory& directory, const std::string& preset, const std::string& order) {
    config = train::parse_config(json::parse(
        R"({"model": {"hidden": 16, "dropout": 0.2}, "training": {"epochs": 8, "stopping": "none"}})", "job"));
    config.model = config.model.with("preset", preset);
    if (nn::has_heads(preset)) config.model = config.model.with("heads", 4);
    if (preset == "gat" || preset == "gatv2" || preset == "bahdanau")
      config.model = config.model.with("attention_dropout", 0.6);
    config.training.reorder = order;
    config.data.edges = directory.path("friends.csv");
    config.data.nodes = directory.path("people.csv");
    config.data.label = {"buys"};
    data = train::read_dataset(config.data);
  }

  std::uint64_t run(int threads, const train::JobHooks& hooks = {}) const {
    set_threads(threads);
    return hash_of(train::run_job(config, data, 0, hooks).predictions);
  }

  train::Config config;
  train::Dataset data;
};

/// If EDGEWISE_BITS names a file, the result is compared with it, or written to it if it does not exist.
void compare_with_file(const json::Value& found) {
  const char* path = std::getenv("EDGEWISE_BITS");
  if (path == nullptr) return;
  if (!std::filesystem::exists(path)) std::ofstream(path) << json::dump_pretty(found) << '\n';
  CHECK(json::dump_pretty(found) == json::dump_pretty(json::parse_file(path)));
}

}  // namespace

TEST_CASE("the same bits at any number of threads, in any order of work, across a resume", "[train][same_bits]") {
  const test::TemporaryDirectory directory;
  test::write_friends(directory.path(), 400);
  const int before = threads();
  json::Value found;
  for (const char* preset : {"gat", "gatv2", "transformer", "gcn", "sage", "mlp", "gat_sep"}) {
    for (const char* order : {"none", "degree"}) {
      INFO(preset << ", " << order);
      const Job job(directory, preset, order);
      const std::uint64_t alone = job.run(1);
      for (const int count : {2, 3, 8}) CHECK(job.run(count) == alone);

      std::int64_t epochs = 0;
      train::JobHooks first, second;
      first.on_epoch = [&](const train::EpochRecord& record) { epochs = record.epoch; };
      first.should_stop = [&] { return epochs == 3; };
      first.checkpoint = second.resume = directory.path("c");
      job.run(2, first);
      CHECK(job.run(3, second) == alone);
      found.set(fmt::format("{} {}", preset, order), fmt::format("{:016x}", alone));
    }
  }
  set_threads(before);
  compare_with_file(found);
}
