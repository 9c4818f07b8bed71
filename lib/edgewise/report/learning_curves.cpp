#include "edgewise/report/learning_curves.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/text.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/svg_chart.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kMostEpochs = 500;  // points of a curve

std::string format_epoch(double epoch) { return fmt::format("{:.0f}", epoch); }

/// A curve over the epochs; `value` returns a pointer, null where there is none.
template <class Value>
Series curve_of(const std::string& label, const std::string& style, const std::vector<train::EpochRecord>& epochs,
                const Value& value) {
  std::vector<std::pair<double, double>> points;
  for (const train::EpochRecord& record : epochs)
    if (const double* found = value(record)) points.emplace_back(static_cast<double>(record.epoch), *found);
  Series series{.label = label, .style = style, .points = {}};
  for (const std::size_t i : even_places(points.size(), kMostEpochs)) series.points.push_back(points[i]);
  return series;
}

const double* metric_at(const train::EpochRecord& record) {
  return record.validation_metric ? &*record.validation_metric : nullptr;
}

/// The place of the model that is kept, or of the first of several: the longest name that `model` begins with.
const TrainedEpochs* kept_of(const std::vector<TrainedEpochs>& trained, const train::Run& kept,
                             const std::string& model) {
  const TrainedEpochs* found = nullptr;
  const auto is_part = [&](const TrainedEpochs& one) {
    if (one.model.empty() || model == one.model || model.starts_with(one.model + " ")) return true;
    return kept.choice && std::ranges::any_of(kept.choice->candidates, [&](const train::Candidate& candidate) {
             return candidate.is_averaged && candidate.model.starts_with(one.model);
           });
  };
  for (const TrainedEpochs& one : trained)
    if (!one.epochs.empty() && is_part(one) && (found == nullptr || one.model.size() > found->model.size()))
      found = &one;
  return found;
}

std::string drawn_epochs(std::size_t longest) {
  return longest > kMostEpochs
             ? fmt::format(" Of {} epochs, {} are drawn, evenly spaced.", longest, kMostEpochs)
             : "";
}

/// What is said if training was resumed: earlier epochs are not known here.
std::string resumed_at(std::int64_t first) {
  return first > 1 ? fmt::format(" Training was resumed at epoch {}.", first) : "";
}

std::string epochs_in_words(const Chart& chart) {
  std::string text;
  for (const Series& series : chart.series)
    if (!series.points.empty())
      text += fmt::format("{}{}: from {} at epoch {} to {} at epoch {}", text.empty() ? "" : "; ", series.label,
                          plain_number(series.points.front().second), format_epoch(series.points.front().first),
                          plain_number(series.points.back().second), format_epoch(series.points.back().first));
  return text;
}

/// The epoch whose weights are kept: the last that was the best so far.
std::int64_t kept_epoch(const TrainedEpochs& trained) {
  std::int64_t kept = 0;
  for (const train::EpochRecord& record : trained.epochs)
    if (record.is_kept) kept = record.epoch;
  return kept;
}

Figure loss_figure(const TrainedEpochs& trained, const std::string& name) {
  Chart chart{.title = fmt::format("Loss of {}", printable(name, 40)),
              .x = {.label = "epoch", .format = format_epoch},
              .y = {.label = "loss"}};
  chart.series.push_back(curve_of("training", "v0", trained.epochs, [](const auto& record) { return &record.loss; }));
  Series validation = curve_of("validation", "v1", trained.epochs, [](const train::EpochRecord& record) {
    return record.validation_loss ? &*record.validation_loss : nullptr;
  });
  if (!validation.points.empty()) chart.series.push_back(std::move(validation));
  chart.description = epochs_in_words(chart);
  const std::int64_t kept = kept_epoch(trained);
  if (kept > 0) chart.marks.push_back({static_cast<double>(kept), fmt::format("kept: epoch {}", kept), "guide"});
  return {draw(chart),
          fmt::format("The training loss includes what makes learning harder, such as dropout. If the validation loss "
                      "rises while the training loss falls, the model is overfitting.{}{}",
                      drawn_epochs(trained.epochs.size()), resumed_at(trained.epochs.front().epoch))};
}

/// Of many models the first are drawn.
Figure metric_figure(const std::vector<const TrainedEpochs*>& trained, const std::string& metric,
                     const std::string& name) {
  Chart chart{.title = fmt::format("{} on the validation items", metric),
              .x = {.label = "epoch", .format = format_epoch},
              .y = {.label = metric}};
  if (trained.size() > 1) chart.x.scale = Scale::logarithmic;  // the first epochs of all differ most
  std::size_t longest = 0, left_out = 0;
  for (const TrainedEpochs* one : trained) {
    Series series = curve_of(one->model.empty() ? name : one->model, series_style(chart.series.size()), one->epochs,
                             metric_at);
    if (series.points.empty()) continue;
    if (chart.series.size() == kSeriesStyles) {
      ++left_out;
      continue;
    }
    longest = std::max(longest, one->epochs.size());
    chart.series.push_back(std::move(series));
  }
  chart.description = epochs_in_words(chart);
  return {draw(chart), fmt::format("What early stopping looks at: the best value counts, not the last.{}{}",
                                   left_out > 0 ? fmt::format(" {} not drawn.", counted(left_out, "other model is",
                                                                                        "other models are"))
                                                : "",
                                   drawn_epochs(longest))};
}

bool has_metric(const TrainedEpochs& trained) {
  return std::ranges::any_of(trained.epochs, [](const auto& record) { return metric_at(record) != nullptr; });
}

}  // namespace

std::string learning_section(const train::Run& kept, const std::string& model,
                             const std::vector<TrainedEpochs>& trained) {
  std::vector<Figure> charts;
  const TrainedEpochs* first = kept_of(trained, kept, model);
  if (first != nullptr) charts.push_back(loss_figure(*first, first->model.empty() ? model : first->model));
  std::vector<const TrainedEpochs*> with_metric;
  for (const TrainedEpochs& one : trained)
    if (has_metric(one)) with_metric.insert(&one == first ? with_metric.begin() : with_metric.end(), &one);
  if (!with_metric.empty()) charts.push_back(metric_figure(with_metric, kept.report.metric, model));
  return charts.empty() ? "" : heading("Learning") + figures(charts);
}

}  // namespace edgewise::report
