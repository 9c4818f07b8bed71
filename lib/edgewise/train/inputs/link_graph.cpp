#include "edgewise/train/inputs/link_graph.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/data/feature_directions.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/without_edges.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/masks.hpp"

namespace edgewise::train {
namespace {

constexpr std::string_view kOfAnyRelation = "any_";

/// `is_seen` is of the items, or empty: the other ties are seen.
bool sees(const std::vector<bool>& is_seen, std::size_t tie) { return tie >= is_seen.size() || is_seen[tie]; }

/// The edges that are ties which may not be seen.
std::vector<bool> hidden_edges(const LinkItems& links, const std::vector<bool>& is_seen) {
  std::vector<bool> is_hidden(links.tie_of_edge.size());
  for (std::size_t e = 0; e < is_hidden.size(); ++e)
    is_hidden[e] = links.tie_of_edge[e] != LinkItems::kNoTie && !sees(is_seen, links.tie_of_edge[e]);
  return is_hidden;
}

graph::Ties ties_of(const Dataset& data, const std::vector<bool>& is_seen) {
  const LinkItems& links = *data.links;
  std::vector<graph::Node> sources, targets;
  for (std::size_t tie = 0; tie < links.all(); ++tie) {
    if (!sees(is_seen, tie)) continue;
    sources.push_back(links.sources[tie]);
    targets.push_back(links.targets[tie]);
  }
  return {data.graph.node_count(), sources, targets, links.direction};
}

bool is_of_other_relation(const Dataset& data, std::size_t edge) {
  const graph::EdgeList& edges = data.graph.edges();
  return data.links->tie_of_edge[edge] == LinkItems::kNoTie && edges.sources[edge] != edges.targets[edge];
}

/// The ties that are seen, and the edges of other relations; nothing if there are none.
std::optional<graph::Ties> ties_around(const Dataset& data, const std::vector<bool>& is_seen) {
  if (!data.kinds || data.kinds->relations.size() < 2) return {};
  const graph::EdgeList& edges = data.graph.edges();
  std::vector<graph::Node> sources, targets;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const graph::StoredEdge tie = data.links->tie_of_edge[e];
    if (!is_of_other_relation(data, e) && (tie == LinkItems::kNoTie || !sees(is_seen, tie))) continue;
    sources.push_back(edges.sources[e]);
    targets.push_back(edges.targets[e]);
  }
  return graph::Ties(data.graph.node_count(), sources, targets, graph::Direction::undirected);
}

/// For each node a column for each that it has edges with in other relations: [nodes, nodes].
data::Features other_neighbours(const Dataset& data) {
  const graph::EdgeList& edges = data.graph.edges();
  const auto nodes = static_cast<Eigen::Index>(data.graph.node_count());
  std::vector<Eigen::Triplet<float>> entries;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (is_of_other_relation(data, e))
      entries.emplace_back(static_cast<int>(edges.targets[e]), static_cast<int>(edges.sources[e]), 1.0F);
  data::Features features;
  features.is_sparse = true;
  features.sparse.resize(nodes, nodes);
  features.sparse.setFromTriplets(entries.begin(), entries.end());
  return features;
}

/// Those of the columns of tables beside those of the neighbours in other relations, each half of a row.
Matrix directions_of_kinds(const Dataset& data, const data::Features& columns) {
  std::vector<Matrix> parts;
  if (columns.columns() > 0) parts.push_back(data::feature_directions(columns));
  if (data.kinds->relations.size() > 1) parts.push_back(data::feature_directions(other_neighbours(data)));
  if (parts.empty()) return {};
  if (parts.size() == 1) return parts.front();
  Matrix rows(parts[0].rows(), parts[0].cols() + parts[1].cols());
  rows << parts[0], parts[1];
  return rows * std::sqrt(0.5F);
}

/// A number of pairs, and its column among all that are asked for.
struct PlacedNumber {
  Eigen::Index from = 0, column = 0;
};

/// Copies those of `names` that are in `known`, whose values `make()` gives: [pairs, known]. Returns how many.
template <class Make>
std::size_t take_numbers(std::span<const std::string> names, std::span<const std::string_view> known, const Make& make,
                         Matrix& rows) {
  std::vector<PlacedNumber> placed;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (const auto found = std::ranges::find(known, names[i]); found != known.end())
      placed.push_back({found - known.begin(), static_cast<Eigen::Index>(i)});
  if (placed.empty()) return 0;
  const Matrix made = make();
  for (const PlacedNumber& number : placed) rows.col(number.column) = made.col(number.from);
  return placed.size();
}

/// Those of graph::link_numbers among `names`, but for `prefix`.
std::size_t take_tie_numbers(std::span<const std::string> names, std::string_view prefix, const graph::Ties& ties,
                             const NodePairs& pairs, graph::OwnTie own_tie, Matrix& rows) {
  std::vector<std::string_view> known;
  std::vector<graph::LinkNumber> wanted;
  for (const std::string& name : names) {
    if (!name.starts_with(prefix)) continue;
    const auto all = graph::all_link_numbers();
    const auto found = std::ranges::find(all, name.substr(prefix.size()), &graph::LinkNumber::name);
    if (found == all.end()) continue;
    known.push_back(name);
    wanted.push_back(*found);
  }
  return take_numbers(
      names, known, [&] { return graph::link_numbers(ties, pairs.sources, pairs.targets, wanted, own_tie); }, rows);
}

/// One row for each pair: the nodes that both ends know.
graph::FrozenGraph common_neighbours(const graph::Ties& ties, const NodePairs& pairs) {
  graph::Csr common;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::ranges::set_intersection(ties.neighbours(pairs.sources[i]), ties.neighbours(pairs.targets[i]),
                                  std::back_inserter(common.columns));
    common.offsets.push_back(common.columns.size());
  }
  return graph::freeze(std::move(common), ties.node_count());
}

}  // namespace

LinkFeatures link_features(const Dataset& data, const FeatureMap& map, const data::Features& features) {
  if (map.kind() == FeatureMap::Kind::identity) return {};
  if (data.kinds) return {.directions = directions_of_kinds(data, map.of_tables(features))};
  LinkFeatures alike{.directions = data::feature_directions(features)};
  if (features.is_sparse) alike.overlaps.emplace(features.sparse);
  return alike;
}

std::optional<bool> are_between_sides(std::span<const std::string> names) {
  for (const std::string& name : names) {
    if (std::ranges::count(data::TieFactors::kNames, name) > 0) return true;
    for (const graph::LinkNumber& number : graph::all_link_numbers()) {
      if (number.name != name) continue;
      if (number.use == graph::LinkUse::two_sides) return true;
      if (number.use != graph::LinkUse::any) return false;
    }
  }
  return std::nullopt;
}

LinkGraph::LinkGraph(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
                     const LinkFeatures& alike, const std::vector<bool>& is_seen)
    : features_(features), alike_(alike), frozen_(frozen), ties_(ties_of(data, is_seen)),
      around_(ties_around(data, is_seen)) {
  if (data.links->has_two_sides) sides_ = data.links->sides;
  if (!is_seen.empty()) is_hidden_ = hidden_edges(*data.links, is_seen);
  if (features.is_sparse) sparse_ = std::make_unique<autograd::SparseInput>(features.sparse);
}

std::vector<std::string> LinkGraph::number_names() const {
  std::vector<std::string> names;
  const bool has_two_sides = !sides_.empty();
  for (const graph::LinkNumber& number : graph::link_numbers_of(ties_.direction(), has_two_sides))
    names.emplace_back(number.name);
  const auto add = [&](std::span<const std::string_view> more) { names.insert(names.end(), more.begin(), more.end()); };
  if (has_two_sides) add(data::TieFactors::kNames);
  if (around_)
    for (const graph::LinkNumber& number : graph::link_numbers_of(graph::Direction::undirected))
      names.push_back(fmt::format("{}{}", kOfAnyRelation, number.name));
  if (alike_.directions.cols() > 0 && has_two_sides) add(data::LinkSimilarities::kNamesOfSides);
  if (alike_.directions.cols() > 0 && !has_two_sides) add(data::LinkSimilarities::kNames);
  if (alike_.overlaps) add(data::FeatureOverlaps::kNames);
  return names;
}

Matrix LinkGraph::numbers(const NodePairs& pairs, std::span<const std::string> names, graph::OwnTie own_tie) const {
  const auto similarities = [&]() -> const data::LinkSimilarities& {
    return similarities_.get([&] { return data::LinkSimilarities(alike_.directions, ties_); });
  };
  Matrix rows(static_cast<Eigen::Index>(pairs.size()), static_cast<Eigen::Index>(names.size()));
  std::size_t taken = take_tie_numbers(names, "", ties_, pairs, own_tie, rows) +
                      take_tie_numbers(names, kOfAnyRelation, around(), pairs, own_tie, rows);
  taken += take_numbers(names, data::TieFactors::kNames, [&] {
    return factors_.get([&] { return data::TieFactors(ties_, sides_); }).of(pairs.sources, pairs.targets, own_tie);
  }, rows);
  taken += take_numbers(names, data::LinkSimilarities::kNames,
                        [&] { return similarities().of(pairs.sources, pairs.targets); }, rows);
  taken += take_numbers(names, data::LinkSimilarities::kNamesOfSides,
                        [&] { return similarities().between_sides(pairs.sources, pairs.targets); }, rows);
  if (alike_.overlaps)
    taken += take_numbers(names, data::FeatureOverlaps::kNames,
                          [&] { return alike_.overlaps->of(pairs.sources, pairs.targets); }, rows);
  if (taken < names.size())
    throw ModelError(fmt::format("links: the model is told about pairs of nodes what this network does not say: {}",
                                 fmt::join(names, ", ")));
  return rows;
}

/// The edges that may be seen.
const graph::FrozenGraph& LinkGraph::messages() {
  if (is_hidden_.empty()) return frozen_;
  if (!messages_) messages_ = graph::without_edges(frozen_, is_hidden_);
  return *messages_;
}

nn::NodeRows LinkGraph::input(autograd::Tape& tape) const {
  if (sparse_ == nullptr) return {.dense = tape.constant(features_.dense)};
  return {.dense = {}, .sparse = {.input = sparse_.get()}};
}

/// Also builds the masks that the model's layers need.
nn::ForwardContext LinkGraph::context_of(nn::Model& model, const PassOptions& pass) {
  const std::vector<graph::Node> offsets = {0, static_cast<graph::Node>(node_count())};
  add_masks(model, {.edges = messages(), .offsets = offsets}, masks_);
  nn::ForwardContext context = make_context(pass, messages(), masks_);
  if (model.uses_node_set(nn::kEdges)) {
    if (edge_rows_.cols() == 0) edge_rows_ = graph::edge_rows(messages());
    context.node_sets[nn::kEdges].dense = pass.tape.constant(edge_rows_);
  }
  return context;
}

void LinkGraph::add_pairs(nn::Model& model, const NodePairs& pairs, const Matrix& numbers,
                          nn::ForwardContext& context) {
  if (model.uses_mask(nn::kCommonNeighbours)) common_ = common_neighbours(around(), pairs);
  add_placed_pairs(model, pairs, numbers, context);
}

/// Their nodes, and those of the mask of common neighbours, are rows of what the readout gets.
void LinkGraph::add_placed_pairs(nn::Model& model, const NodePairs& pairs, const Matrix& numbers,
                                 nn::ForwardContext& context) {
  context.links = {.sources = pairs.sources, .targets = pairs.targets};
  if (numbers.cols() > 0) context.node_sets[nn::kLinkNumbers].dense = context.tape.constant(numbers);
  if (model.uses_mask(nn::kCommonNeighbours)) context.masks[nn::kCommonNeighbours] = &common_;
}

autograd::Variable LinkGraph::forward(nn::Model& model, const PassOptions& pass, const NodePairs& pairs,
                                      const Matrix& numbers) {
  nn::ForwardContext context = context_of(model, pass);
  add_pairs(model, pairs, numbers, context);
  return model.forward(context, input(pass.tape));
}

/// The nodes that pairs are read from, ascending. Sets the places of pairs and common neighbours among them.
std::vector<graph::Node> LinkGraph::place_in_sample(const NodePairs& pairs) {
  graph::Csr common = common_.incoming;
  std::vector<graph::Node> nodes = common.columns;
  for (const std::vector<graph::Node>* ends : {&pairs.sources, &pairs.targets})
    nodes.insert(nodes.end(), ends->begin(), ends->end());
  std::ranges::sort(nodes);
  const auto repeated = std::ranges::unique(nodes);
  nodes.erase(repeated.begin(), repeated.end());
  placed_ = pairs;
  for (std::vector<graph::Node>* some : {&common.columns, &placed_.sources, &placed_.targets})
    for (graph::Node& node : *some)
      node = static_cast<graph::Node>(std::ranges::lower_bound(nodes, node) - nodes.begin());
  common_ = graph::freeze(std::move(common), nodes.size());
  return nodes;
}

autograd::Variable LinkGraph::forward_on_sample(nn::Model& model, const PassOptions& pass, const NodePairs& pairs,
                                                const Matrix& numbers, const graph::NeighbourSampling& sampling,
                                                std::uint64_t epoch) {
  if (sampler_ == nullptr) sampler_ = graph::sample_neighbours(messages(), sampling);
  common_ = model.uses_mask(nn::kCommonNeighbours) ? common_neighbours(around(), pairs) : graph::FrozenGraph();
  graph::SampleBatch batch{.nodes = place_in_sample(pairs)};
  batch.item_count = batch.nodes.size();
  sample_ = sampler_->draw(batch, model.sampled_steps().value_or(0), pass.seed, epoch);
  const TableRows table(features_, 0);
  table.take(sample_.nodes, taken_);
  nn::ForwardContext context{.tape = pass.tape,
                             .is_training = pass.is_training,
                             .seed = pass.seed,
                             .step = pass.step,
                             .sample = &sample_};
  const nn::NodeRows nodes = model.encode(context, table.on(pass.tape, taken_));
  context.sample = nullptr;
  add_placed_pairs(model, placed_, numbers, context);
  return model.read_out(context, nodes);
}

Matrix LinkGraph::encode(nn::Model& model) {
  if (model.starts_with_links()) return {};
  autograd::Tape tape(false);
  nn::ForwardContext context = context_of(model, {.tape = tape});
  return autograd::Variable(model.encode(context, input(tape)).dense).value();
}

Matrix LinkGraph::read_out(nn::Model& model, const Matrix& nodes, const NodePairs& pairs, const Matrix& numbers) {
  autograd::Tape tape(false);
  nn::ForwardContext context{.tape = tape};
  add_pairs(model, pairs, numbers, context);
  const nn::NodeRows rows = model.starts_with_links() ? input(tape) : nn::NodeRows{.dense = tape.constant(nodes)};
  return model.read_out(context, rows).value();
}

}  // namespace edgewise::train
