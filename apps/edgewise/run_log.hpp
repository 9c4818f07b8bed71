#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "edgewise/train/fit.hpp"
#include "progress.hpp"
#include "session.hpp"

namespace edgewise::app {

/// Tells how training goes: progress on standard error, and every epoch as a line of JSON in the `--metrics` file.
class RunLog {
 public:
  /// `metrics_path` may be empty. Throws DataError when the file cannot be written.
  RunLog(const Session& session, const std::string& metrics_path, std::int64_t runs);

  void start_run(std::int64_t run, std::uint64_t seed);
  void on_epoch(const train::EpochRecord& record);
  void end_run(const train::Report& report);

 private:
  void write(const json::Value& line);

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const Session& session_;
  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  Progress progress_;
  std::int64_t runs_;
  std::int64_t run_ = 0;
  std::uint64_t seed_ = 0;
  double best_metric_ = 0;
};

}  // namespace edgewise::app
