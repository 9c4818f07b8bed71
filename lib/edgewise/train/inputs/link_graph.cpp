#include "edgewise/train/inputs/link_graph.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "edgewise/data/feature_directions.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/without_edges.hpp"
#include "edgewise/nn/link_readout.hpp"
#include "edgewise/nn/masks.hpp"

namespace edgewise::train {
namespace {

/// The user's edges that are ties which may not be seen.
std::vector<bool> hidden_edges(const LinkItems& links, const std::vector<bool>& is_seen) {
  std::vector<bool> is_hidden(links.tie_of_edge.size());
  for (std::size_t e = 0; e < is_hidden.size(); ++e)
    is_hidden[e] = links.tie_of_edge[e] != LinkItems::kNoTie && !is_seen[links.tie_of_edge[e]];
  return is_hidden;
}

graph::Ties ties_of(const Dataset& data, const std::vector<bool>& is_seen) {
  const LinkItems& links = *data.links;
  std::vector<graph::Node> sources, targets;
  for (std::size_t tie = 0; tie < links.size(); ++tie) {
    if (!is_seen.empty() && !is_seen[tie]) continue;
    sources.push_back(links.sources[tie]);
    targets.push_back(links.targets[tie]);
  }
  return {data.graph.node_count(), sources, targets, data.graph.direction()};
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

Matrix link_directions(const FeatureMap& map, const data::Features& features) {
  return map.kind() == FeatureMap::Kind::identity ? Matrix() : data::feature_directions(features);
}

LinkGraph::LinkGraph(const Dataset& data, const data::Features& features, const graph::FrozenGraph& frozen,
                     const Matrix& directions, const std::vector<bool>& is_seen)
    : features_(features), directions_(directions), ties_(ties_of(data, is_seen)) {
  messages_ = is_seen.empty() ? frozen : graph::without_edges(frozen, hidden_edges(*data.links, is_seen));
  if (features.is_sparse) sparse_ = std::make_unique<autograd::SparseInput>(features.sparse);
}

std::vector<std::string> LinkGraph::number_names() const {
  std::vector<std::string> names;
  for (const graph::LinkNumber& number : graph::link_numbers_of(ties_.direction())) names.emplace_back(number.name);
  if (directions_.cols() > 0)
    names.insert(names.end(), data::LinkSimilarities::kNames.begin(), data::LinkSimilarities::kNames.end());
  return names;
}

Matrix LinkGraph::numbers(const NodePairs& pairs, std::span<const std::string> names, graph::OwnTie own_tie) const {
  const auto similarity = [](std::string_view name) {
    return std::ranges::find(data::LinkSimilarities::kNames, name) - data::LinkSimilarities::kNames.begin();
  };
  std::vector<graph::LinkNumber> of_ties;
  for (const std::string& name : names)
    if (similarity(name) == std::ssize(data::LinkSimilarities::kNames)) of_ties.push_back(graph::link_number(name));
  Matrix similarities;
  if (of_ties.size() < names.size())
    similarities = similarities_.get([&] { return data::LinkSimilarities(directions_, ties_); })
                       .of(pairs.sources, pairs.targets);
  const Matrix between = graph::link_numbers(ties_, pairs.sources, pairs.targets, of_ties, own_tie);
  Matrix rows(static_cast<Eigen::Index>(pairs.size()), static_cast<Eigen::Index>(names.size()));
  Eigen::Index next = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const Eigen::Index place = similarity(names[i]);
    const bool is_similarity = place < std::ssize(data::LinkSimilarities::kNames);
    if (is_similarity)
      rows.col(column) = similarities.col(place);
    else
      rows.col(column) = between.col(next++);
  }
  return rows;
}

nn::NodeRows LinkGraph::input(autograd::Tape& tape) const {
  if (sparse_ == nullptr) return {.dense = tape.constant(features_.dense)};
  return {.dense = {}, .sparse = {.input = sparse_.get()}};
}

/// Also builds the masks that the model's layers need.
nn::ForwardContext LinkGraph::context_of(nn::Model& model, const PassOptions& pass) {
  const std::vector<graph::Node> offsets = {0, static_cast<graph::Node>(node_count())};
  add_masks(model, {.edges = messages_, .offsets = offsets}, masks_);
  nn::ForwardContext context = make_context(pass, messages_, masks_);
  if (model.uses_node_set(nn::kEdges)) {
    if (edge_rows_.cols() == 0) edge_rows_ = graph::edge_rows(messages_);
    context.node_sets[nn::kEdges].dense = pass.tape.constant(edge_rows_);
  }
  return context;
}

void LinkGraph::add_pairs(nn::Model& model, const NodePairs& pairs, const Matrix& numbers,
                          nn::ForwardContext& context) {
  context.links = {.sources = pairs.sources, .targets = pairs.targets};
  if (numbers.cols() > 0) context.node_sets[nn::kLinkNumbers].dense = context.tape.constant(numbers);
  if (!model.uses_mask(nn::kCommonNeighbours)) return;
  common_ = common_neighbours(ties_, pairs);
  context.masks[nn::kCommonNeighbours] = &common_;
}

autograd::Variable LinkGraph::forward(nn::Model& model, const PassOptions& pass, const NodePairs& pairs,
                                      const Matrix& numbers) {
  nn::ForwardContext context = context_of(model, pass);
  add_pairs(model, pairs, numbers, context);
  return model.forward(context, input(pass.tape));
}

Matrix LinkGraph::encode(nn::Model& model) {
  autograd::Tape tape(false);
  nn::ForwardContext context = context_of(model, {.tape = tape});
  const nn::NodeRows rows = model.encode(context, input(tape));
  return model.starts_with_links() ? Matrix() : Matrix(autograd::Variable(rows.dense).value());
}

Matrix LinkGraph::read_out(nn::Model& model, const Matrix& nodes, const NodePairs& pairs, const Matrix& numbers) {
  autograd::Tape tape(false);
  nn::ForwardContext context{.tape = tape};
  add_pairs(model, pairs, numbers, context);
  const nn::NodeRows rows = model.starts_with_links() ? input(tape) : nn::NodeRows{.dense = tape.constant(nodes)};
  return model.read_out(context, rows).value();
}

}  // namespace edgewise::train
