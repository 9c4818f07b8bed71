#pragma once

#include "edgewise/attention/detail/pair_mask.hpp"
#include "edgewise/attention/detail/tile_scores.hpp"
#include "edgewise/attention/variants.hpp"

namespace edgewise::attention::detail {

/// All pairs with an online softmax over tiles of 64 destinations and as many sources (FlashAttention, Dao et al.
/// 2022): nothing of the size [destinations, sources] but a bit a pair, and tiles without any pair are skipped. The
/// backward pass makes the weights again from the log-sum-exp, once: in each of kGroups rounds a group of destinations
/// meets another group of sources, so that no two threads add to the same gradient and the order of the sums is fixed.
class DenseTiled {
 public:
  DenseTiled(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose);

  void forward(Matrix& output);
  /// Adds to `gradients`.
  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients);

 private:
  struct Tile;

  HeadRows keys(int head, std::size_t first_source) const;
  HeadRows values(int head, std::size_t first_source) const;
  /// Calls body(score) with the score of a head as pair_rows takes it, for sources from `first_source` on.
  template <class Body>
  void with_score(int head, std::size_t first_source, Body&& body) const;
  float packed_factor() const;
  std::size_t tiles() const { return pairs_.groups(); }
  std::size_t source_tiles() const;
  int destinations_of(std::size_t tile) const;
  bool is_occupied(std::size_t tile, std::size_t source_tile) const;

  void pack_inputs();
  void prepare_gatv2();
  void forward_tile(int head, std::size_t tile, Matrix& output);
  void pack(int head, std::size_t tile, const Matrix& output);
  void backward_group(int head, std::size_t group, std::size_t source_group, AttentionGradients& gradients);
  void backward_tile(const Tile& tile, AttentionGradients& gradients);
  void add_score_gradients(const Tile& tile, AttentionGradients& gradients);
  void finish_gradients(int head, AttentionGradients& gradients);
  void finish_gatv2_gradients(int head, AttentionGradients& gradients);

  const AttentionInputs& inputs_;
  bool is_training_;
  std::size_t destinations_;
  std::size_t sources_;
  PairMask pairs_;                      ///< A row a source, a column a destination.
  std::vector<std::uint8_t> occupied_;  ///< [tiles, source tiles]
  HeadMajor keys_;
  HeadMajor values_;  ///< Not for GATv2.
  Matrix factors_;                      ///< GATv2: as Gatv2Score has them, [1, heads * width] and [heads, sources].
  Matrix offsets_;
  // For the backward pass; the packed ones are [heads * tiles * columns, 64], the others [heads * tiles, 64].
  HeadMajor queries_;
  HeadMajor output_gradients_;
  Matrix log_sum_exp_;
  Matrix dot_;
  Matrix packed_query_;
  Matrix packed_gradient_;
  Matrix packed_query_gradient_;
  Matrix above_;      ///< GATv2, as the source's side of WhereAbove, [sources, heads * width].
  Matrix key_sums_;   ///< GATv2: score gradients of each source, [sources, heads] ...
  Matrix query_sums_; ///< ... and of each destination, [heads * tiles, 64].
};

template <class Body>
void DenseTiled::with_score(int head, std::size_t first_source, Body&& body) const {
  switch (inputs_.score) {
    case Score::additive: return body(AdditiveScore{inputs_.negative_slope});
    case Score::dot_product: return body(DotProductScore());
    case Score::gatv2:
      return body(Gatv2Score{factors_.data() + head * inputs_.width,
                             offsets_.data() + static_cast<std::size_t>(head) * sources_ + first_source});
  }
}

}  // namespace edgewise::attention::detail
