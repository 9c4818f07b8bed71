#include "edgewise/train/loop/early_stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "edgewise/core/error.hpp"

namespace edgewise::train {

std::vector<std::string> stopping_rule_names() { return {"validation_metric", "validation_loss", "gat", "none"}; }

EarlyStopping::EarlyStopping(const StoppingOptions& options) : options_(options) {
  if (options.patience < 0)
    throw UsageError(fmt::format("patience: expected at least 0 (never stop), got {}", options.patience));
}

bool EarlyStopping::observe(std::int64_t epoch, double loss, double metric) {
  const bool loss_equal = best_loss_ && loss == *best_loss_;
  const bool loss_better = !best_loss_ || loss < *best_loss_;
  const bool metric_equal = best_metric_ && metric == *best_metric_;
  const bool metric_better = !std::isnan(metric) && (!best_metric_ || metric > *best_metric_);
  const bool has_no_metric = std::isnan(metric) && !best_metric_;
  bool keep = false;
  bool progress = false;
  switch (options_.rule) {
    case StoppingRule::validation_metric:
      keep = metric_better || ((metric_equal || has_no_metric) && loss_better);
      progress = keep || !lowest_loss_ || loss < *lowest_loss_;
      break;
    case StoppingRule::validation_loss: keep = progress = loss_better; break;
    case StoppingRule::gat:
      keep = (loss_better || loss_equal) && (metric_better || metric_equal);
      progress = loss_better || loss_equal || metric_better || metric_equal;
      break;
    case StoppingRule::none:
      best_epoch_ = epoch;
      return true;
  }
  // With "validation_metric", the loss to beat is that of the kept weights, not the overall minimum.
  const bool loss_follows_keep = options_.rule == StoppingRule::validation_metric;
  if (loss_follows_keep ? keep : loss_better) best_loss_ = loss;
  if (!lowest_loss_ || loss < *lowest_loss_) lowest_loss_ = loss;
  if (metric_better) best_metric_ = metric;
  if (keep) best_epoch_ = epoch;
  waited_ = progress ? 0 : waited_ + 1;
  return keep;
}

std::optional<std::int64_t> EarlyStopping::left() const {
  if (options_.rule == StoppingRule::none || options_.patience == 0) return std::nullopt;
  return std::max<std::int64_t>(0, options_.patience - waited_);
}

json::Value EarlyStopping::state() const {
  json::Value state;
  state.set("best_epoch", best_epoch_);
  state.set("waited", waited_);
  if (best_loss_) state.set("best_loss", *best_loss_);
  if (lowest_loss_) state.set("lowest_loss", *lowest_loss_);
  if (best_metric_) state.set("best_metric", *best_metric_);
  return state;
}

void EarlyStopping::restore(const json::Value& state, std::int64_t epoch) {
  best_epoch_ = state.at("best_epoch").as_integer();
  waited_ = state.at("waited").as_integer();
  if (std::min(best_epoch_, waited_) < 0 || std::max(best_epoch_, waited_) > epoch)
    throw UsageError(fmt::format("expected a best epoch and a wait from 0 to {}, got {} and {}", epoch, best_epoch_,
                                 waited_));
  best_loss_.reset();
  lowest_loss_.reset();
  best_metric_.reset();
  if (const json::Value* loss = state.find("best_loss")) best_loss_ = loss->as_number();
  if (const json::Value* lowest = state.find("lowest_loss")) lowest_loss_ = lowest->as_number();
  if (const json::Value* metric = state.find("best_metric")) best_metric_ = metric->as_number();
}

}  // namespace edgewise::train
