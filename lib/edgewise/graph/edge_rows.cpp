#include "edgewise/graph/edge_rows.hpp"

#include <utility>

namespace edgewise::graph {
namespace {

bool has_any_loop(const FrozenGraph& graph) {
  for (Node node = 0; node < graph.destination_count(); ++node)
    if (std::ranges::binary_search(graph.incoming.row(node), node)) return true;
  return false;
}

}  // namespace

EdgeRows::EdgeRows(const FrozenGraph& graph) : graph_(&graph) {
  check_same_nodes("sample", graph);
  const Matrix& features = graph.edge_features;
  EdgePiece piece{.offsets = graph.incoming.offsets, .columns = graph.incoming.columns};
  new (&piece.edge_features) ConstMatrixMap(features.data(), features.rows(), features.cols());
  pieces_.push_back(piece);
  boundaries_ = {0, static_cast<Node>(graph.destination_count())};
  has_loops_ = has_any_loop(graph);
}

EdgeRows::EdgeRows(std::vector<EdgePiece> pieces, const FreezeOptions& options)
    : pieces_(std::move(pieces)),
      adds_loops_(options.self_loops == AddSelfLoops::yes),
      keeps_loops_only_(options.kept == KeptEdges::self_loops),
      weight_is_feature_(options.weight_as_feature),
      weight_scale_(options.weight_scale) {
  EdgeIndex slots = 0;
  for (EdgePiece& piece : pieces_) {
    piece.first_slot = slots;
    slots += piece.columns.size();
    piece.halo_before = static_cast<Node>(std::ranges::lower_bound(piece.halo, piece.begin) - piece.halo.begin());
    boundaries_.push_back(piece.begin);
  }
  boundaries_.push_back(pieces_.back().begin + pieces_.back().rows());
}

EdgeRow EdgeRows::row(Node node) const {
  const EdgePiece& piece = piece_of(node);
  const EdgeIndex begin = piece.offsets[node - piece.begin], end = piece.offsets[node - piece.begin + 1];
  const auto stored = static_cast<std::uint32_t>(end - begin);
  EdgeRow row{.piece = &piece,
              .node = node,
              .begin = begin,
              .stored = stored,
              .own = stored,
              .is_loop_added = false,
              .low = 0,
              .inner = stored};
  if (has_loops_) find_own(row);
  return row;
}

void EdgeRows::find_own(EdgeRow& row) const {
  const EdgePiece& piece = *row.piece;
  const std::span<const Node> all = piece.columns.subspan(row.begin, row.stored);
  const auto count_below = [&](Node column) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(all, column) - all.begin());
  };
  row.inner = piece.halo.empty() ? row.stored : count_below(piece.rows());
  row.low = piece.halo_before == 0 ? 0 : count_below(piece.rows() + piece.halo_before) - row.inner;
  const std::uint32_t place = count_below(row.node - piece.begin);
  const bool is_there = place < row.inner && all[place] == row.node - piece.begin;
  if (keeps_loops_only_) {
    row.begin += place;
    row.stored = row.inner = is_there ? 1 : 0;
    row.low = 0;
  }
  row.is_loop_added = adds_loops_ && !is_there;
  row.own = is_there || row.is_loop_added ? (keeps_loops_only_ ? 0 : row.low + place) : row.stored;
}

double EdgeRows::weight_sum(Node node) const {
  std::vector<float> features(static_cast<std::size_t>(feature_count()));
  const EdgeRow row = this->row(node);
  double sum = 0;
  for (std::uint32_t k = 0; k < row.size(); ++k) {
    const EdgeIndex slot = row.slot(k);
    const bool is_added = edge(slot) == kAddedSelfLoop;
    if (!is_added) write_features(node, slot, features.data());
    sum += is_added ? 1.0F : features[0];
  }
  return sum;
}

Eigen::Index EdgeRows::feature_count() const {
  return pieces_.front().edge_features.cols() + (weight_is_feature_ ? 1 : 0);
}

void EdgeRows::write_stored(const EdgePiece& piece, EdgeIndex place, float* features) const {
  if (weight_is_feature_) {
    const float given = piece.weights.empty() ? 1.0F : piece.weights[place];
    *features++ = weight_scale_ ? (*weight_scale_)(given) : given;
  }
  const auto columns = piece.edge_features.cols();
  std::copy_n(piece.edge_features.data() + static_cast<Eigen::Index>(place) * columns, columns, features);
}

void EdgeRows::write_features(Node node, EdgeIndex slot, float* features) const {
  const EdgePiece& piece = piece_of(node);
  if (slot != EdgeRow::kAddedSlot) return write_stored(piece, slot - piece.first_slot, features);
  const Eigen::Index columns = feature_count();
  Eigen::Map<Eigen::RowVectorXf> mean(features, columns);
  mean.setZero();
  const EdgeRow row = this->row(node);
  if (row.stored == 0) return;
  Eigen::RowVectorXf one(columns);
  for (EdgeIndex place = row.begin; place < row.begin + row.stored; ++place) {
    write_stored(piece, place, one.data());
    mean += one;
  }
  mean /= static_cast<float>(row.stored);
}

StoredEdge EdgeRows::edge(EdgeIndex slot) const {
  if (slot == EdgeRow::kAddedSlot) return kAddedSelfLoop;
  return graph_ != nullptr ? graph_->edge[slot] : 0;
}

}  // namespace edgewise::graph
