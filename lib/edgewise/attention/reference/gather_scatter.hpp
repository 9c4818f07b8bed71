#pragma once

#include "edgewise/attention/implementation.hpp"
#include "edgewise/attention/normalisers/row_statistics.hpp"
#include "edgewise/attention/reference/edge_rows.hpp"
#include "edgewise/attention/reference/policies.hpp"

namespace edgewise::attention::reference {

/// The usual pipeline of graph libraries, one edge at a time: the rows of both ends are gathered for every edge,
/// scored, normalised over the edges of a destination, weighted and summed. Each step is a pass over [slots, ...], and
/// training keeps what the gradients need. Sums over the edges of a source go through the transpose.
template <class ScorePolicy, class NormaliserPolicy>
class GatherScatter final : public Implementation {
 public:
  GatherScatter(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
      : mask_(mask), inputs_(inputs), score_(inputs.options, inputs.width) {
    const auto slots = static_cast<Eigen::Index>(mask.slot_count());
    row_statistics_.resize(static_cast<Eigen::Index>(mask.destination_count()), inputs.heads);
    weights_.resize(slots, inputs.heads);
    if (kReadsScore) scores_.resize(slots, inputs.heads);
    if (purpose == Purpose::inference) return;
    weight_gradients_.resize(slots, inputs.heads);
    if (ScorePolicy::kHasVector)
      partials_.resize(static_cast<Eigen::Index>(mask.incoming_chunks.size()) - 1, inputs.heads * inputs.width);
  }

  void forward(Matrix& output) override {
    gather_destinations(mask_, inputs_.query, queries_);
    gather_sources(mask_, inputs_.key, keys_);
    if (!ScorePolicy::kValueIsKey) gather_sources(mask_, inputs_.value, values_);
    fill_scores();
    normalise();
    scale_heads(mask_, inputs_.heads, values(), weights_, messages_);
    output.setZero();
    add_to_destinations(mask_, messages_, output);
  }

  void backward(const Matrix& output, const Matrix& output_gradient, AttentionGradients& gradients) override {
    // Forward was output[v] = the sum of weight * value[u].
    gather_destinations(mask_, output_gradient, messages_);
    dot_heads(mask_, inputs_.heads, messages_, values(), weight_gradients_);
    scale_heads(mask_, inputs_.heads, messages_, weights_, messages_);
    add_to_sources(mask_, messages_, value_of<ScorePolicy>(gradients));
    fill_score_gradients(output, output_gradient);
    add_score_gradients(gradients);
  }

 private:
  using Float8 = simd::Float8;
  static constexpr bool kReadsScore = kReadsScores<ScorePolicy, NormaliserPolicy>;

  const Matrix& values() const { return ScorePolicy::kValueIsKey ? keys_ : values_; }
  Matrix& scores() { return kReadsScore ? scores_ : weights_; }

  /// score[slot, h] = activate(scale * the sum over d of vector[h, d] * value(query[slot, h, d], key[slot, h, d]))
  void fill_scores() {
    Matrix& out = scores();
    for_each_row(mask_.incoming, mask_.incoming_chunks, [&](Node, EdgeIndex begin, EdgeIndex end, std::size_t) {
      for (EdgeIndex slot = begin; slot < end; ++slot)
        for (int h = 0; h < inputs_.heads; ++h)
          row_of(out, slot)[h] = score_.activate(score_.scale * sum_of_columns(slot, h));
    });
  }

  float sum_of_columns(EdgeIndex slot, int head) const {
    const int width = score_width<ScorePolicy>(inputs_);
    const float* const query = row_of(queries_, slot) + head * width;
    const float* const key = row_of(keys_, slot) + head * width;
    if constexpr (ScorePolicy::kIsPerHead) return score_.value(*query, *key);
    const auto factors = ColumnFactors<ScorePolicy>::of(inputs_, head);
    Float8 sum{};
    int d = 0;
    for (; d + simd::kLanes <= width; d += simd::kLanes)
      sum += factors.times(d, simd::kLanes, score_.value(simd::load(query + d), simd::load(key + d)));
    if (const int rest = width - d; rest > 0) {
      const Float8 values = score_.value(simd::load(query + d, rest), simd::load(key + d, rest));
      sum += factors.times(d, rest, simd::first_lanes(values, rest, Float8{}));
    }
    return lane_sum(sum);
  }

  /// Computes the weights from the scores and the row statistics, which are gathered for every slot.
  void normalise() {
    if constexpr (NormaliserPolicy::kSumsToOne)
      log_sum_exp(mask_, scores(), row_statistics_);
    else
      for (Node v = 0; v < mask_.destination_count(); ++v)
        row_statistics_.row(v).setConstant(
            1.0F / static_cast<float>(mask_.incoming.offsets[v + 1] - mask_.incoming.offsets[v]));
    gather_destinations(mask_, row_statistics_, rows_);
    const float* const scores = this->scores().data();
    for_each_block(static_cast<std::size_t>(weights_.size()), [&](std::size_t i, int count) {
      const Float8 weight = NormaliserPolicy::weight(simd::load(scores + i, count),
                                                     RowStatistics<Float8>{simd::load(rows_.data() + i, count), {}});
      simd::store(weights_.data() + i, weight, count);
    });
  }

  /// Turns weight_gradients_ into the gradients of x, where score = activate(x).
  void fill_score_gradients(const Matrix& output, const Matrix& output_gradient) {
    row_deltas_.resize(output.rows(), inputs_.heads);
    for (int h = 0; h < inputs_.heads; ++h) {
      const auto head = Eigen::seqN(h * inputs_.width, inputs_.width);
      row_deltas_.col(h) = output(Eigen::all, head).cwiseProduct(output_gradient(Eigen::all, head)).rowwise().sum();
    }
    gather_destinations(mask_, row_deltas_, deltas_);
    for_each_block(static_cast<std::size_t>(weights_.size()), [&](std::size_t i, int count) {
      const auto load = [&](const Matrix& from) { return simd::load(from.data() + i, count); };
      const Float8 score = kReadsScore ? load(scores_) : Float8{};
      const Float8 gradient = NormaliserPolicy::gradient(score, load(weights_), load(weight_gradients_),
                                                         RowStatistics<Float8>{load(rows_), load(deltas_)});
      simd::store(weight_gradients_.data() + i, score_.scale * score_.through(score, gradient), count);
    });
  }

  /// From the gradients of x: sums those of the queries directly and sends those of the keys as messages to the
  /// sources.
  void add_score_gradients(AttentionGradients& gradients) {
    Matrix& messages = ScorePolicy::kIsPerHead ? weight_gradients_ : messages_;
    partials_.setZero();
    for_each_row(mask_.incoming, mask_.incoming_chunks,
                 [&](Node destination, EdgeIndex begin, EdgeIndex end, std::size_t chunk) {
                   float* const query = row_of(gradients.query, destination);
                   float* const vector = partials_.data() + chunk * static_cast<std::size_t>(partials_.cols());
                   for (EdgeIndex slot = begin; slot < end; ++slot)
                     for (int h = 0; h < inputs_.heads; ++h) {
                       const int at = h * score_width<ScorePolicy>(inputs_);
                       slot_gradients(slot, h, query + at, row_of(messages, slot) + at,
                                      ScorePolicy::kHasVector ? vector + at : nullptr);
                     }
                 });
    add_to_sources(mask_, messages, gradients.key);
    for (Eigen::Index chunk = 0; chunk < partials_.rows(); ++chunk)
      gradients.attention_vector += partials_.row(chunk);
  }

  void slot_gradients(EdgeIndex slot, int head, float* query_gradient, float* message, float* vector_gradient) {
    const int width = score_width<ScorePolicy>(inputs_);
    const float of_x = row_of(weight_gradients_, slot)[head];
    const float* const query = row_of(queries_, slot) + head * width;
    const float* const key = row_of(keys_, slot) + head * width;
    if constexpr (ScorePolicy::kIsPerHead) {
      const ColumnGradient<float> gradient = score_.gradient(*query, *key, of_x);
      *query_gradient += gradient.query;
      *message = gradient.key;
      return;
    }
    const auto factors = ColumnFactors<ScorePolicy>::of(inputs_, head);
    for (int d = 0; d < width; d += simd::kLanes) {
      const int count = std::min(simd::kLanes, width - d);
      const auto load = [&](const float* from) {
        return count == simd::kLanes ? simd::load(from + d) : simd::load(from + d, count);
      };
      const auto store = [&](float* to, Float8 value) {
        count == simd::kLanes ? simd::store(to + d, value) : simd::store(to + d, value, count);
      };
      const ColumnGradient<Float8> gradient = score_.gradient(load(query), load(key), simd::broadcast(of_x));
      store(query_gradient, load(query_gradient) + factors.times(d, count, gradient.query));
      store(message, factors.times(d, count, gradient.key));
      if (ScorePolicy::kHasVector) store(vector_gradient, load(vector_gradient) + gradient.vector);
    }
  }

  const graph::FrozenGraph& mask_;
  const AttentionInputs& inputs_;
  ScorePolicy score_;
  // [slots, heads * width], except that the queries and keys of a per-head score are [slots, heads].
  Matrix queries_;   ///< Of each slot's destination.
  Matrix keys_;      ///< Of each slot's source.
  Matrix values_;    ///< The same; not filled if the value is the key.
  Matrix messages_;  ///< Weighted values; later gradients.
  // [slots, heads]
  Matrix scores_;  ///< Only if the backward pass reads them.
  Matrix weights_;
  Matrix weight_gradients_;  ///< Later those of x.
  Matrix rows_, deltas_;     ///< row_statistics_ and row_deltas_ of each slot's destination.
  // [destinations, heads]: see RowStatistics.
  Matrix row_statistics_, row_deltas_;
  Matrix partials_;  ///< Partial sums of the attention vector's gradient, [incoming chunks, heads * width].
};

}  // namespace edgewise::attention::reference
