#include "edgewise/train/loop/graph_batches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "edgewise/autograd/select_rows.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/data/encodings.hpp"
#include "edgewise/graph/masks/line.hpp"
#include "edgewise/graph/masks/readout.hpp"
#include "edgewise/nn/components.hpp"
#include "edgewise/nn/concat_set.hpp"
#include "edgewise/nn/masks.hpp"
#include "edgewise/train/loop/label_mask.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kGraphsAtOnce = 64;  // graphs per evaluation batch

std::vector<graph::Mask> masks_of(const nn::Model& model) {
  std::vector<graph::Mask> masks;
  for (const nn::MaskShape& shape : model.masks()) masks.push_back(graph::parse_mask(shape.name));
  return masks;
}

/// Throws UsageError unless each row has at least `count` columns.
void check_column_count(const char* what, Eigen::Index count, const data::Features& features) {
  if (count >= 0 && static_cast<std::size_t>(count) <= features.columns()) return;
  throw UsageError(fmt::format("graphs: {} {}, but the nodes have {} feature columns", count, what,
                               features.columns()));
}

/// Upper bound on the slots of a model's masks for one graph.
double slots_of(const std::vector<graph::Mask>& masks, std::size_t nodes, std::size_t edges) {
  double most = static_cast<double>(nodes);
  for (const graph::Mask& mask : masks) {
    const double of_edges = mask.rule->needs_edges ? static_cast<double>(edges) : 0;
    most = std::max({most, mask.slots(nodes), of_edges});
  }
  return most;
}

/// Copies rows of `from`, range by range.
SparseMatrix sparse_rows(const SparseMatrix& from, const graph::GraphUnion& all,
                         std::span<const graph::GraphIndex> members, Eigen::Index rows) {
  const auto* offsets = from.outerIndexPtr();
  SparseMatrix part(rows, from.cols());
  Eigen::Index entries = 0;
  for (const graph::GraphIndex g : members) entries += offsets[all.offsets[g + 1]] - offsets[all.offsets[g]];
  part.resizeNonZeros(entries);
  Eigen::Index row = 0, at = 0;
  part.outerIndexPtr()[0] = 0;
  for (const graph::GraphIndex g : members) {
    const auto begin = offsets[all.offsets[g]], end = offsets[all.offsets[g + 1]];
    std::copy(from.innerIndexPtr() + begin, from.innerIndexPtr() + end, part.innerIndexPtr() + at);
    std::copy(from.valuePtr() + begin, from.valuePtr() + end, part.valuePtr() + at);
    for (graph::Node node = all.offsets[g]; node < all.offsets[g + 1]; ++node)
      part.outerIndexPtr()[++row] = static_cast<std::int32_t>(at + offsets[node + 1] - begin);
    at += end - begin;
  }
  return part;
}

/// Sets the entries of some rows in the first columns to zero.
void hide_entries(std::span<const graph::Node> rows, Eigen::Index columns, SparseMatrix& matrix) {
  for (const graph::Node row : rows)
    for (auto at = matrix.outerIndexPtr()[row]; at < matrix.outerIndexPtr()[row + 1]; ++at)
      if (matrix.innerIndexPtr()[at] < columns) matrix.valuePtr()[at] = 0;
}

}  // namespace

GraphBatches::GraphBatches(const data::Features& features, graph::GraphUnion graphs, const GraphBatchOptions& options)
    : features_(features), all_(std::move(graphs)), options_(options) {
  const std::size_t nodes = all_.graph.destination_count();
  check_offsets("graphs", "nodes", all_.offsets, nodes);
  check_count("graphs", "features", features.rows(), nodes);
  check_column_count("masked columns", options.masked.columns, features);
  if (options.descriptors != nullptr)
    check_count("graphs", "descriptors", static_cast<std::size_t>(options.descriptors->rows()), all_.graph_count());
  if (const GraphParts& parts = options.parts; parts.of_each > 0)
    check_count("graphs", "parts", parts.offsets.size() - 1, parts.of_each * all_.graph_count());
  if (features.is_sparse && options.sign_columns > 0)
    throw UsageError("graphs: expected dense features of nodes with eigenvectors, got sparse ones");
  if (options.masked.columns > 0 && options.labelled == Labelled::graphs)
    throw UsageError("graphs: only features of nodes that have labels can be masked");
  if (options.batch_size == 0) throw UsageError("training.batch_size: expected at least 1, got 0");
}

std::size_t GraphBatches::item_count() const {
  return options_.labelled == Labelled::graphs ? all_.graph_count() : all_.offsets.back();
}

void GraphBatches::check_fits(const nn::Model& model) const {
  check_node_sets(model, node_sets());
  if (model.is_graph_level() && options_.labelled == Labelled::nodes)
    throw ModelError("model: it has a readout: it labels graphs, but the data has labels of nodes");
  if (!model.is_graph_level() && options_.labelled == Labelled::graphs)
    throw ModelError("model: it has no readout: it labels nodes, but the data has labels of graphs");
  check_feature_columns(model, static_cast<Eigen::Index>(features_.columns()), all_.graph.edge_features.cols());
  if (const int expected = model.shape().pair_features; pair_features() != expected)
    throw ModelError(fmt::format("model: pairs of nodes have {} feature columns, the model is made for {}",
                                 pair_features(), expected));
}

/// Groups items by graph, in the order of their first items.
std::vector<GraphBatches::Group> GraphBatches::groups_of(std::span<const graph::Node> items) const {
  check_indices("graphs", "items", items, item_count());
  std::vector<Group> groups;
  if (options_.labelled == Labelled::graphs) {
    for (const graph::Node item : items) groups.push_back({item, {item}});
    return groups;
  }
  std::unordered_map<graph::GraphIndex, std::size_t> places;
  for (const graph::Node item : items) {
    const auto next = std::ranges::upper_bound(all_.offsets, item);
    const auto index = static_cast<graph::GraphIndex>(next - all_.offsets.begin() - 1);
    const auto [place, is_new] = places.emplace(index, groups.size());
    if (is_new) groups.push_back({index, {}});
    groups[place->second].items.push_back(item);
  }
  return groups;
}

/// Batches of at most `batch_size` graphs, as even as possible, and split further if there would be too many slots.
std::vector<std::vector<graph::Node>> GraphBatches::cut(const nn::Model& model, std::span<const Group> groups,
                                                        std::size_t batch_size) const {
  const std::size_t count = (groups.size() + batch_size - 1) / batch_size;
  const std::vector<graph::EdgeIndex>& edges = all_.graph.incoming.offsets;
  const std::vector<graph::Mask> masks = masks_of(model);
  std::vector<std::vector<graph::Node>> steps;
  for (std::size_t i = 0; i < count; ++i) {
    double slots = 0;
    steps.emplace_back();
    for (std::size_t j = groups.size() * i / count; j < groups.size() * (i + 1) / count; ++j) {
      const graph::GraphIndex g = groups[j].graph;
      const double more = slots_of(masks, all_.size_of(g), edges[all_.offsets[g + 1]] - edges[all_.offsets[g]]);
      if (!steps.back().empty() && slots + more > static_cast<double>(options_.batch_slots)) {
        steps.emplace_back();
        slots = 0;
      }
      slots += more;
      steps.back().insert(steps.back().end(), groups[j].items.begin(), groups[j].items.end());
    }
  }
  return steps;
}

std::vector<std::vector<graph::Node>> GraphBatches::training_batches(const nn::Model& model,
                                                                     std::vector<graph::Node> items,
                                                                     std::uint64_t seed, std::uint64_t epoch) {
  if (options_.masked.columns > 0)
    items = draw_hidden({.share = 1 - options_.masked.share}, std::move(items), seed, epoch);
  std::vector<Group> groups = groups_of(items);
  Random random(seed, Stream::shuffle, epoch);
  shuffle(std::span(groups), random);
  return cut(model, groups, options_.batch_size);
}

std::vector<std::vector<graph::Node>> GraphBatches::of_evaluation(const nn::Model& model,
                                                                  std::span<const graph::Node> items) const {
  const std::vector<Group> groups = groups_of(items);
  std::vector<std::vector<graph::Node>> parts;
  for (std::size_t begin = 0; begin < groups.size(); begin += kGraphsAtOnce) {
    const std::span<const Group> some =
        std::span(groups).subspan(begin, std::min(kGraphsAtOnce, groups.size() - begin));
    for (std::vector<graph::Node>& part : cut(model, some, kGraphsAtOnce)) parts.push_back(std::move(part));
  }
  return parts;
}

/// The features of the batch, without those of requested nodes that are masked.
void GraphBatches::fill_features(std::span<const graph::GraphIndex> members) {
  const auto rows = static_cast<Eigen::Index>(batch_.graphs.offsets.back());
  const Eigen::Index masked = options_.masked.columns;
  if (features_.is_sparse) {
    SparseMatrix part = sparse_rows(features_.sparse, all_, members, rows);
    if (masked > 0) hide_entries(batch_.rows, masked, part);
    batch_.sparse = std::make_unique<autograd::SparseInput>(part);
    return;
  }
  batch_.dense.resize(rows, features_.dense.cols());
  for (std::size_t i = 0; i < members.size(); ++i)
    batch_.dense.middleRows(batch_.graphs.offsets[i], batch_.graphs.offsets[i + 1] - batch_.graphs.offsets[i]) =
        features_.dense.middleRows(all_.offsets[members[i]], all_.offsets[members[i] + 1] - all_.offsets[members[i]]);
  if (masked == 0) return;
  for (const graph::Node row : batch_.rows) batch_.dense.row(row).head(masked).setZero();
}

std::vector<graph::Node> GraphBatches::fill_parts(std::span<const graph::GraphIndex> members) {
  const GraphParts& parts = options_.parts;
  std::vector<graph::Node> offsets = {0};
  batch_.weights.resize(static_cast<Eigen::Index>(members.size() * parts.of_each), 1);
  for (std::size_t i = 0; i < members.size(); ++i)
    for (std::size_t p = 0; p < parts.of_each; ++p) {
      const std::size_t part = members[i] * parts.of_each + p;
      offsets.push_back(offsets.back() + parts.offsets[part + 1] - parts.offsets[part]);
      batch_.weights(static_cast<Eigen::Index>(i * parts.of_each + p), 0) =
          (*parts.weights)(static_cast<Eigen::Index>(part), 0);
    }
  batch_.masks.emplace(nn::kComponents, graph::readout_mask(offsets));
  return offsets;
}

void GraphBatches::fill_batch(const nn::Model& model, std::span<const graph::GraphIndex> members) {
  batch_.graphs = graph::select(all_, members);
  batch_.masks.clear();
  const std::vector<graph::Node> parts = options_.parts.of_each > 0 ? fill_parts(members) : std::vector<graph::Node>();
  add_masks(model,
            {.edges = batch_.graphs.graph,
             .offsets = batch_.graphs.offsets,
             .grid_columns = options_.grid_columns,
             .part_offsets = parts,
             .parts = options_.parts.of_each},
            batch_.masks);
  if (const auto complete = batch_.masks.find("complete"); complete != batch_.masks.end() && options_.paths != nullptr)
    complete->second.edge_features = data::path_length_features(*options_.paths, members);
  if (model.uses_node_set(nn::kEdges)) batch_.edge_rows = graph::edge_rows(batch_.graphs.graph);
  if (options_.descriptors == nullptr) return;
  batch_.descriptors.resize(static_cast<Eigen::Index>(members.size()), options_.descriptors->cols());
  for (std::size_t i = 0; i < members.size(); ++i)
    batch_.descriptors.row(static_cast<Eigen::Index>(i)) = options_.descriptors->row(members[i]);
}

/// Finds the requested nodes in the batch.
void GraphBatches::fill_rows(std::span<const graph::GraphIndex> members, std::span<const graph::Node> items) {
  batch_.rows.clear();
  std::unordered_map<graph::GraphIndex, graph::Node> shifts;
  for (std::size_t i = 0; i < members.size(); ++i)
    shifts[members[i]] = batch_.graphs.offsets[i] - all_.offsets[members[i]];  // may wrap around
  for (const graph::Node item : items) {
    const auto next = std::ranges::upper_bound(all_.offsets, item);
    batch_.rows.push_back(item + shifts.at(static_cast<graph::GraphIndex>(next - all_.offsets.begin() - 1)));
  }
}

int GraphBatches::pair_features() const { return options_.paths == nullptr ? 0 : options_.paths->maximum + 2; }

std::vector<nn::NodeSetShape> GraphBatches::node_sets() const {
  std::vector<nn::NodeSetShape> sets;
  if (options_.descriptors != nullptr)
    sets.push_back({nn::kDescriptors, static_cast<int>(options_.descriptors->cols())});
  if (options_.parts.of_each > 0) sets.push_back({nn::kComponents, 1});
  return sets;
}

autograd::Variable GraphBatches::forward(nn::Model& model, const PassOptions& pass,
                                         std::span<const graph::Node> items) {
  std::vector<graph::GraphIndex> members;
  const std::vector<Group> groups = groups_of(items);
  for (const Group& group : groups) members.push_back(group.graph);
  fill_batch(model, members);
  if (options_.labelled == Labelled::nodes) fill_rows(members, items);
  fill_features(members);
  if (pass.is_training) check_column_count("sign columns", options_.sign_columns, features_);
  if (pass.is_training && options_.sign_columns > 0)
    data::flip_signs(batch_.dense.rightCols(options_.sign_columns), batch_.graphs.offsets,
                     random_key(pass.seed, Stream::shuffle, pass.step, 1));
  nn::ForwardContext context = make_context(pass, batch_.graphs.graph, batch_.masks);
  if (model.uses_node_set(nn::kEdges)) context.node_sets[nn::kEdges].dense = pass.tape.constant(batch_.edge_rows);
  if (options_.descriptors != nullptr)
    context.node_sets[nn::kDescriptors] = {.dense = pass.tape.constant(batch_.descriptors)};
  if (options_.parts.of_each > 0)
    context.node_sets[nn::kComponents] = {.dense = pass.tape.constant(batch_.weights)};
  nn::NodeRows rows;
  if (features_.is_sparse)
    rows.sparse.input = batch_.sparse.get();
  else
    rows.dense = pass.tape.constant(batch_.dense);
  const autograd::Variable outputs = model.forward(context, rows);
  if (options_.labelled == Labelled::graphs) return outputs;
  return autograd::select_rows(outputs, batch_.rows);
}

}  // namespace edgewise::train
