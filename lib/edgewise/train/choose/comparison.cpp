#include "edgewise/train/choose/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/inputs/feature_map.hpp"
#include "edgewise/train/inputs/job_split.hpp"
#include "edgewise/train/loop/objective.hpp"
#include "edgewise/train/loop/runs.hpp"
#include "edgewise/train/source/sources.hpp"
#include "edgewise/train/targets/metric_kinds.hpp"
#include "edgewise/train/targets/targets.hpp"

namespace edgewise::train {
namespace {

/// Below this share of labelled training nodes, labels count as few.
constexpr double kFewLabels = 0.1;

using Place = std::vector<Contender>::const_iterator;

bool is_ahead(const Contender& contender, const Contender& of, const std::string& metric) {
  return is_better(metric, summarise(contender.validation).mean, summarise(of.validation).mean);
}

/// The best on the validation items among those that `is_wanted`; the end if there are none.
Place best_among(const std::vector<Contender>& contenders, const std::string& metric,
                 const std::function<bool(const Variant&)>& is_wanted) {
  Place best = contenders.end();
  for (Place place = contenders.begin(); place != contenders.end(); ++place)
    if (is_wanted(place->variant) &&
        (best == contenders.end() || is_ahead(*place, *best, metric)))
      best = place;
  return best;
}

/// A size in points, "4.1", or in the units of a metric that is not a share, "0.1234".
std::string size_of(double value, const std::string& metric) {
  return is_share(metric) ? fmt::format("{:.1f}", 100 * value) : fmt::format("{:.4f}", value);
}

/// "4.1 ± 0.9 points of accuracy", or "0.12 ± 0.03 of rmse".
std::string amount(const Difference& of, const std::string& metric) {
  const std::string spread = of.runs > 1 ? " ± " + size_of(of.std, metric) : "";
  return fmt::format("{}{} {}of {}", size_of(std::abs(of.mean), metric), spread, is_share(metric) ? "points " : "",
                     metric);
}

/// The end of a sentence on a difference that is not clear; "" if the margin is not known.
std::string up_to(double margin, const std::string& metric) {
  return std::isfinite(margin) ? fmt::format(", and up to {} may be chance", size_of(margin, metric)) : "";
}

/// "is as good", or how far it is behind if that may be chance.
std::string hardly_behind(const Difference& by, const std::string& metric) {
  if (by.mean < 0 || size_of(by.mean, metric) == size_of(0, metric)) return "is as good";
  return fmt::format("is {} behind{}", amount(by, metric), up_to(by.margin, metric));
}

/// Describes the benefit of `with` over `without`, called `what`.
std::string compare(const std::string& what, const Contender& with, const Contender& without,
                    const std::string& metric, const Sample& sample) {
  const Difference of = difference(with, without, metric, sample);
  if (of.runs == 0)
    return fmt::format("{}: no comparison is possible, because {} is not defined on the test items of {} or {}", what,
                       metric, with.name(), without.name());
  if (!of.is_clear())
    return fmt::format("{} makes no clear difference: {} and {} are {} apart over {}{}", what, with.name(),
                       without.name(), amount(of, metric), counted(of.runs, "run"), up_to(of.margin, metric));
  if (of.mean > 0) return fmt::format("{} adds {}: {} over {}", what, amount(of, metric), with.name(), without.name());
  return fmt::format("{} does not help here: {} is {} ahead of {}", what, without.name(), amount(of, metric),
                     with.name());
}

/// "gat is kept: the best on the 300 validation items", or "the average of a, b and c is kept: ...".
std::string start_of_reason(const std::vector<Contender>& contenders, const std::string& metric, const Kept& kept,
                            std::size_t items) {
  const std::string count = counted(items, "validation item");
  std::vector<std::string> names;
  for (const std::size_t place : kept.places) names.push_back(contenders[place].name());
  if (std::isnan(contenders[kept.places.front()].validation.front()))
    return fmt::format("{} is kept without a comparison: {} is not defined on the {}", names.front(), metric, count);
  if (names.size() == 1 && kept.as_good_as.value_or(kept.places.front()) != kept.places.front()) {
    const Contender& best = contenders[*kept.as_good_as];
    const double by = lead(metric, best.validation.front(), contenders[kept.places.front()].validation.front());
    return fmt::format("{} is kept: on the {} it is as good as {}, which is {} {} ahead (that may be chance), and "
                       "cheaper",
                       names.front(), count, best.name(), size_of(by, metric),
                       is_share(metric) ? "points" : "of " + metric);
  }
  if (names.size() == 1) return fmt::format("{} is kept: the best on the {}", names.front(), count);
  const std::string last = names.back();
  names.pop_back();
  const std::string start = fmt::format("the average of {} and {} is kept: ", fmt::join(names, ", "), last);
  if (kept.as_good_as)
    return start + fmt::format("on the {} it is as good as {} alone, and steadier", count,
                               contenders[*kept.as_good_as].name());
  if (kept.average) return start + fmt::format("the best on the {}", count);
  return start + fmt::format("{} {} too few to tell them apart", count, items == 1 ? "is" : "are");
}

/// What the graph adds to what is kept, or that it does not help: how far it is from `other`, the best on the other
/// side.
std::string effect_of_graph(const std::vector<Contender>& contenders, const std::string& metric, const Sample& sample,
                            const Kept& kept, const GraphWording& wording, Place other) {
  if (other == contenders.end()) return "";
  const double value = kept.average.value_or(summarise(contenders[kept.places.front()].validation).mean);
  const Difference of{.mean = lead(metric, value, summarise(other->validation).mean),
                      .runs = 1,
                      .margin = chance(metric, value, sample)};
  if (!std::isfinite(of.mean)) return "";
  const bool is_without_graph = !other->variant.uses_graph();
  if (of.mean <= of.margin) {
    if (kept.places.size() > 1) return "";
    const std::string which =
        other->variant.without_edges
            ? ""
            : fmt::format(", which {} {},", is_without_graph ? "ignores" : "uses", wording.object);
    return fmt::format(", but {}{} {}", other->name(), which, hardly_behind(of, metric));
  }
  const std::string much = amount(of, metric);
  if (is_without_graph) return fmt::format("; {} adds {} over {}", wording.subject, much, other->name());
  return fmt::format("; {} does not help here: {} is {} behind", wording.subject, other->name(), much);
}

/// The models that the validation items cannot tell from the single one that is kept, but for those named before.
std::string also_possible(const std::vector<Contender>& contenders, const std::string& metric, const Sample& sample,
                          const Kept& kept, Place named) {
  if (kept.places.size() > 1) return "";
  std::vector<std::string> names;
  for (const std::size_t place : alike(contenders, metric, sample))
    if (place != kept.places.front() && kept.as_good_as != place && contenders.begin() + place != named)
      names.push_back(contenders[place].name());
  if (names.empty()) return "";
  return fmt::format("; validation cannot distinguish it from {}", first_of(names, 3));
}

/// Drops automatic choices and averages: they use what the others use, so they say nothing about the graph or
/// attention.
std::vector<Contender> without_choices(const std::vector<Contender>& contenders) {
  std::vector<Contender> models;
  std::ranges::copy_if(contenders, std::back_inserter(models),
                       [](const Contender& contender) {
    return contender.variant.model != "auto" && contender.variant.model != kAverage;
  });
  return models;
}

bool has_few_labels(const Dataset& data, const data::Split& split) {
  const std::size_t known = labelled(data.labels, data::nodes_with_role(split, data::Role::train)).size();
  return static_cast<double>(known) < kFewLabels * static_cast<double>(split.size());
}

/// Whether the nodes have their own features.
bool has_features(const Config& config, const Dataset& data, const data::Split& split) {
  return FeatureMap::fit(data, config.split, split).kind() != FeatureMap::Kind::identity;
}

/// Whether `shown` differs from `same` in that it sees labels.
bool is_with_labels_of(const Variant& shown, Variant same) {
  if (same.with_labels) return false;
  same.with_labels = true;
  return shown == same;
}

/// Whether the items are the nodes of one graph with edges.
bool has_edges_between_items(const Dataset& data) {
  return !data.graphs && !data.collection && !data.links && data.graph.edge_count() > 0;
}

/// The best network that uses features and edges but no labels as input.
std::optional<std::size_t> best_along_edges(const std::vector<Contender>& contenders, const std::string& metric) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    Variant variant = contenders[i].variant;
    variant.is_smoothed = false;
    if (!variant.uses_graph() || !variant.uses_features() || !variant.is_network() || variant.with_labels) continue;
    if (!best || is_ahead(contenders[i], contenders[*best], metric)) best = i;
  }
  return best;
}

/// Simple ones first.
std::vector<std::string> models_of_links(const Dataset& data) {
  const TieSides others = data.links->has_two_sides ? TieSides::one : TieSides::two;
  std::vector<std::string> models;
  for (const std::string& name : baseline_names()) {
    const ModelTraits traits = traits_of(name);
    if (traits.is_of_links && traits.sides != others) models.push_back(name);
  }
  models.insert(models.end(), {"mlp", data.kinds ? "rgcn" : "gcn", "sage", "gat"});
  return models;
}

std::vector<std::string> models_for(const Config& config, const Dataset& data) {
  if (data.links) return models_of_links(data);
  if (std::vector<std::string> of_kind = candidates_of(data); !of_kind.empty()) return of_kind;
  std::vector<std::string> models = {"mlp", "gcn", "sage", "gat", "gatv2_sep"};
  const data::Split split = make_split(data, config.split, config.training.seed, 0);
  if (has_features(config, data, split)) models.insert(models.begin(), {"boosted_trees", "neighbour_trees"});
  if (data.labels.has_classes()) models.insert(models.begin(), "label_propagation");
  if (has_few_labels(data, split)) models.emplace_back(data.labels.has_classes() ? "grand" : "gcn2");
  return models;
}

std::vector<graph::Node> items_of(const Config& config, const Dataset& data, std::int64_t run, data::Role role) {
  const std::uint64_t seed = config.training.seed + static_cast<std::uint64_t>(run);
  return data::nodes_with_role(make_split(data, config.split, seed, run), role);
}

}  // namespace

std::vector<std::string> models_to_compare(const Config& config, const Dataset& data) {
  std::vector<std::string> models = models_for(config, data);
  if (target_of(data.labels).has_link())
    std::erase_if(models, [](const std::string& name) { return !traits_of(name).learns_links; });
  return models;
}

bool Difference::is_clear() const { return std::abs(mean) > margin; }

Sample sample_of(const Config& config, const Dataset& data, std::int64_t run, data::Role role) {
  return sample_of(data.labels, items_of(config, data, run, role));
}

Sample test_sample(const Config& config, const Dataset& data) {
  const std::vector<graph::Node> items = items_of(config, data, 0, data::Role::test);
  Sample sample = sample_of(data.labels, items);
  sample.is_shared = config.runs > 1 && items == items_of(config, data, 1, data::Role::test);
  return sample;
}

Difference difference(const Contender& better, const Contender& than, const std::string& metric,
                      const Sample& sample) {
  constexpr std::size_t kMinRuns = 3;
  std::vector<double> differences;
  for (std::size_t run = 0; run < std::min(better.test.size(), than.test.size()); ++run) {
    const double by = better.test[run] - than.test[run];
    if (!std::isnan(by)) differences.push_back(higher_is_better(metric) ? by : -by);
  }
  const Summary summary = summarise(differences);
  const std::size_t runs = differences.size();
  const double of_runs = 2 * summary.std / std::sqrt(static_cast<double>(runs));
  if (runs >= kMinRuns && !sample.is_shared) return {summary.mean, summary.std, runs, of_runs};
  const double of_items = std::max(chance(metric, summarise(better.test).mean, sample),
                                   chance(metric, summarise(than.test).mean, sample));
  return {summary.mean, summary.std, runs, runs >= kMinRuns ? std::max(of_runs, of_items) : of_items};
}

std::size_t best_of(const std::vector<Contender>& contenders, const std::string& metric) {
  if (contenders.empty()) throw UsageError("compare: no model fits the data");
  const Place best = best_among(contenders, metric, [](const Variant&) { return true; });
  return static_cast<std::size_t>(best - contenders.begin());
}

std::optional<std::size_t> best_of_kind(const std::vector<Contender>& contenders, const std::string& metric,
                                        bool is_network) {
  const Place best =
      best_among(contenders, metric, [&](const Variant& of) { return of.is_network() == is_network; });
  if (best == contenders.end()) return {};
  return static_cast<std::size_t>(best - contenders.begin());
}

std::optional<std::size_t> to_try_with_labels(const Config& config, const Dataset& data,
                                              const std::vector<Contender>& contenders, const std::string& metric) {
  if (config.training.label_input >= 0 || !has_edges_between_items(data)) return {};
  return best_along_edges(contenders, metric);
}

std::optional<std::size_t> to_try_with_words(const Config& config, const Dataset& data,
                                             const std::vector<Contender>& contenders, const std::string& metric) {
  if (config.inputs != Inputs::features || !data.kinds || !has_edges_between_items(data)) return {};
  const std::vector<NodeKind>& kinds = data.kinds->kinds;
  const bool has_names = std::any_of(kinds.begin() + 1, kinds.end(), [](const NodeKind& kind) {
    return kind.table.columns.empty();
  });
  return has_names ? best_along_edges(contenders, metric) : std::nullopt;
}

std::optional<std::size_t> to_try_without_edges(const Dataset& data, const std::vector<Contender>& contenders,
                                                const std::string& metric) {
  if (!has_edges_between_items(data) || contenders.empty()) return {};
  if (!contenders[best_of(contenders, metric)].variant.uses_graph()) return {};
  return best_along_edges(contenders, metric);
}

std::optional<std::size_t> to_try_without_features(const Config& config, const Dataset& data,
                                                   const std::vector<Contender>& contenders,
                                                   std::optional<double> of_label_propagation,
                                                   const std::string& metric) {
  if (!of_label_propagation || !has_edges_between_items(data) || config.inputs != Inputs::features) return {};
  if (!has_features(config, data, make_split(data, config.split, config.training.seed, 0))) return {};
  std::vector<Contender> plain = contenders;
  std::erase_if(plain, [](const Contender& contender) { return contender.variant.is_smoothed; });
  const std::optional<std::size_t> network = best_along_edges(plain, metric);
  if (!network || lead(metric, summarise(plain[*network].validation).mean, *of_label_propagation) > 0) return {};
  return best_along_edges(contenders, metric);
}

std::vector<std::size_t> alike(const std::vector<Contender>& contenders, const std::string& metric,
                               const Sample& sample) {
  const std::size_t best = best_of(contenders, metric);
  const double most = summarise(contenders[best].validation).mean;
  const double margin = chance(metric, most, sample);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < contenders.size(); ++i)
    if (i == best || lead(metric, most, summarise(contenders[i].validation).mean) < margin) places.push_back(i);
  std::ranges::stable_sort(
      places, [&](std::size_t a, std::size_t b) { return is_ahead(contenders[a], contenders[b], metric); });
  return places;
}

GraphWording graph_wording(const Dataset& data) {
  if (!data.collection || data.graph.edge_count() > 0) return {};
  return {.subject = "seeing other nodes", .object = "other nodes"};
}

std::string reason(const std::vector<Contender>& contenders, const std::string& metric, const Sample& sample,
                   const Kept& kept, const GraphWording& wording) {
  const auto sees_edges = [&](std::size_t place) { return contenders[place].variant.uses_graph(); };
  const bool uses_graph =
      kept.average ? std::ranges::any_of(kept.places, sees_edges) : sees_edges(kept.places.front());
  const Place other = best_among(contenders, metric, [&](const Variant& of) { return of.uses_graph() != uses_graph; });
  return start_of_reason(contenders, metric, kept, sample.items) +
         effect_of_graph(contenders, metric, sample, kept, wording, other) +
         also_possible(contenders, metric, sample, kept, other);
}

std::vector<std::string> verdict(const std::vector<Contender>& contenders, const std::string& metric,
                                 const Sample& sample, const GraphWording& wording) {
  const Contender& best = contenders[best_of(contenders, metric)];
  const std::vector<Contender> models = without_choices(contenders);
  const Place end = models.end();
  const Place alone = best_among(models, metric, [](const Variant& of) { return !of.uses_graph(); });
  const Place along = best_among(models, metric, [](const Variant& of) { return of.uses_graph() && of.is_known(); });
  const Place plain = best_among(models, metric, [](const Variant& of) {
    return of.is_known() && of.uses_graph() && of.uses_features() && !of.uses_attention() && !of.with_labels &&
           of.is_network();
  });
  const Place attending =
      best_among(models, metric, [](const Variant& of) { return of.uses_attention() && !of.with_labels; });
  const Place blind = best_among(models, metric, [](const Variant& of) { return !of.uses_features(); });
  std::vector<std::string> lines;
  if (alone != end && along != end) lines.push_back(compare(wording.subject, *along, *alone, metric, sample));
  if (attending != end && plain != end) lines.push_back(compare("attention", *attending, *plain, metric, sample));
  for (const Contender& shown : models)
    for (const Contender& same : models)
      if (is_with_labels_of(shown.variant, same.variant))
        lines.push_back(compare("seeing labels of neighbours", shown, same, metric, sample));
  if (blind != end && !(blind->variant == best.variant))
    if (const Difference of = difference(best, *blind, metric, sample); of.runs > 0 && !of.is_clear())
      lines.push_back(fmt::format("{} needs no features and {}", blind->name(), hardly_behind(of, metric)));
  const std::string how = best.variant.with_labels && !best.variant.without_edges
                              ? fmt::format(" ({} {} {} {})", setting("model.preset"), best.variant.model,
                                            setting("model.label_input"), kShownLabels)
                              : "";
  if (std::isnan(summarise(best.validation).mean))
    lines.push_back(fmt::format("no model is recommended: {} is not defined on the validation items", metric));
  else
    lines.push_back(best.variant.model == kAverage
                        ? "use the average, which train keeps if no model is named: the best on the validation items"
                        : fmt::format("use {}{}: the best on the validation items", best.name(), how));
  return lines;
}

}  // namespace edgewise::train
