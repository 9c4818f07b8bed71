#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/observer.hpp"
#include "edgewise/train/explain/effects.hpp"
#include "edgewise/train/explain/neutral_features.hpp"
#include "edgewise/train/use/link_prediction.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

/// Whether it is the tie of the pair; without a direction, either way.
bool is_between(const LinkItems& links, std::size_t tie, Node source, Node target) {
  const Node from = links.sources[tie], to = links.targets[tie];
  const bool is_directed = links.direction == graph::Direction::directed;
  return (from == source && to == target) || (!is_directed && from == target && to == source);
}

/// What is left out of the network.
struct Omission {
  std::vector<std::size_t> ties;
  std::string feature;  // of both ends
};

/// A pair of nodes, asked about again and again without some of what the model sees.
class LinkSubject {
 public:
  LinkSubject(ModelData& loaded, Node source, Node target) : loaded_(loaded), scorer_(loaded) {
    pair_.add(source, target);
    const LinkItems& links = *loaded.data.links;
    for (std::size_t tie = 0; tie < links.all(); ++tie) {
      const auto [from, to] = std::pair(links.sources[tie], links.targets[tie]);
      const bool has_source = from == source || to == source, has_target = from == target || to == target;
      if (is_between(links, tie, source, target))
        own_.push_back(tie);
      else if (has_source && has_target)  // in the other direction
        ties_.push_back({.tie = tie, .end = from, .other = to});
      if (has_source == has_target) continue;
      const Node end = has_source ? source : target;
      ties_.push_back({.tie = tie, .end = end, .other = from == end ? to : from});
    }
  }

  /// Common neighbours, then the other ties.
  void add_ties(Effects& effects, std::vector<Omission>& omissions) const;
  /// Those that one of the two has.
  void add_features(Effects& effects, std::vector<Omission>& omissions) const;
  double probability_without(const Omission& omission);

 private:
  struct TieOfEnd {
    std::size_t tie;
    Node end, other;
  };

  std::string name_of(Node node) const { return std::string(loaded_.data.graph.names()[node]); }
  void set_feature(const std::string& name);

  ModelData& loaded_;
  LinkScorer scorer_;
  NodePairs pair_;
  std::vector<std::size_t> own_;
  std::vector<TieOfEnd> ties_;
};

void LinkSubject::add_ties(Effects& effects, std::vector<Omission>& omissions) const {
  const LinkItems& links = *loaded_.data.links;
  std::vector<std::size_t> degrees(loaded_.data.graph.node_count());
  for (std::size_t tie = 0; tie < links.all(); ++tie)
    for (const Node end : {links.sources[tie], links.targets[tie]}) ++degrees[end];
  std::vector<TieOfEnd> order = ties_;
  std::ranges::stable_sort(order, {}, [&](const TieOfEnd& of) { return std::pair(degrees[of.other], of.other); });
  std::vector<std::pair<PartEffect, Omission>> common, single;
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](const TieOfEnd& of) { return of.other != first->other; });
    const bool is_common = std::any_of(first, last, [&](const TieOfEnd& of) { return of.end != first->end; });
    Omission omission;
    for (auto of = first; of != last; ++of) omission.ties.push_back(of->tie);
    const std::string end = name_of(first->end), other = name_of(first->other);
    if (is_common)
      common.emplace_back(PartEffect{.kind = "common neighbour", .name = other, .deletion = {}}, std::move(omission));
    else
      single.emplace_back(PartEffect{.kind = "tie",
                                     .name = fmt::format("{} - {}", end, other),
                                     .deletion = {},
                                     .ends = {end, other}},
                          std::move(omission));
    first = last;
  }
  for (auto* parts : {&common, &single}) {
    parts->resize(std::min(parts->size(), kMostLinkParts));
    for (auto& [part, omission] : *parts) {
      effects.parts.push_back(std::move(part));
      omissions.push_back(std::move(omission));
    }
  }
}

void LinkSubject::add_features(Effects& effects, std::vector<Omission>& omissions) const {
  std::vector<std::string> names;
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded_.trained));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const data::Features& features = loaded_.inputs[i].features;
    const Matrix neutral =
        neutral_row(kinds[i]->features, loaded_.data, static_cast<Eigen::Index>(features.columns()));
    for (const FeatureColumns& columns : kinds[i]->features.own_names(loaded_.data)) {
      const bool is_there = !are_neutral(features, pair_.sources[0], columns, neutral) ||
                            !are_neutral(features, pair_.targets[0], columns, neutral);
      if (is_there && std::ranges::count(names, columns.name) == 0) names.push_back(columns.name);
    }
  }
  names.resize(std::min(names.size(), kMostLinkParts));
  for (const std::string& name : names) {
    effects.parts.push_back({.kind = "feature", .name = name, .deletion = {.features = {name}}});
    omissions.push_back({.ties = {}, .feature = name});
  }
}

void LinkSubject::set_feature(const std::string& name) {
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded_.trained));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    data::Features& features = loaded_.inputs[i].features;
    const Matrix neutral =
        neutral_row(kinds[i]->features, loaded_.data, static_cast<Eigen::Index>(features.columns()));
    for (const FeatureColumns& columns : kinds[i]->features.own_names(loaded_.data))
      if (columns.name == name)
        for (const Node node : {pair_.sources[0], pair_.targets[0]}) make_neutral(node, columns, neutral, features);
  }
}

double LinkSubject::probability_without(const Omission& omission) {
  std::vector<bool> is_seen(loaded_.data.links->all(), true);
  for (const std::size_t tie : own_) is_seen[tie] = false;
  for (const std::size_t tie : omission.ties) is_seen[tie] = false;
  if (omission.feature.empty()) return scorer_.seeing(is_seen).probabilities(pair_).front();
  std::vector<data::Features> kept;
  for (const ModelInput& input : loaded_.inputs) kept.push_back(input.features);
  set_feature(omission.feature);
  const double probability = LinkScorer(loaded_, is_seen).probabilities(pair_).front();
  for (std::size_t i = 0; i < kept.size(); ++i) loaded_.inputs[i].features = std::move(kept[i]);
  return probability;
}

}  // namespace

bool has_tie(const Dataset& data, Node source, Node target) {
  const LinkItems& links = *data.links;
  for (std::size_t tie = 0; tie < links.all(); ++tie)
    if (is_between(links, tie, source, target)) return true;
  return false;
}

Effects effects_of_link(ModelData& loaded, Node source, Node target) {
  if (!loaded.data.links) throw ModelError("explain: the model is not one of ties");
  if (source == target) throw UsageError("explain: a tie leads from one node to another");
  LinkSubject subject(loaded, source, target);
  Effects effects{.item = source, .target = target, .prediction = Matrix(1, 1), .answer = 0, .parts = {}};
  std::vector<Omission> omissions(1);  // of nothing
  subject.add_ties(effects, omissions);
  subject.add_features(effects, omissions);
  std::vector<double> values;
  for (const Omission& omission : omissions) {
    report_step("leaving parts out", static_cast<double>(values.size()), static_cast<double>(omissions.size()));
    values.push_back(subject.probability_without(omission));
  }
  effects.prediction(0, 0) = static_cast<float>(values.front());
  for (std::size_t i = 0; i < effects.parts.size(); ++i) {
    effects.parts[i].without = values[i + 1];
    effects.parts[i].effect = values.front() - values[i + 1];
  }
  return effects;
}

}  // namespace edgewise::train
