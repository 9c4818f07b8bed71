#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "edgewise/train/loop/fit.hpp"
#include "session.hpp"

namespace edgewise::app {

/// The `--metrics` file; its path may be empty.
struct MetricsFile {
  std::string path;
  bool is_continued = false;  ///< Append to the file, after dropping an incomplete last line.
};

/// Logs training: progress on standard error, and every epoch as a line of JSON in the `--metrics` file. If the file
/// can no longer be written, training goes on and `check` throws at the end.
class RunLog {
 public:
  /// Throws DataError when the file cannot be written.
  RunLog(const Session& session, MetricsFile metrics, std::int64_t runs);

  void start_run(std::int64_t run, std::uint64_t seed);
  /// For a run that trains several models and chooses one.
  void start_model(const std::string& model);
  /// How far such a run is, from 0 to 1.
  void on_work(double share);
  void on_epoch(const train::EpochRecord& record);
  void end_run(const train::Report& report);
  /// Throws DataError if not all lines could be written.
  void check() const;

 private:
  void write(const json::Value& line);

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const Session& session_;
  std::string path_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  int error_ = 0;  // errno of the first line that could not be written
  std::int64_t runs_;
  std::int64_t run_ = 0;
  std::uint64_t seed_ = 0;
  std::string model_;
  double best_metric_ = 0;
  double share_ = 0;
};

}  // namespace edgewise::app
