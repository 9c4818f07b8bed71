#include "edgewise/train/choose/progress_trace.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

constexpr double kErrorsAtRung = 3;  // standard errors behind the leader
constexpr double kErrorsStalled = 1;
constexpr std::int64_t kFirstRung = 40;
constexpr std::int64_t kStalled = 20;  // epochs

}  // namespace

ProgressTrace::ProgressTrace(std::string metric, std::int64_t epochs, Sample sample)
    : metric_(std::move(metric)),
      first_rung_(std::clamp<std::int64_t>(epochs / 8, 1, kFirstRung)),
      sample_(std::move(sample)) {}

void ProgressTrace::observe(const EpochRecord& record) {
  if (!record.validation_metric) return;
  epoch_ = record.epoch;
  if (std::isnan(best_) || lead(metric_, *record.validation_metric, best_) > 0) {
    best_ = *record.validation_metric;
    better_at_ = record.epoch;
  }
  if (record.validation_loss && *record.validation_loss < best_loss_) {
    best_loss_ = *record.validation_loss;
    better_at_ = record.epoch;
  }
  while (record.epoch >= first_rung_ << rungs_.size()) rungs_.push_back(best_);
}

bool ProgressTrace::is_behind(const ProgressTrace& leader) const {
  if (std::isnan(best_)) return false;
  if (epoch_ - better_at_ >= kStalled && errors_behind(leader.best_) > kErrorsStalled) return true;
  if (rungs_.empty()) return false;
  const double there = rungs_.size() <= leader.rungs_.size() ? leader.rungs_[rungs_.size() - 1] : leader.best_;
  return errors_behind(there) > kErrorsAtRung;
}

json::Value ProgressTrace::state() const {
  json::Array rungs;
  for (const double rung : rungs_) rungs.emplace_back(rung);
  return json::Object{{"best", best_},
                      {"epoch", epoch_},
                      {"best_loss", best_loss_},  // null if infinite
                      {"better_at", better_at_},
                      {"rungs", std::move(rungs)}};
}

void ProgressTrace::restore(const json::Value& state) {
  best_ = state.at("best").as_number_or_nan();
  epoch_ = state.at("epoch").as_integer();
  best_loss_ = state.at("best_loss").as_number_or_nan();
  if (std::isnan(best_loss_)) best_loss_ = std::numeric_limits<double>::infinity();
  better_at_ = state.at("better_at").as_integer();
  rungs_.clear();
  for (const json::Value& rung : state.at("rungs").as_array()) rungs_.push_back(rung.as_number_or_nan());
}

double ProgressTrace::errors_behind(double value) const {
  return lead(metric_, value, best_) / (chance(metric_, value, sample_) / 2);
}

}  // namespace edgewise::train
