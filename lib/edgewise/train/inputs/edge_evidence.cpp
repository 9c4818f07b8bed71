#include "edgewise/train/inputs/edge_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <unordered_map>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/time_split.hpp"
#include "edgewise/train/loop/objective.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr std::uint32_t kEvidenceFolds = 10;
constexpr std::uint32_t kSeesAll = ~std::uint32_t{0};  // sees all labels
constexpr std::size_t kMostLabelsSeen = 8;
constexpr std::size_t kEdgesAtOnce = 256;

graph::Direction direction_of(bool is_directed) {
  return is_directed ? graph::Direction::directed : graph::Direction::undirected;
}

/// The classes, labels or targets whose values are evidence: all but the first of two classes, which the other says;
/// the most frequent ones of many.
std::vector<std::size_t> labels_to_use(const data::Labels& labels, std::span<const Node> known) {
  std::vector<std::size_t> used(labels.names.size());
  std::iota(used.begin(), used.end(), std::size_t{0});
  if (labels.has_classes() && used.size() == 2) return {1};
  if (used.size() <= kMostLabelsSeen) return used;
  std::vector<std::size_t> counts(used.size());
  for (const Node item : known)
    for (std::size_t label = 0; label < counts.size(); ++label) {
      const bool is_there = labels.has_classes()
                                ? labels.classes[item] == static_cast<std::int32_t>(label)
                                : labels.targets(item, static_cast<Eigen::Index>(label)) > 0;
      counts[label] += is_there ? 1 : 0;
    }
  std::ranges::stable_sort(used, std::ranges::greater(), [&](std::size_t label) { return counts[label]; });
  used.resize(kMostLabelsSeen);
  std::ranges::sort(used);
  return used;
}

float value_of(const data::Labels& labels, Node item, std::size_t label) {
  if (labels.has_classes()) return labels.classes[item] == static_cast<std::int32_t>(label) ? 1.0F : 0.0F;
  return labels.targets(item, static_cast<Eigen::Index>(label));
}

/// Subtracts from each column its mean over what is known in it, and sets the rest to 0.
void centre(Matrix& values) {
  for (Eigen::Index column = 0; column < values.cols(); ++column) {
    double sum = 0;
    std::size_t count = 0;
    for (Eigen::Index row = 0; row < values.rows(); ++row) {
      if (std::isnan(values(row, column))) continue;
      sum += values(row, column);
      ++count;
    }
    const auto mean = static_cast<float>(count == 0 ? 0 : sum / static_cast<double>(count));
    for (float& value : values.col(column)) value = std::isnan(value) ? 0 : value - mean;
  }
}

/// At random, but the same for edges between the same nodes.
std::vector<std::uint32_t> drawn_folds(const EdgeItems& edges, std::span<const Node> known) {
  std::vector<std::uint32_t> folds;
  for (const Node item : known) {
    const std::uint64_t key = edges.key(item);
    folds.push_back(random_bits(random_key(0, Stream::split, key), 0U) % kEvidenceFolds);
  }
  return folds;
}

/// Tenths of the items by time.
std::vector<std::uint32_t> folds_by_time(const Dataset& data, const std::string& column, std::span<const Node> known) {
  const std::vector<double> times = data::read_times(data.table, column);
  std::vector<double> sorted;
  for (const Node item : known) sorted.push_back(times[item]);
  std::ranges::sort(sorted);
  std::vector<std::uint32_t> folds;
  for (const Node item : known) {
    const auto earlier = static_cast<std::size_t>(std::ranges::lower_bound(sorted, times[item]) - sorted.begin());
    folds.push_back(static_cast<std::uint32_t>(earlier * kEvidenceFolds / sorted.size()));
  }
  return folds;
}

}  // namespace

EdgeEvidence EdgeEvidence::fit(const Dataset& data, const SplitConfig& config, const data::Split& split) {
  EdgeEvidence evidence;
  const EdgeItems& edges = *data.edges;
  evidence.is_directed_ = edges.is_directed;
  const std::vector<Node> known = labelled(data.labels, data::nodes_with_role(split, data::Role::train));
  evidence.is_by_time_ = !config.time.empty() && !known.empty();
  evidence.folds_ = evidence.is_by_time_ ? folds_by_time(data, config.time, known) : drawn_folds(edges, known);
  const std::vector<std::size_t> labels = labels_to_use(data.labels, known);
  evidence.values_.resize(static_cast<Eigen::Index>(known.size()), static_cast<Eigen::Index>(labels.size()));
  for (std::size_t i = 0; i < known.size(); ++i) {
    evidence.sources_.push_back(evidence.nodes_.add(edges.nodes[edges.sources[known[i]]]));
    evidence.targets_.push_back(evidence.nodes_.add(edges.nodes[edges.targets[known[i]]]));
    for (std::size_t label = 0; label < labels.size(); ++label)
      evidence.values_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(label)) =
          value_of(data.labels, known[i], labels[label]);
  }
  centre(evidence.values_);
  for (const std::size_t label : labels) evidence.labels_.push_back(data.labels.names[label]);
  EdgeItems of_training{.nodes = evidence.nodes_,
                        .sources = evidence.sources_,
                        .targets = evidence.targets_,
                        .is_directed = evidence.is_directed_};
  evidence.scale_ =
      LinkMap::fit(data::EdgeStatistics::names(evidence.labels_, direction_of(evidence.is_directed_)),
                   evidence.numbers(of_training));
  return evidence;
}

void EdgeEvidence::find_unlike(const EdgeItems& edges,
                               const std::function<void(std::size_t item, const std::string& reason)>& on_item) const {
  for (std::size_t item = 0; item < edges.size(); ++item) {
    const bool has_source = nodes_.find(edges.nodes[edges.sources[item]]).has_value();
    const bool has_target = nodes_.find(edges.nodes[edges.targets[item]]).has_value();
    if (!has_source || !has_target)
      on_item(item, has_source   ? "the target is not in training"
                    : has_target ? "the source is not in training"
                                 : "the source and the target are not in training");
  }
}

data::EdgeStatistics::Factors EdgeEvidence::factors() const {
  const bool has_factors = names().empty() || std::ranges::any_of(names(), [](const std::string& name) {
    return name.ends_with(data::EdgeStatistics::kSumWithFactors);
  });
  return has_factors ? data::EdgeStatistics::Factors::yes : data::EdgeStatistics::Factors::no;
}

/// Edges of training, found by their ends, see what the first fold of those between their ends may see.
Matrix EdgeEvidence::numbers(const EdgeItems& edges) const {
  EdgeItems own{.nodes = {}, .sources = sources_, .targets = targets_, .is_directed = is_directed_};
  std::unordered_map<std::uint64_t, std::uint32_t> folds;
  for (std::size_t i = 0; i < own.size(); ++i) {
    const auto place = folds.emplace(own.key(i), folds_[i]).first;
    place->second = std::min(place->second, folds_[i]);
  }
  std::vector<Node> node_of(edges.nodes.size(), data::EdgeStatistics::kUnknown);
  for (Node node = 0; node < node_of.size(); ++node)
    node_of[node] = nodes_.find(edges.nodes[node]).value_or(data::EdgeStatistics::kUnknown);
  EdgeItems asked{.nodes = {}, .sources = {}, .targets = {}, .is_directed = is_directed_};
  std::map<std::uint32_t, std::vector<std::size_t>> items;
  for (std::size_t item = 0; item < edges.size(); ++item) {
    asked.sources.push_back(node_of[edges.sources[item]]);
    asked.targets.push_back(node_of[edges.targets[item]]);
    const auto fold = folds.find(asked.key(item));
    items[fold == folds.end() ? kSeesAll : fold->second].push_back(item);
  }
  const graph::Direction direction = direction_of(is_directed_);
  Matrix rows(static_cast<Eigen::Index>(edges.size()),
              static_cast<Eigen::Index>(data::EdgeStatistics::names(labels_, direction, factors()).size()));
  for (const auto& [fold, of_fold] : items) {
    check_interruption();
    std::vector<Node> sources, targets;
    std::vector<Eigen::Index> seen;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (fold != kSeesAll && !sees(fold, folds_[i])) continue;
      sources.push_back(sources_[i]);
      targets.push_back(targets_[i]);
      seen.push_back(static_cast<Eigen::Index>(i));
    }
    const data::EdgeStatistics statistics(nodes_.size(), sources, targets, Matrix(values_(seen, Eigen::all)),
                                          direction, factors());
    const std::span<const std::size_t> all(of_fold);
    parallel_for(all.size(), kEdgesAtOnce, [&](std::size_t begin, std::size_t end) {
      for (const std::size_t item : all.subspan(begin, end - begin))
        statistics.fill(asked.sources[item], asked.targets[item], rows.row(static_cast<Eigen::Index>(item)).data());
    });
  }
  return rows;
}

json::Value EdgeEvidence::to_json() const {
  json::Array nodes, sources, targets, folds, values;
  for (Node node = 0; node < nodes_.size(); ++node) nodes.emplace_back(nodes_[node]);
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources.emplace_back(static_cast<std::int64_t>(sources_[i]));
    targets.emplace_back(static_cast<std::int64_t>(targets_[i]));
    folds.emplace_back(static_cast<std::int64_t>(folds_[i]));
  }
  for (const float value : values_.reshaped<Eigen::RowMajor>()) values.emplace_back(value);
  return json::Object{{"directed", is_directed_},
                      {"by_time", is_by_time_},
                      {"nodes", std::move(nodes)},
                      {"sources", std::move(sources)},
                      {"targets", std::move(targets)},
                      {"folds", std::move(folds)},
                      {"labels", labels_},
                      {"values", std::move(values)},
                      {"scale", scale_.to_json()}};
}

EdgeEvidence EdgeEvidence::from_json(const json::Value& value) {
  EdgeEvidence evidence;
  evidence.is_directed_ = value.at("directed").as_bool();
  evidence.is_by_time_ = value.at("by_time").as_bool();
  for (const std::string& name : value.at("nodes").as_strings()) evidence.nodes_.add(name);
  const auto read_nodes = [&](const char* name, std::vector<Node>& to) {
    for (const json::Value& node : value.at(name).as_array()) {
      const std::int64_t place = node.as_integer();
      if (place < 0 || place >= static_cast<std::int64_t>(evidence.nodes_.size()))
        throw ModelError(fmt::format("features: an edge to node {} of {}", place, evidence.nodes_.size()));
      to.push_back(static_cast<Node>(place));
    }
  };
  read_nodes("sources", evidence.sources_);
  read_nodes("targets", evidence.targets_);
  for (const json::Value& fold : value.at("folds").as_array())
    evidence.folds_.push_back(static_cast<std::uint32_t>(fold.as_integer()));
  evidence.labels_ = value.at("labels").as_strings();
  const json::Array& values = value.at("values").as_array();
  const std::size_t edges = evidence.sources_.size(), labels = evidence.labels_.size();
  evidence.scale_ = LinkMap::from_json(value.at("scale"));
  if (evidence.targets_.size() != edges || evidence.folds_.size() != edges || values.size() != edges * labels ||
      evidence.names() !=
          data::EdgeStatistics::names(evidence.labels_, direction_of(evidence.is_directed_), evidence.factors()))
    throw ModelError("features: the labels of the training edges do not fit together");
  evidence.values_.resize(static_cast<Eigen::Index>(edges), static_cast<Eigen::Index>(labels));
  for (std::size_t i = 0; i < values.size(); ++i)
    evidence.values_.data()[i] = static_cast<float>(values[i].as_number());
  return evidence;
}

}  // namespace edgewise::train
