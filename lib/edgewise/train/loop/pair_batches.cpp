#include "edgewise/train/loop/pair_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/masks/complete.hpp"
#include "edgewise/graph/masks/readout.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

SparseMatrix one_hot(const PairSide& side) {
  SparseMatrix rows(static_cast<Eigen::Index>(side.tokens.size()), side.columns);
  rows.resizeNonZeros(static_cast<Eigen::Index>(side.tokens.size()));
  std::copy(side.tokens.begin(), side.tokens.end(), rows.innerIndexPtr());
  std::fill_n(rows.valuePtr(), side.tokens.size(), 1.0F);
  std::iota(rows.outerIndexPtr(), rows.outerIndexPtr() + side.tokens.size() + 1, 0);
  return rows;
}

/// From each graph to the first of its rows.
graph::FrozenGraph first_mask(std::span<const Node> offsets) {
  graph::Csr incoming;
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    if (offsets[g] < offsets[g + 1]) incoming.columns.push_back(offsets[g]);
    incoming.offsets.push_back(incoming.columns.size());
  }
  return graph::freeze(std::move(incoming), offsets.back());
}

/// From each token of a target to all rows of its source.
graph::FrozenGraph cross_mask(std::span<const Node> sources, std::span<const Node> targets) {
  graph::Csr incoming;
  for (std::size_t pair = 0; pair + 1 < targets.size(); ++pair)
    for (Node row = targets[pair]; row < targets[pair + 1]; ++row) {
      for (Node column = sources[pair]; column < sources[pair + 1]; ++column) incoming.columns.push_back(column);
      incoming.offsets.push_back(incoming.columns.size());
    }
  return graph::freeze(std::move(incoming), sources.back());
}

}  // namespace

void PairSide::add(std::span<const std::int32_t> more) {
  tokens.insert(tokens.end(), more.begin(), more.end());
  offsets.push_back(static_cast<Node>(tokens.size()));
}

PairSide PairSide::select(std::span<const Node> pairs) const {
  PairSide some{.columns = columns};
  for (const Node pair : pairs) some.offsets.push_back(some.offsets.back() + static_cast<Node>(size_of(pair)));
  if (rows.size() > 0) some.rows.resize(some.offsets.back(), columns);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Node begin = offsets[pairs[i]], count = offsets[pairs[i] + 1] - begin;
    if (rows.size() > 0)
      some.rows.middleRows(some.offsets[i], count) = rows.middleRows(begin, count);
    else
      some.tokens.insert(some.tokens.end(), tokens.begin() + begin, tokens.begin() + begin + count);
  }
  return some;
}

SideRows::SideRows(const PairSide& side) : side_(side) {
  if (side.rows.size() == 0) sparse_ = std::make_unique<autograd::SparseInput>(one_hot(side));
}

nn::NodeRows SideRows::on(autograd::Tape& tape) const {
  nn::NodeRows rows;
  if (sparse_)
    rows.sparse.input = sparse_.get();
  else
    rows.dense = tape.constant(side_.rows);
  return rows;
}

nn::ModelShape pair_shape(const PairSide& source, const PairSide& target) {
  return {.inputs = target.columns,
          .outputs = target.columns,
          .node_sets = {{kSource, source.columns}},
          .masks = {{"source_complete", kSource, kSource},
                    {"source", nn::kNodes, kSource},
                    {"source_order", nn::kGraphs, kSource},
                    {"source_first", nn::kGraphs, kSource}}};
}

void add_source_masks(const nn::Model& model, std::span<const Node> offsets,
                      std::map<std::string, graph::FrozenGraph>& masks) {
  if (model.uses_mask("source_complete")) masks.emplace("source_complete", graph::complete_mask(offsets));
  if (model.uses_mask("source_order")) masks.emplace("source_order", graph::readout_mask(offsets));
  if (model.uses_mask("source_first")) masks.emplace("source_first", first_mask(offsets));
}

PairBatches::PairBatches(const PairSide& source, const PairSide& target, const PairBatchOptions& options)
    : source_(source), target_(target), options_(options) {
  check_count("pairs", "sources", source.size(), target.size());
  if (options.batch_size == 0) throw UsageError("training.batch_size: expected at least 1, got 0");
}

void PairBatches::check_fits(const nn::Model& model) const {
  if (model.shape() == pair_shape(source_, target_)) return;
  throw ModelError(fmt::format("model: made for {} and {} columns of sources and targets, got {} and {}",
                               model.shape().node_sets.empty() ? 0 : model.shape().node_sets.front().columns,
                               model.shape().inputs, source_.columns, target_.columns));
}

/// Groups items by pair, in the order of their first items.
std::vector<PairBatches::Group> PairBatches::groups_of(std::span<const Node> items) const {
  check_indices("pairs", "items", items, item_count());
  std::vector<Group> groups;
  for (const Node item : items) {
    const auto is_in = [&](std::size_t pair) {
      return item >= target_.offsets[pair] && item < target_.offsets[pair + 1];
    };
    if (groups.empty() || !is_in(groups.back().pair)) {
      const auto next = std::ranges::upper_bound(target_.offsets, item);
      groups.push_back({static_cast<std::size_t>(next - target_.offsets.begin() - 1), {}});
    }
    groups.back().items.push_back(item);
  }
  return groups;
}

/// Batches within the bounds; in each the longest targets first, which run side by side.
std::vector<std::vector<Node>> PairBatches::cut(const nn::Model& model, std::vector<Group> groups) const {
  std::vector<std::vector<Node>> steps;
  const auto outputs = static_cast<std::size_t>(model.shape().outputs);
  for (std::size_t begin = 0; begin < groups.size();) {
    std::size_t end = begin, slots = 0, rows = 0;
    while (end < groups.size() && end - begin < options_.batch_size) {
      const std::size_t source = source_.size_of(groups[end].pair), target = target_.size_of(groups[end].pair);
      const std::size_t more = source * source + source * target + target * target;
      if (end > begin &&
          (slots + more > options_.batch_slots || (rows + target) * outputs > options_.batch_outputs))
        break;
      slots += more;
      rows += target;
      ++end;
    }
    const std::span<Group> batch = std::span(groups).subspan(begin, end - begin);
    std::ranges::stable_sort(batch, std::ranges::greater(), [&](const Group& of) { return target_.size_of(of.pair); });
    steps.emplace_back();
    for (const Group& group : batch) steps.back().insert(steps.back().end(), group.items.begin(), group.items.end());
    begin = end;
  }
  return steps;
}

std::vector<std::vector<Node>> PairBatches::training_batches(const nn::Model& model, std::vector<Node> items,
                                                             std::uint64_t seed, std::uint64_t epoch) {
  std::vector<Group> groups = groups_of(items);
  Random random(seed, Stream::shuffle, epoch);
  shuffle(std::span(groups), random);
  return cut(model, std::move(groups));
}

std::vector<std::vector<Node>> PairBatches::of_evaluation(const nn::Model& model, std::span<const Node> items) const {
  return cut(model, groups_of(items));
}

void PairBatches::fill(const nn::Model& model, std::span<const Node> items) {
  batch_ = {};
  std::vector<Node> pairs;
  for (const Group& group : groups_of(items)) {
    pairs.push_back(static_cast<Node>(group.pair));
    batch_.target.offsets.push_back(batch_.target.offsets.back() + static_cast<Node>(target_.size_of(group.pair)));
    const Node shift = batch_.target.offsets[pairs.size() - 1] - target_.offsets[group.pair];  // may wrap around
    for (const Node item : group.items) batch_.rows.push_back(item + shift);
  }
  batch_.source = source_.select(pairs);
  batch_.target = target_.select(pairs);
  batch_.source_rows = std::make_unique<SideRows>(batch_.source);
  batch_.target_rows = std::make_unique<SideRows>(batch_.target);
  add_source_masks(model, batch_.source.offsets, batch_.masks);
  if (model.uses_mask("source"))
    batch_.masks.emplace("source", cross_mask(batch_.source.offsets, batch_.target.offsets));
  const graph::FrozenGraph no_edges;
  add_masks(model, {.edges = no_edges, .offsets = batch_.target.offsets}, batch_.masks);
}

autograd::Variable PairBatches::forward(nn::Model& model, const PassOptions& pass, std::span<const Node> items) {
  fill(model, items);
  static const graph::FrozenGraph kNoEdges;
  nn::ForwardContext context = make_context(pass, kNoEdges, batch_.masks);
  context.node_sets[kSource] = batch_.source_rows->on(pass.tape);
  const autograd::Variable outputs = model.forward(context, batch_.target_rows->on(pass.tape));
  const bool are_all =
      batch_.rows.size() == static_cast<std::size_t>(outputs.rows()) && std::ranges::is_sorted(batch_.rows);
  return are_all ? outputs : autograd::select_rows(outputs, batch_.rows);
}

}  // namespace edgewise::train
