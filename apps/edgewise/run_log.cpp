#include "run_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/report/metric_text.hpp"

namespace edgewise::app {
namespace {

json::Value to_json(const train::EpochRecord& record) {
  json::Value value;
  value.set("event", "epoch");
  value.set("epoch", record.epoch);
  value.set("learning_rate", record.learning_rate);
  value.set("loss", record.loss);
  if (record.gradient_norm > 0) value.set("gradient_norm", record.gradient_norm);
  if (record.validation_loss) value.set("validation_loss", *record.validation_loss);
  if (record.validation_metric) value.set("validation_metric", *record.validation_metric);
  value.set("kept", record.is_kept);
  value.set("step_ms", record.step_ms);
  return value;
}

/// A killed process may have left an incomplete last line.
void drop_unfinished_line(const std::string& path) {
  std::error_code ignored;
  const std::uintmax_t size = std::filesystem::file_size(path, ignored);
  if (ignored || size == 0) return;
  std::ifstream in(path, std::ios::binary);
  std::uintmax_t end = size;
  for (char last = '\0'; end > 0; --end) {
    in.seekg(static_cast<std::streamoff>(end - 1));
    if (!in.get(last) || last == '\n') break;
  }
  if (in && end < size) std::filesystem::resize_file(path, end, ignored);
}

std::string main_metric(const train::Metrics& metrics, const std::string& name) {
  return metrics.empty() ? "-" : report::format_metric(train::metric(metrics, name));
}

/// Empty for a baseline, which has no epochs.
std::string epochs_text(const train::Report& report) {
  if (report.best_epoch == 0) return "";
  const std::string each = std::isfinite(report.epoch_ms) ? fmt::format("{:.2f}", report.epoch_ms) : "-";
  return fmt::format("{}, best {}, {} ms per epoch; ", counted(static_cast<std::size_t>(report.epochs), "epoch"),
                     report.best_epoch, each);
}

}  // namespace

RunLog::RunLog(const Session& session, MetricsFile metrics, std::int64_t runs)
    : session_(session), path_(std::move(metrics.path)), runs_(runs) {
  session_.progress->start();
  if (path_.empty()) return;
  check_writable(path_);
  if (metrics.is_continued) drop_unfinished_line(path_);
  file_.reset(std::fopen(path_.c_str(), metrics.is_continued ? "abe" : "wbe"));
  if (file_ == nullptr) throw DataError(fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
}

void RunLog::write(const json::Value& line) {
  if (file_ == nullptr || error_ != 0) return;
  const std::string text = json::dump(line) + '\n';
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file_.get()) == text.size();
  if (is_written && std::fflush(file_.get()) == 0) return;
  error_ = errno;
  note(session_, fmt::format("{}: writing failed: {}; training continues", path_, std::strerror(error_)));
}

void RunLog::check() const {
  if (error_ != 0) throw DataError(fmt::format("{}: writing failed: {}", path_, std::strerror(error_)));
}

void RunLog::start_run(std::int64_t run, std::uint64_t seed) {
  run_ = run;
  seed_ = seed;
  start_model("");
}

void RunLog::start_model(const std::string& model) {
  model_ = model;
  best_metric_ = 0;
}

void RunLog::on_work(double share) {
  share_ = share;
  session_.progress->set_whole((static_cast<double>(run_) + share) / static_cast<double>(runs_));
}

void RunLog::on_epoch(const train::EpochRecord& record) {
  json::Value line;
  line.set("schema", "edgewise.metrics/1");
  line.set("run", run_);
  if (!model_.empty()) line.set("model", model_);
  const json::Value fields = to_json(record);
  for (const auto& [name, value] : fields.as_object()) line.set(name, value);
  write(line);
  if (record.is_kept && record.validation_metric) best_metric_ = *record.validation_metric;
  std::string text = runs_ > 1 ? fmt::format("run {}/{}, ", run_ + 1, runs_) : "";
  if (!model_.empty()) text += model_ + ", ";
  text += fmt::format("epoch {}, loss {:.4f}", record.epoch, record.loss);
  constexpr double kSlow = 1000;
  if (record.step_ms > kSlow) text += fmt::format(", {:.0f} s per epoch", record.step_ms / 1000);
  if (record.validation_metric)
    text += fmt::format(", validation {:.4f} (best {:.4f})", *record.validation_metric, best_metric_);
  const double of_model =
      static_cast<double>(record.epoch) / static_cast<double>(std::max<std::int64_t>(record.ends_at, 1));
  if (model_.empty()) on_work(of_model);
  session_.progress->update(model_.empty() ? of_model : share_, text);
}

void RunLog::end_run(const train::Report& report) {
  on_work(1);
  session_.progress->finish();
  json::Value line;
  line.set("schema", "edgewise.metrics/1");
  line.set("run", run_);
  line.set("event", "end");
  line.set("seed", seed_);
  line.set("epochs", report.epochs);
  line.set("best_epoch", report.best_epoch);
  line.set("epoch_ms", report.epoch_ms);
  line.set("seconds", report.seconds);
  line.set("train", train::to_json(report.train));
  line.set("validation", train::to_json(report.validation));
  line.set("test", train::to_json(report.test));
  write(line);
  note(session_, fmt::format("run {}/{} (seed {}): {}{}: validation {}, test {}", run_ + 1, runs_, seed_,
                             epochs_text(report), report.metric, main_metric(report.validation, report.metric),
                             main_metric(report.test, report.metric)));
}

}  // namespace edgewise::app
