#include "edgewise/report/link_quality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "edgewise/report/curve_figures.hpp"
#include "edgewise/report/html_page.hpp"
#include "edgewise/report/metric_text.hpp"
#include "edgewise/report/svg_chart.hpp"
#include "edgewise/train/inputs/link_map.hpp"
#include "edgewise/train/loop/curves.hpp"
#include "edgewise/train/targets/link_metrics.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kTiesShown = 10;

/// Ties and pairs that are none as items with one label.
struct LabelledPairs {
  data::Labels labels{.task = data::Task::multilabel, .names = {"tie"}, .classes = {}, .targets = {}};
  Matrix predictions;
  std::vector<graph::Node> items;
};

LabelledPairs labelled_pairs(const train::Ranking& ranking) {
  LabelledPairs pairs;
  const auto count = static_cast<Eigen::Index>(ranking.scores.size());
  pairs.predictions = Eigen::Map<const Matrix>(ranking.scores.data(), count, 1);
  pairs.labels.targets.resize(count, 1);
  for (Eigen::Index i = 0; i < count; ++i)
    pairs.labels.targets(i, 0) = static_cast<float>(ranking.positives[static_cast<std::size_t>(i)]);
  pairs.items.resize(ranking.scores.size());
  std::iota(pairs.items.begin(), pairs.items.end(), graph::Node{0});
  return pairs;
}

/// Each tie beside the first candidate of one end, by turns: the ratio that probabilities are calibrated at.
LabelledPairs balanced_pairs(const Scored& scored) {
  static_assert(train::kOthersPerTie == 1);
  const Eigen::Index count = scored.predictions.cols() / 2;
  train::Ranking ranking;
  for (std::size_t i = 0; i < scored.items.size() && count > 0; ++i) {
    const auto row = scored.predictions.row(static_cast<Eigen::Index>(scored.items[i]));
    const Eigen::Index end = i % 2 == 0 ? 1 : 1 + count;
    const float other = std::isnan(row[end]) ? row[2 + count - end] : row[end];  // a node may know everybody
    if (std::isnan(other)) continue;
    ranking.scores.insert(ranking.scores.end(), {row[0], other});
    ranking.positives.insert(ranking.positives.end(), {1, 0});
  }
  return labelled_pairs(ranking);
}

/// Of both ends of all ties, ascending; those that are no number are left out.
std::vector<double> sorted_ranks(const Scored& scored) {
  std::vector<double> ranks;
  for (const graph::Node tie : scored.items) {
    const train::TieRanks both = train::ranks_of_tie(scored.predictions, tie);
    for (const std::optional<double>& rank : {both.of_target, both.of_source})
      if (rank && !std::isnan(*rank)) ranks.push_back(*rank);
  }
  std::ranges::sort(ranks);
  return ranks;
}

std::size_t candidates_of(const Scored& scored) { return static_cast<std::size_t>(scored.predictions.cols() / 2); }

/// The share of the ranks that are `limit` or less; a half does not keep from it.
double share_within(const std::vector<double>& ranks, double limit) {
  const auto end = std::ranges::upper_bound(ranks, limit + 0.5);
  return static_cast<double>(end - ranks.begin()) / static_cast<double>(ranks.size());
}

Figure rank_figure(const Scored& scored, const std::vector<double>& ranks) {
  const std::size_t all = candidates_of(scored) + 1;
  Chart chart{.title = "How far down the true node is",
              .x = {.label = "first nodes looked at", .scale = Scale::logarithmic, .low = 1, .high = all},
              .y = {.label = "share of ends whose true node is there", .low = 0, .high = 1.02}};
  Series found{.label = "this model", .style = "v0", .points = {}};
  Series chance{.label = "chance", .style = "guide", .points = {}, .drawn = Drawn::guide};
  for (std::size_t k = 1; k <= all; ++k) {
    found.points.emplace_back(k, share_within(ranks, static_cast<double>(k)));
    chance.points.emplace_back(k, static_cast<double>(k) / static_cast<double>(all));
  }
  chart.description = fmt::format("{} are first, {} among the first ten", format_metric(share_within(ranks, 1)),
                                  format_metric(share_within(ranks, 10)));
  chart.series = {std::move(found), std::move(chance)};
  return {draw(chart), fmt::format("For each end of a tie the model ranks the true node among itself and {} drawn ones "
                                   "that have no tie there.",
                                   candidates_of(scored))};
}

std::string text_of(const std::optional<double>& rank) { return rank ? plain_number(*rank) : "-"; }

std::string tie_table(const Scored& scored, std::span<const graph::Node> ties, std::string caption) {
  const train::LinkItems& links = *scored.data.links;
  const train::PairNames names = scored.data.pair_names();
  Table table{.caption = std::move(caption),
              .columns = {{"source", true}, {"target", true}, {"probability"}, {"rank of the target"},
                          {"rank of the source"}}};
  for (const graph::Node tie : ties) {
    const train::TieRanks ranks = train::ranks_of_tie(scored.predictions, tie);
    table.rows.push_back({std::string(names.of_source(links.sources[tie])),
                          std::string(names.of_target(links.targets[tie])),
                          format_metric(scored.predictions(static_cast<Eigen::Index>(tie), 0)),
                          text_of(ranks.of_target), text_of(ranks.of_source)});
  }
  return to_html(table);
}

std::string tie_tables(const Scored& scored) {
  std::vector<graph::Node> order = scored.items;
  const auto probability = [&](graph::Node tie) { return scored.predictions(static_cast<Eigen::Index>(tie), 0); };
  std::ranges::stable_sort(order, std::ranges::greater(), probability);
  const std::size_t shown = std::min(kTiesShown, order.size() / 2);
  if (shown == 0) return "";
  const std::span<const graph::Node> all(order);
  return tie_table(scored, all.first(shown), "The ties that the model is surest of") +
         tie_table(scored, all.last(shown), "The ties that it finds least likely");
}

}  // namespace

std::string link_answer(const Scored& scored, const std::string& model, const std::string& metric,
                        const std::string& score) {
  const std::vector<double> ranks = sorted_ranks(scored);
  if (ranks.empty()) return fmt::format("{} has no {} on the {}.", model, metric, items_of(scored));
  return fmt::format("{} has {} {} on the {}: among {} nodes drawn at random the true one is the first for {:.0f} % of "
                     "the ends, and among the first ten for {:.0f} %.",
                     model, metric, score, items_of(scored), candidates_of(scored) + 1, 100 * share_within(ranks, 1),
                     100 * share_within(ranks, 10));
}

std::string link_sections(const Scored& scored) {
  const std::vector<double> ranks = sorted_ranks(scored);
  if (ranks.empty()) return "";
  const LabelledPairs pairs = labelled_pairs(train::tie_ranking(scored.predictions, scored.items));
  const LabelledPairs balanced = balanced_pairs(scored);
  std::vector<Figure> charts = {rank_figure(scored, ranks)};
  for (Figure& figure : ranking_figures({scored.data, pairs.labels, pairs.predictions, pairs.items, scored.part}))
    charts.push_back(std::move(figure));
  charts.push_back(
      reliability_figure({scored.data, balanced.labels, balanced.predictions, balanced.items, scored.part}));
  return heading(fmt::format("On the {}", items_of(scored))) + figures(charts) +
         remark("The curves are of ties against one drawn pair for each end, the reliability against one for each tie: "
                "the ratio that probabilities are for. Of all pairs of the network far fewer are ties.") +
         tie_tables(scored);
}

double link_calibration_error(const Scored& scored) {
  const LabelledPairs pairs = balanced_pairs(scored);
  return train::reliability(pairs.labels, pairs.predictions, pairs.items).expected_error;
}

}  // namespace edgewise::report
