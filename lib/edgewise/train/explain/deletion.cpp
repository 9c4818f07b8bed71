#include "edgewise/train/explain/deletion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/range/iterator_range.hpp>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>

#include "edgewise/core/error.hpp"
#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/select_rows.hpp"
#include "edgewise/graph/boost_graph.hpp"
#include "edgewise/graph/neighbourhood.hpp"
#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/molecule_parts.hpp"
#include "edgewise/train/explain/neutral_features.hpp"
#include "edgewise/train/source/graph_data.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"

namespace edgewise::train {
namespace {

using graph::Node;

constexpr std::size_t kNodesAtOnce = std::size_t{1} << 17;  // of a union

/// The range of the graph that `item` is, or is in; nothing if there is only one.
std::optional<std::pair<Node, Node>> graph_around(const Dataset& data, Node item) {
  if (data.graphs) return std::pair{data.graphs->offsets[item], data.graphs->offsets[item + 1]};
  if (!data.collection) return std::nullopt;
  const auto next = std::ranges::upper_bound(data.collection->offsets, item);
  return std::pair{*std::prev(next), *next};
}

/// The steps along edges that a kind of model sees; nothing: everything.
std::optional<std::size_t> sight_of(const TrainedModel& kind) {
  if (kind.refinement || kind.features.has_trees()) return std::nullopt;
  return kind.model.reach(/*is_training=*/false);
}

Matrix columns_from(const data::Features& features, Eigen::Index first) {
  const auto count = static_cast<Eigen::Index>(features.columns()) - first;
  if (count == 0) return Matrix(static_cast<Eigen::Index>(features.rows()), 0);
  if (!features.is_sparse) return features.dense.middleCols(first, count);
  return Matrix(features.sparse.middleCols(first, count));
}

void keep_first_columns(Eigen::Index count, data::Features& features) {
  if (static_cast<std::size_t>(count) == features.columns()) return;
  if (!features.is_sparse) {
    features.dense.conservativeResize(Eigen::NoChange, count);
    return;
  }
  features.sparse = SparseMatrix(features.sparse.middleCols(0, count));
}

/// The weights and features of `chosen` edges.
void copy_values(const graph::EdgeList& from, std::span<const graph::EdgeIndex> chosen, graph::EdgeList& to) {
  if (!from.weights.empty())
    for (const graph::EdgeIndex edge : chosen) to.weights.push_back(from.weights[edge]);
  to.feature_names = from.feature_names;
  to.features = from.features(chosen, Eigen::all);
}

/// Describes `count` times the same molecule of `descriptors`.
GraphDescriptors repeat(const GraphDescriptors& descriptors, Node item, std::size_t count) {
  GraphDescriptors same{.names = descriptors.names, .values = {}};
  if (descriptors.names.empty()) return same;
  same.values = descriptors.values.row(static_cast<Eigen::Index>(item)).replicate(static_cast<Eigen::Index>(count), 1);
  return same;
}

bool is_of_rdkit(const std::string& descriptor) {
  return descriptor.starts_with(fmt::format("{}: ", kRdkitDescriptors));
}

}  // namespace

Subject::Subject(ModelData& loaded, Node item) : loaded_(loaded), item_(item) {
  if (item >= loaded.data.items().size())
    throw UsageError(fmt::format("explain: item {}, but there are {}", item, loaded.data.items().size()));
  const Dataset& data = loaded.data;
  is_grid_ = data.collection && data.collection->grid_columns > 0;
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded.trained));
  for (const TrainedModel* kind : kinds) {
    is_one_by_one_ = is_one_by_one_ || kind->refinement.has_value();
    uses_molecule_ = uses_molecule_ || (data.graphs && data.graphs->are_molecules && kind->descriptors.columns() > 0);
  }
  find_nodes();
  find_edges();
  for (std::size_t i = 0; i < kinds.size(); ++i) inputs_.push_back(input_of(*kinds[i], loaded.inputs[i]));
}

void Subject::find_nodes() {
  const Dataset& data = loaded_.data;
  const std::pair everything{Node{0}, static_cast<Node>(data.graph.node_count())};
  const auto [begin, end] = graph_around(data, item_).value_or(everything);
  nodes_.resize(end - begin);
  std::iota(nodes_.begin(), nodes_.end(), begin);
  if (is_graph()) {
    virtual_nodes_ = data.reading.encodings.virtual_node && !nodes_.empty() ? 1 : 0;
    return;
  }
  std::vector<Node> seen;
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded_.trained));
  for (std::size_t i = 0; i < kinds.size() && !data.collection; ++i) {
    const std::optional<std::size_t> hops = sight_of(*kinds[i]);
    if (!hops) {
      seen.clear();
      break;
    }
    const Node seeds[] = {item_};
    std::ranges::copy(graph::neighbourhood(loaded_.inputs[i].graph, seeds, *hops).nodes, std::back_inserter(seen));
  }
  if (!seen.empty()) {
    std::ranges::sort(seen);
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    nodes_ = std::move(seen);
  }
  target_ = static_cast<Node>(std::ranges::lower_bound(nodes_, item_) - nodes_.begin());
}

/// The edges between `nodes_` that the graph kept of those the user gave.
void Subject::find_edges() {
  const graph::Graph& whole = loaded_.data.graph;
  const graph::BoostGraph& g = whole.boost();
  const auto place = [&](Node node) {
    const auto found = std::ranges::lower_bound(nodes_, node);
    return found != nodes_.end() && *found == node ? std::optional(static_cast<Node>(found - nodes_.begin()))
                                                    : std::nullopt;
  };
  for (const Node node : nodes_)
    for (const auto& arc : boost::make_iterator_range(boost::out_edges(node, g)))
      if (place(static_cast<Node>(boost::target(arc, g))))
        edges_.push_back(whole.edge_of_arc(boost::get(boost::edge_index, g, arc)));
  std::ranges::sort(edges_);
  edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  for (const graph::EdgeIndex edge : edges_)
    all_ends_.emplace_back(*place(whole.edges().sources[edge]), *place(whole.edges().targets[edge]));
  ends_ = all_ends_;  // those of a virtual node follow the user's
  const std::size_t own = nodes().size();
  std::erase_if(ends_, [&](const auto& ends) { return ends.first >= own || ends.second >= own; });
}

Subject::Input Subject::input_of(const TrainedModel& kind, const ModelInput& input) const {
  Input made;
  const FeatureMap& map = kind.features;
  const auto known = static_cast<Eigen::Index>(map.columns());
  const data::Features rows = data::select_rows(input.features, nodes_);
  made.labels = columns_from(rows, known);
  if (map.has_trees()) {
    made.own = data::select_rows(map.own(loaded_.data), nodes_);
  } else {
    made.own = rows;
    keep_first_columns(known, made.own);
  }
  made.neutral = neutral_row(map, loaded_.data, static_cast<Eigen::Index>(made.own.columns()));
  if (is_graph()) return made;
  for (FeatureColumns& columns : map.own_names(loaded_.data)) made.places.emplace(columns.name, columns);
  return made;
}

std::vector<Node> Subject::neighbours() const {
  std::vector<Node> found;
  if (is_graph()) return found;
  for (const ModelInput& input : loaded_.inputs)
    for (const Node source : input.graph.incoming.row(item_)) {
      if (source == item_) continue;
      const auto place = std::ranges::lower_bound(nodes_, source);
      if (place != nodes_.end() && *place == source) found.push_back(static_cast<Node>(place - nodes_.begin()));
    }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<std::string> Subject::features() const {
  if (is_graph()) {
    std::vector<std::string> used;
    for (const TrainedModel* kind : components_of(std::as_const(loaded_.trained)))
      for (const std::string& name : kind->descriptors.names())
        if (std::ranges::count(used, name) == 0) used.push_back(name);
    return used;
  }
  std::vector<std::string> names;
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded_.trained));
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (const FeatureColumns& columns : kinds[i]->features.own_names(loaded_.data))
      if (!are_neutral(inputs_[i].own, target_, columns, inputs_[i].neutral) &&
          std::ranges::count(names, columns.name) == 0)
        names.push_back(columns.name);
  return names;
}

std::vector<bool> Subject::kept_nodes(const Deletion& deletion) const {
  std::vector<bool> is_kept(nodes_.size(), true);
  for (const Node node : deletion.nodes) {
    if (node >= nodes().size() || (!is_graph() && node == target_))
      throw UsageError(fmt::format("explain: node {} cannot be deleted", node));
    is_kept[node] = is_grid_;
  }
  return is_kept;
}

Subject::PrunedGraphs Subject::remains(std::span<const Deletion> deletions) const {
  PrunedGraphs left;
  graph::EdgeList edges;
  std::vector<graph::EdgeIndex> chosen;
  for (const Deletion& deletion : deletions) {
    const std::vector<bool> is_kept = kept_nodes(deletion);
    std::vector<Node> place(nodes_.size());
    for (Node node = 0; node < nodes_.size(); ++node) {
      if (!is_kept[node]) continue;
      place[node] = static_cast<Node>(left.rows.size());
      left.rows.push_back(node);
    }
    std::vector<bool> is_cut(edges_.size(), false);
    for (const std::size_t edge : deletion.edges) is_cut.at(edge) = true;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto [source, target] = all_ends_[e];
      if (is_cut[e] || !is_kept[source] || !is_kept[target]) continue;
      edges.sources.push_back(place[source]);
      edges.targets.push_back(place[target]);
      chosen.push_back(edges_[e]);
    }
    left.offsets.push_back(static_cast<Node>(left.rows.size()));
    left.targets.push_back(is_graph() ? 0 : place[target_]);
  }
  const graph::Graph& whole = loaded_.data.graph;
  copy_values(whole.edges(), chosen, edges);
  left.data.name = loaded_.data.name;
  left.data.reading = loaded_.data.reading;
  left.data.graph = graph::Graph(names_of(left.rows), std::move(edges),
                                 {.direction = whole.direction(),
                                  .duplicates = graph::DuplicateEdges::keep_all,
                                  .self_loops = graph::SelfLoops::keep});
  describe(deletions, left);
  return left;
}

graph::NodeNames Subject::names_of(std::span<const Node> rows) const {
  if (!is_one_by_one_) return graph::NodeNames::numbered(rows.size());
  graph::NodeNames names;
  for (const Node row : rows) names.add(loaded_.data.graph.names()[nodes_[row]]);
  return names;
}

/// What `left.data` says about its graphs.
void Subject::describe(std::span<const Deletion> deletions, PrunedGraphs& left) const {
  const Dataset& whole = loaded_.data;
  if (whole.collection || (!is_graph() && !is_one_by_one_)) {
    Collection& collection = left.data.collection.emplace();
    collection.offsets = left.offsets;
    collection.grid_columns = whole.collection ? whole.collection->grid_columns : 0;
  }
  if (!is_graph()) return;
  GraphItems& graphs = left.data.graphs.emplace();
  graphs.offsets = left.offsets;
  graphs.names = graph::NodeNames::numbered(deletions.size());
  graphs.problems.resize(deletions.size());
  graphs.are_molecules = whole.graphs->are_molecules;
  graphs.are_reactions = whole.graphs->are_reactions;
  if (whole.graphs->mixtures) graphs.mixtures = remaining_parts(left);
  graphs.sign_columns = whole.graphs->sign_columns;
  if (whole.has_paths())
    graphs.paths = data::shortest_paths(left.data.graph, left.offsets, whole.graphs->paths.maximum);
  graphs.descriptors = repeat(whole.graphs->descriptors, item_, deletions.size());
  if (uses_molecule_) {
    for (const Deletion& deletion : deletions) graphs.smiles.push_back(rest_of(deletion));
    set_descriptors(graphs.smiles, graphs.descriptors);
  }
  for (std::size_t i = 0; i < deletions.size(); ++i)
    for (const std::string& feature : deletions[i].features)
      for (std::size_t c = 0; c < graphs.descriptors.names.size(); ++c)
        if (graphs.descriptors.names[c] == feature)
          graphs.descriptors.values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)) =
              std::numeric_limits<float>::quiet_NaN();  // which becomes the mean
}

/// The parts of the graphs, with the shares that they have in the whole.
MixtureItems Subject::remaining_parts(const PrunedGraphs& left) const {
  const MixtureItems& whole = *loaded_.data.graphs->mixtures;
  const std::size_t count = whole.size(), first = item_ * count;
  MixtureItems made{.names = whole.names, .is_sum = whole.is_sum};
  const auto graphs = static_cast<Eigen::Index>(left.offsets.size() - 1);
  made.shares = whole.shares.middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count))
                    .replicate(graphs, 1);
  for (std::size_t g = 0; g + 1 < left.offsets.size(); ++g)
    for (std::size_t part = 1; part <= count; ++part) {
      const graph::Node end = whole.offsets[first + part] - whole.offsets[first];
      const std::span rows = std::span(left.rows).subspan(left.offsets[g], left.offsets[g + 1] - left.offsets[g]);
      made.offsets.push_back(left.offsets[g] +
                             static_cast<graph::Node>(std::ranges::lower_bound(rows, end) - rows.begin()));
    }
  return made;
}

/// The same of several molecules; empty if RDKit makes none of one, or if hydrogens are atoms, which texts do not have.
std::string Subject::rest_of_mixture(std::span<const Node> atoms, std::span<const std::pair<Node, Node>> bonds) const {
  const MixtureItems& whole = *loaded_.data.graphs->mixtures;
  if (loaded_.data.reading.hydrogens) return "";
  io::MixtureText mixture = io::split_mixture(loaded_.data.graphs->smiles[item_]);
  const auto first = whole.offsets.begin() + static_cast<std::ptrdiff_t>(item_ * whole.size());
  for (std::size_t part = 0; part < whole.size(); ++part) {
    const Node begin = first[part] - first[0], end = first[part + 1] - first[0];
    const auto is_here = [&](Node atom) { return atom >= begin && atom < end; };
    std::vector<Node> own;
    std::vector<std::pair<Node, Node>> cut;
    for (const Node atom : atoms)
      if (is_here(atom)) own.push_back(atom - begin);
    for (const auto& [one, other] : bonds)
      if (is_here(one)) cut.emplace_back(one - begin, other - begin);
    if (own.empty() && cut.empty()) continue;
    std::string& smiles = mixture.parts[part].smiles;
    smiles = io::without_parts(smiles, own, cut);
    if (smiles.empty()) return "";
  }
  return io::write_mixture(mixture.parts, mixture.is_sum);
}

/// The molecule without what is deleted; as it is if RDKit makes none of that.
std::string Subject::rest_of(const Deletion& deletion) const {
  const std::string& whole = loaded_.data.graphs->smiles[item_];
  if (deletion.nodes.empty() && deletion.edges.empty()) return whole;
  std::vector<std::pair<Node, Node>> bonds;
  for (const std::size_t edge : deletion.edges) bonds.push_back(ends_.at(edge));
  std::string rest = loaded_.data.graphs->mixtures ? rest_of_mixture(deletion.nodes, bonds)
                                                   : io::without_parts(whole, deletion.nodes, bonds);
  return rest.empty() ? whole : rest;
}

void Subject::set_descriptors(std::span<const std::string> smiles, GraphDescriptors& descriptors) const {
  const auto first = std::ranges::find_if(descriptors.names, is_of_rdkit);
  if (first == descriptors.names.end()) return;
  const Matrix values = rdkit_values(*loaded_.data.graphs, smiles);
  descriptors.values.middleCols(first - descriptors.names.begin(), values.cols()) = values;
}

ModelInput Subject::model_input(const TrainedModel& kind, const Input& input, std::span<const Deletion> deletions,
                                const PrunedGraphs& left) const {
  data::Features own = data::select_rows(input.own, left.rows);
  for (std::size_t i = 0; i < deletions.size(); ++i) {
    if (is_grid_)
      for (const Node node : deletions[i].nodes)
        make_neutral(left.offsets[i] + node, {.name = {}, .first = 0, .count = input.neutral.cols()}, input.neutral,
                     own);
    if (is_graph()) continue;
    for (const std::string& feature : deletions[i].features)
      if (const auto place = input.places.find(feature); place != input.places.end())
        make_neutral(left.targets[i], place->second, input.neutral, own);
  }
  ModelInput made{.features = kind.features.through_trees(left.data, std::move(own)),
                  .descriptors = kind.descriptors.apply(left.data),
                  .graph = graph::freeze(left.data.graph, kind.model.graph_options())};
  if (input.labels.cols() > 0) data::append_columns(input.labels(left.rows, Eigen::all), made.features);
  return made;
}

Matrix Subject::predict_remains(std::span<const Deletion> deletions) {
  const PrunedGraphs left = remains(deletions);
  const std::vector<const TrainedModel*> kinds = components_of(std::as_const(loaded_.trained));
  std::vector<ModelInput> inputs;
  for (std::size_t i = 0; i < kinds.size(); ++i)
    inputs.push_back(model_input(*kinds[i], inputs_[i], deletions, left));
  const Matrix all = train::predict(loaded_.trained, left.data, inputs);
  return is_graph() ? all : Matrix(all(left.targets, Eigen::all));
}

Matrix Subject::predict_replacements(std::span<const Deletion> deletions) {
  DataConfig reading = loaded_.data.reading;
  reading.descriptors.clear();  // described below, for the columns of the table, too
  std::vector<std::string> replacements;
  for (const Deletion& deletion : deletions) replacements.push_back(deletion.replacement);
  Dataset rows = molecule_rows(reading, std::move(replacements), loaded_.data.name);
  Dataset made = make_molecules(rows, 0, deletions.size());
  made.reading = loaded_.data.reading;
  made.graphs->descriptors = repeat(loaded_.data.graphs->descriptors, item_, deletions.size());
  set_descriptors(made.graphs->smiles, made.graphs->descriptors);
  Matrix values = train::predict(loaded_.trained, made, make_inputs(loaded_.trained, made));
  fill_rows_with_nan(rows.graphs->problems, values);
  return values;
}

Matrix Subject::predict(std::span<const Deletion> deletions) {
  Matrix values(static_cast<Eigen::Index>(deletions.size()),
                static_cast<Eigen::Index>(loaded_.trained.label_names.size()));
  const std::size_t most = is_one_by_one_ ? 1 : 1 + kNodesAtOnce / (nodes_.size() + 1);
  for (std::size_t begin = 0; begin < deletions.size();) {
    const bool is_replaced = !deletions[begin].replacement.empty();
    std::size_t end = begin + 1;
    while (end < deletions.size() && end - begin < most && deletions[end].replacement.empty() != is_replaced) ++end;
    const std::span<const Deletion> some = deletions.subspan(begin, end - begin);
    values.middleRows(static_cast<Eigen::Index>(begin), static_cast<Eigen::Index>(some.size())) =
        is_replaced ? predict_replacements(some) : predict_remains(some);
    begin = end;
  }
  return values;
}

}  // namespace edgewise::train
