#include "edgewise/report/item_places.hpp"

#include "edgewise/core/principal_components.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/force_layout.hpp"

namespace edgewise::report {
namespace {

/// Whether nodes are the items, and few enough to draw the network itself.
bool is_small_network(const train::Dataset& data) {
  const bool has_node_items = !data.has_many_graphs() && !data.pairs && !data.links && !data.edges && !data.frozen;
  return has_node_items && data.graph.edge_count() > 0 && data.graph.node_count() <= kMostPlaces;
}

/// At most `most` of the items, drawn by lot, in their order (Knuth, The Art of Computer Programming 2, algorithm S).
std::vector<graph::Node> drawn(const std::vector<graph::Node>& items, std::size_t most) {
  if (items.size() <= most) return items;
  Random random(1, Stream::generate);
  std::vector<graph::Node> sample;
  for (std::size_t i = 0; sample.size() < most; ++i)
    if (random.below(items.size() - i) < most - sample.size()) sample.push_back(items[i]);
  return sample;
}

/// Embeddings may hold features as they were given to trees, of which some are missing: these count as 0.
Matrix without_gaps(const Matrix& rows) { return rows.array().isFinite().select(rows, 0.0F); }

}  // namespace

std::optional<ItemPlaces> item_places(const train::Dataset& data, const std::vector<graph::Node>& predicted,
                                      const Embed& embed) {
  const bool is_network = is_small_network(data);
  if (predicted.empty() || (!is_network && !embed)) return std::nullopt;
  ItemPlaces result{.items = drawn(predicted, kMostPlaces),
                    .places = {},
                    .is_network = is_network,
                    .predicted = predicted.size()};
  result.places =
      is_network ? graph::force_layout(data.graph) : principal_components(without_gaps(embed(result.items)), 2);
  graph::fill_unit_square(result.places);
  return result;
}

std::optional<ItemPlaces> item_places(const train::Dataset& data, const Matrix& predictions, const Embed& embed) {
  const bool are_of_labels = predictions.rows() == static_cast<Eigen::Index>(data.items().size()) &&
                             predictions.cols() == static_cast<Eigen::Index>(data.labels.names.size());
  if (!are_of_labels || data.pairs || data.links || data.frozen) return std::nullopt;
  std::vector<graph::Node> predicted;
  for (Eigen::Index item = 0; item < predictions.rows(); ++item)
    if (predictions.row(item).allFinite()) predicted.push_back(static_cast<graph::Node>(item));
  return item_places(data, predicted, embed);
}

}  // namespace edgewise::report
