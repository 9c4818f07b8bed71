#include "edgewise/attention/detail/sparse_edgewise.hpp"

#include <limits>

#include "edgewise/attention/detail/softmax_rows.hpp"
#include "edgewise/attention/detail/variant_inputs.hpp"

namespace edgewise::attention::detail {
namespace {

float* row_of(Matrix& matrix, EdgeIndex row) { return matrix.data() + row * static_cast<EdgeIndex>(matrix.cols()); }
const float* row_of(const Matrix& matrix, EdgeIndex row) {
  return matrix.data() + row * static_cast<EdgeIndex>(matrix.cols());
}

/// body(slot, destination) for every slot, rows in parallel.
template <class Body>
void for_each_slot(const graph::FrozenGraph& mask, Body&& body) {
  for_each_row(mask.incoming, mask.incoming_chunks, [&](Node row, RowSlots slots, std::size_t) {
    for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot) body(slot, row);
  });
}

/// to[slot] = from[the source of the slot]
void gather_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  to.resize(static_cast<Eigen::Index>(mask.slot_count()), from.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    std::copy_n(row_of(from, mask.incoming.columns[slot]), from.cols(), row_of(to, slot));
  });
}

/// to[slot] = from[the destination of the slot]
void gather_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  to.resize(static_cast<Eigen::Index>(mask.slot_count()), from.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node destination) {
    std::copy_n(row_of(from, destination), from.cols(), row_of(to, slot));
  });
}

/// to[destination] += the sum of from[slot] over its slots.
void add_to_destinations(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  for_each_slot(mask, [&](EdgeIndex slot, Node destination) {
    const float* row = row_of(from, slot);
    float* sum = row_of(to, destination);
    for (Eigen::Index i = 0; i < from.cols(); ++i) sum[i] += row[i];
  });
}

/// to[source] += the sum of from[slot] over its slots, through the transpose.
void add_to_sources(const graph::FrozenGraph& mask, const Matrix& from, Matrix& to) {
  for_each_row(mask.outgoing, mask.outgoing_chunks, [&](Node source, RowSlots positions, std::size_t) {
    float* sum = row_of(to, source);
    for (EdgeIndex position = positions.begin; position < positions.end; ++position) {
      const float* row = row_of(from, mask.outgoing_slot[position]);
      for (Eigen::Index i = 0; i < from.cols(); ++i) sum[i] += row[i];
    }
  });
}

float dot(const float* a, const float* b, int count) {
  Float8 sum{};
  int i = 0;
  for (; i + simd::kLanes <= count; i += simd::kLanes) sum += simd::load(a + i) * simd::load(b + i);
  if (i < count) sum += simd::load(a + i, count - i) * simd::load(b + i, count - i);
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}

/// out[slot, h] = a[slot, h, :] . b[slot, h, :]
void dot_heads(const graph::FrozenGraph& mask, const HeadShape& shape, const Matrix& a, const Matrix& b, Matrix& out) {
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    for (int h = 0; h < shape.heads; ++h)
      row_of(out, slot)[h] = dot(row_of(a, slot) + h * shape.width, row_of(b, slot) + h * shape.width, shape.width);
  });
}

/// out[slot, h, :] = rows[slot, h, :] * factors[slot, h]; `out` may be `rows`.
void scale_slots(const graph::FrozenGraph& mask, const HeadShape& shape, const Matrix& rows, const Matrix& factors,
                 Matrix& out) {
  out.resize(rows.rows(), rows.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    for (int h = 0; h < shape.heads; ++h) {
      const float factor = row_of(factors, slot)[h];
      const float* from = row_of(rows, slot) + h * shape.width;
      float* to = row_of(out, slot) + h * shape.width;
      for (int d = 0; d < shape.width; ++d) to[d] = from[d] * factor;
    }
  });
}

/// sums[slot] = queries[slot] + keys[slot]
void add_slots(const graph::FrozenGraph& mask, const Matrix& queries, const Matrix& keys, Matrix& sums) {
  sums.resize(queries.rows(), queries.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    const float* query = row_of(queries, slot);
    const float* key = row_of(keys, slot);
    float* sum = row_of(sums, slot);
    for (Eigen::Index i = 0; i < sums.cols(); ++i) sum[i] = query[i] + key[i];
  });
}

/// What becomes of the sums: score[slot, h] = attention_vector[h] . LeakyReLU(sums[slot, h]).
void gatv2_scores(const graph::FrozenGraph& mask, const HeadShape& shape, const AttentionInputs& inputs,
                  const Matrix& sums, Matrix& activated, Matrix& scores) {
  activated.resize(sums.rows(), sums.cols());
  for_each_slot(mask, [&](EdgeIndex slot, Node) {
    const float* from = row_of(sums, slot);
    float* to = row_of(activated, slot);
    for (int i = 0; i < shape.columns(); ++i) to[i] = from[i] * leaky_relu_slope(from[i], inputs.negative_slope);
    for (int h = 0; h < shape.heads; ++h)
      row_of(scores, slot)[h] =
          dot(to + h * shape.width, inputs.attention_vector.data() + h * shape.width, shape.width);
  });
}

/// gradients[slot, h, :] = those of the sums, from those of the scores; adds to a partial sum a chunk for the vector.
void gatv2_sum_gradients(const graph::FrozenGraph& mask, const HeadShape& shape, const AttentionInputs& inputs,
                         const Matrix& sums, const Matrix& score_gradients, Matrix& gradients, Matrix& partials) {
  for_each_row(mask.incoming, mask.incoming_chunks, [&](Node, RowSlots slots, std::size_t chunk) {
    float* partial = row_of(partials, chunk);
    for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot)
      for (int h = 0; h < shape.heads; ++h) {
        const int at = h * shape.width;
        const float of_score = row_of(score_gradients, slot)[h];
        const float* sum = row_of(sums, slot) + at;
        const float* vector = inputs.attention_vector.data() + at;
        float* gradient = row_of(gradients, slot) + at;
        for (int d = 0; d < shape.width; ++d) {
          const float through = of_score * leaky_relu_slope(sum[d], inputs.negative_slope);
          gradient[d] = through * vector[d];
          partial[at + d] += through * sum[d];
        }
      }
  });
}

}  // namespace

SparseEdgewise::SparseEdgewise(const graph::FrozenGraph& mask, const AttentionInputs& inputs, Purpose purpose)
    : mask_(mask), inputs_(inputs) {
  const auto slots = static_cast<Eigen::Index>(mask.slot_count());
  weights_.resize(slots, inputs.heads);
  if (purpose == Purpose::inference) return;
  weight_gradients_.resize(slots, inputs.heads);
  if (inputs.score == Score::gatv2)
    partials_.resize(static_cast<Eigen::Index>(mask.incoming_chunks.size()) - 1, columns_of(inputs));
}

void SparseEdgewise::forward(Matrix& output) {
  const HeadShape shape(inputs_.heads, inputs_.width);
  gather_destinations(mask_, inputs_.query, queries_);
  gather_sources(mask_, inputs_.key, keys_);
  if (!is_value_the_key(inputs_.score)) gather_sources(mask_, inputs_.value, values_);
  fill_scores();
  softmax();
  scale_slots(mask_, shape, is_value_the_key(inputs_.score) ? keys_ : values_, weights_, messages_);
  output.setZero();
  add_to_destinations(mask_, messages_, output);
}

void SparseEdgewise::fill_scores() {
  const HeadShape shape(inputs_.heads, inputs_.width);
  if (inputs_.score == Score::gatv2) {
    add_slots(mask_, queries_, keys_, sums_);
    return gatv2_scores(mask_, shape, inputs_, sums_, messages_, weights_);
  }
  if (inputs_.score == Score::additive) {
    add_slots(mask_, queries_, keys_, sums_);
    for_each_slot(mask_, [&](EdgeIndex slot, Node) {
      const float* sum = row_of(sums_, slot);
      for (int h = 0; h < shape.heads; ++h)
        row_of(weights_, slot)[h] = sum[h] * leaky_relu_slope(sum[h], inputs_.negative_slope);
    });
    return;
  }
  dot_heads(mask_, shape, queries_, keys_, weights_);
  const float scale = dot_product_scale(inputs_);
  for_each_slot(mask_, [&](EdgeIndex slot, Node) {
    for (int h = 0; h < shape.heads; ++h) row_of(weights_, slot)[h] *= scale;
  });
}

void SparseEdgewise::softmax() {
  const int heads = inputs_.heads;
  for_each_row(mask_.incoming, mask_.incoming_chunks, [&](Node, RowSlots slots, std::size_t) {
    if (slots.begin == slots.end) return;
    const int count = static_cast<int>(slots.end - slots.begin) * heads;
    float* rows = row_of(weights_, slots.begin);
    std::array<float, kMaximalHeads> maxima, sums;
    std::fill_n(maxima.data(), heads, -std::numeric_limits<float>::infinity());
    std::fill_n(sums.data(), heads, 0.0F);
    for (int i = 0; i < count; i += heads)
      for (int h = 0; h < heads; ++h) maxima[h] = std::max(maxima[h], rows[i + h]);
    for (int i = 0; i < count; i += heads)
      for (int h = 0; h < heads; ++h) rows[i + h] -= maxima[h];
    for (int i = 0; i < count; i += simd::kLanes) {
      const int lanes = std::min(simd::kLanes, count - i);
      simd::store(rows + i, simd::exp(simd::load(rows + i, lanes)), lanes);
    }
    for (int i = 0; i < count; i += heads)
      for (int h = 0; h < heads; ++h) sums[h] += rows[i + h];
    for (int i = 0; i < count; i += heads)
      for (int h = 0; h < heads; ++h) rows[i + h] /= sums[h];
  });
}

void SparseEdgewise::backward(const Matrix&, const Matrix& output_gradient, AttentionGradients& gradients) {
  const HeadShape shape(inputs_.heads, inputs_.width);
  const int heads = inputs_.heads;
  gather_destinations(mask_, output_gradient, messages_);
  dot_heads(mask_, shape, messages_, is_value_the_key(inputs_.score) ? keys_ : values_, weight_gradients_);
  scale_slots(mask_, shape, messages_, weights_, messages_);
  add_to_sources(mask_, messages_, value_of(gradients, inputs_.score));
  // Through the softmax, weight_gradients_ become those of the scores.
  for_each_row(mask_.incoming, mask_.incoming_chunks, [&](Node, RowSlots slots, std::size_t) {
    std::array<float, kMaximalHeads> sums;
    std::fill_n(sums.data(), heads, 0.0F);
    for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot)
      for (int h = 0; h < heads; ++h) sums[h] += row_of(weights_, slot)[h] * row_of(weight_gradients_, slot)[h];
    for (EdgeIndex slot = slots.begin; slot < slots.end; ++slot)
      for (int h = 0; h < heads; ++h) {
        float& gradient = row_of(weight_gradients_, slot)[h];
        gradient = row_of(weights_, slot)[h] * (gradient - sums[h]);
      }
  });
  add_score_gradients(gradients);
}

void SparseEdgewise::add_score_gradients(AttentionGradients& gradients) {
  const HeadShape shape(inputs_.heads, inputs_.width);
  if (inputs_.score == Score::dot_product) {
    const float scale = dot_product_scale(inputs_);
    for_each_slot(mask_, [&](EdgeIndex slot, Node) {
      for (int h = 0; h < shape.heads; ++h) row_of(weight_gradients_, slot)[h] *= scale;
    });
    scale_slots(mask_, shape, keys_, weight_gradients_, messages_);
    add_to_destinations(mask_, messages_, gradients.query);
    scale_slots(mask_, shape, queries_, weight_gradients_, messages_);
    return add_to_sources(mask_, messages_, gradients.key);
  }
  if (inputs_.score == Score::additive) {
    for_each_slot(mask_, [&](EdgeIndex slot, Node) {
      for (int h = 0; h < shape.heads; ++h)
        row_of(weight_gradients_, slot)[h] *= leaky_relu_slope(row_of(sums_, slot)[h], inputs_.negative_slope);
    });
    add_to_destinations(mask_, weight_gradients_, gradients.query);
    return add_to_sources(mask_, weight_gradients_, gradients.key);
  }
  partials_.setZero();
  gatv2_sum_gradients(mask_, shape, inputs_, sums_, weight_gradients_, messages_, partials_);
  add_to_destinations(mask_, messages_, gradients.query);
  add_to_sources(mask_, messages_, gradients.key);
  add_partials(partials_.data(), static_cast<std::size_t>(partials_.rows()), static_cast<std::size_t>(partials_.cols()),
               gradients.attention_vector.data());
}

}  // namespace edgewise::attention::detail
