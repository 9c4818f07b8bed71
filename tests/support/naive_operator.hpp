#pragma once

#include <cmath>
#include <vector>

#include "edgewise/attention/fused/kernels.hpp"
#include "edgewise/core/random.hpp"
#include "support/gradient_check.hpp"
#include "support/naive_attention.hpp"

/// The whole operator in double, one edge at a time: every score and normaliser, edge features and dropout, forward and
/// backward.
namespace edgewise::test {

using attention::Parts;

struct OperatorOptions {
  attention::Score score = attention::Score::dot_product;
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  int heads = 1;
  int width = 1;
  attention::ScoreOptions of_score{};
  attention::WeightDropout dropout{};
};

class NaiveOperator {
 public:
  NaiveOperator(const graph::FrozenGraph& mask, const OperatorOptions& options) : mask_(mask), options_(options) {}

  MatrixXd weights;  ///< [slots, heads], before dropout, of the last `forward`.

  MatrixXd forward(Parts<MatrixXd>& in) {
    const auto slots = static_cast<Eigen::Index>(mask_.slot_count());
    scores_ = weights = dropped_ = MatrixXd::Zero(slots, options_.heads);
    MatrixXd output =
        MatrixXd::Zero(static_cast<Eigen::Index>(mask_.destination_count()), options_.heads * options_.width);
    for_each_edge(
        [&](Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) { scores_(k, h) = activate(x(in, u, v, k, h)); });
    for (graph::Node v = 0; v < mask_.destination_count(); ++v)
      for (int h = 0; h < options_.heads; ++h) normalise(v, h);
    for_each_edge([&](Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) {
      dropped_(k, h) = weights(k, h) * factor(k, h);
      for (int c = first(h); c < first(h + 1); ++c) output(v, c) += dropped_(k, h) * value(in, u, k, c);
    });
    return output;
  }

  /// Calls at_kink(v, c) for each number query(v, c) that brings an argument of LeakyReLU or ReLU within `distance` of
  /// 0, where gradients jump.
  template <class AtKink>
  void for_each_kink(const Parts<MatrixXd>& in, double distance, const AtKink& at_kink) const {
    for_each_edge([&](Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) {
      if ((is_gat() || options_.normaliser == attention::Normaliser::relu) &&
          std::abs(x(in, u, v, k, h)) < distance)
        at_kink(v, is_gat() ? h : first(h));
      if (options_.score != attention::Score::gatv2) return;
      for (int c = first(h); c < first(h + 1); ++c)
        if (std::abs(in.query(v, c) + in.key(u, c) + edge_term(in.edge_weight, k, c)) < distance) at_kink(v, c);
    });
  }

  /// To be called after `forward`, with the gradient of its output.
  Parts<MatrixXd> backward(Parts<MatrixXd>& in, const MatrixXd& gradient) {
    Parts<MatrixXd> out;
    const auto from = in.all();
    for (std::size_t i = 0; i < from.size(); ++i) *out.all()[i] = MatrixXd::Zero(from[i]->rows(), from[i]->cols());
    MatrixXd of_weights = MatrixXd::Zero(weights.rows(), weights.cols());
    MatrixXd sums = MatrixXd::Zero(gradient.rows(), options_.heads);
    for_each_edge([&](Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) {
      for (int c = first(h); c < first(h + 1); ++c) {
        out.value(u, c) += dropped_(k, h) * gradient(v, c);
        add_edge_gradient(out.value_edge_weight, k, c, dropped_(k, h) * gradient(v, c));
        of_weights(k, h) += factor(k, h) * value(in, u, k, c) * gradient(v, c);
      }
      sums(v, h) += weights(k, h) * of_weights(k, h);
    });
    for_each_edge([&](Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) {
      const double score = scores_(k, h);
      double g = of_weights(k, h);
      if (options_.normaliser == attention::Normaliser::softmax) g = weights(k, h) * (g - sums(v, h));
      if (options_.normaliser == attention::Normaliser::relu) g = score > 0 ? g / edges_of(v) : 0;
      if (options_.score == attention::Score::gat && score <= 0)
        g *= static_cast<double>(options_.of_score.negative_slope);
      add_edge_gradient(out.edge_bias, k, h, g);
      add_columns(in, out, u, v, k, h, g);
    });
    return out;
  }

 private:
  template <class Body>
  void for_each_edge(const Body& body) const {
    for (graph::Node v = 0; v < mask_.destination_count(); ++v)
      for (auto k = mask_.incoming.offsets[v]; k < mask_.incoming.offsets[v + 1]; ++k)
        for (int h = 0; h < options_.heads; ++h)
          body(static_cast<Eigen::Index>(mask_.incoming.columns[k]), static_cast<Eigen::Index>(v),
               static_cast<Eigen::Index>(k), h);
  }

  int first(int head) const { return head * options_.width; }
  bool is_gat() const { return options_.score == attention::Score::gat; }
  double edges_of(Eigen::Index v) const {
    const auto row = static_cast<std::size_t>(v);
    return static_cast<double>(mask_.incoming.offsets[row + 1] - mask_.incoming.offsets[row]);
  }
  double factor(Eigen::Index slot, int head) const {
    if (options_.dropout.probability == 0) return 1;
    const auto element = static_cast<std::uint32_t>(slot * options_.heads + head);
    const bool is_kept = random_bits(options_.dropout.key, element) >= dropout_threshold(options_.dropout.probability);
    return is_kept ? 1 / (1 - static_cast<double>(options_.dropout.probability)) : 0;
  }
  double edge_term(const MatrixXd& weight, Eigen::Index slot, int column) const {
    double sum = 0;
    for (Eigen::Index f = 0; f < weight.rows(); ++f)
      sum += static_cast<double>(mask_.edge_features(slot, f)) * weight(f, column);
    return sum;
  }
  void add_edge_gradient(MatrixXd& weight, Eigen::Index slot, int column, double gradient) const {
    for (Eigen::Index f = 0; f < weight.rows(); ++f)
      weight(f, column) += static_cast<double>(mask_.edge_features(slot, f)) * gradient;
  }
  double value(const Parts<MatrixXd>& in, Eigen::Index u, Eigen::Index slot, int c) const {
    return in.value(u, c) + edge_term(in.value_edge_weight, slot, c);
  }
  double leaky(double x) const { return x > 0 ? x : x * static_cast<double>(options_.of_score.negative_slope); }
  double activate(double x) const { return is_gat() ? leaky(x) : x; }
  double vector(const Parts<MatrixXd>& in, int c) const {
    if (options_.score == attention::Score::dot_product)
      return options_.of_score.scale ? 1 / std::sqrt(static_cast<double>(options_.width)) : 1;
    return in.attention_vector.size() > 0 ? in.attention_vector(0, c) : 1;
  }

  double x(const Parts<MatrixXd>& in, Eigen::Index u, Eigen::Index v, Eigen::Index k, int h) const {
    double sum = edge_term(in.edge_bias, k, h);
    if (is_gat()) return sum + in.query(v, h) + in.key(u, h);
    for (int c = first(h); c < first(h + 1); ++c) {
      const double query = in.query(v, c), key = in.key(u, c) + edge_term(in.edge_weight, k, c);
      double term = query * key;
      if (options_.score == attention::Score::gatv2) term = leaky(query + key);
      if (options_.score == attention::Score::bahdanau) term = std::tanh(query + key);
      sum += vector(in, c) * term;
    }
    return sum;
  }

  void add_columns(const Parts<MatrixXd>& in, Parts<MatrixXd>& out, Eigen::Index u, Eigen::Index v, Eigen::Index k,
                   int h, double g) const {
    if (is_gat()) {
      out.query(v, h) += g;
      out.key(u, h) += g;
      return;
    }
    for (int c = first(h); c < first(h + 1); ++c) {
      const double query = in.query(v, c), key = in.key(u, c) + edge_term(in.edge_weight, k, c);
      double to_query = key, to_key = query, term = query * key;
      if (options_.score != attention::Score::dot_product) {
        const double sum = query + key;
        const bool is_tanh = options_.score == attention::Score::bahdanau;
        term = is_tanh ? std::tanh(sum) : leaky(sum);
        to_query = to_key = is_tanh   ? 1 - term * term
                            : sum > 0 ? 1
                                      : static_cast<double>(options_.of_score.negative_slope);
      }
      out.query(v, c) += g * vector(in, c) * to_query;
      out.key(u, c) += g * vector(in, c) * to_key;
      add_edge_gradient(out.edge_weight, k, c, g * vector(in, c) * to_key);
      if (out.attention_vector.size() > 0) out.attention_vector(0, c) += g * term;
    }
  }

  void normalise(graph::Node v, int h) {
    const auto begin = static_cast<Eigen::Index>(mask_.incoming.offsets[v]);
    const auto count = static_cast<Eigen::Index>(mask_.incoming.offsets[v + 1]) - begin;
    if (count == 0) return;
    const Eigen::ArrayXd scores = scores_.col(h).segment(begin, count).array();
    Eigen::ArrayXd of = scores;
    if (options_.normaliser == attention::Normaliser::softmax) {
      of = (scores - scores.maxCoeff()).exp();
      of /= of.sum();
    }
    if (options_.normaliser == attention::Normaliser::relu) of = scores.max(0) / static_cast<double>(count);
    weights.col(h).segment(begin, count) = of.matrix();
  }

  const graph::FrozenGraph& mask_;
  OperatorOptions options_;
  MatrixXd scores_;
  MatrixXd dropped_;
};

/// Changes queries until rounding to float can cross no kink; false if some are left.
inline bool move_off_kinks(const graph::FrozenGraph& mask, const OperatorOptions& options, Parts<Matrix>& in) {
  constexpr double kFarEnough = 2e-6;
  for (int attempt = 0; attempt < 10; ++attempt) {
    bool is_off = true;
    NaiveOperator(mask, options)
        .for_each_kink(in.map([](const Matrix& m) { return m.cast<double>().eval(); }), kFarEnough,
                       [&](Eigen::Index v, int c) {
                         in.query(v, c) += 1e-3F;
                         is_off = false;
                       });
    if (is_off) return true;
  }
  return false;
}

/// The largest difference relative to 1 + the largest number. Sums of some hundred products of numbers up to 1 have
/// rounding errors of about 1e-6; a wrong term is about 1e-2.
inline double distance(const Matrix& got, const MatrixXd& expected) {
  REQUIRE(got.rows() == expected.rows());
  REQUIRE(got.cols() == expected.cols());
  if (got.size() == 0) return 0;
  const double difference = (got.cast<double>() - expected).cwiseAbs().maxCoeff();
  return std::isfinite(difference) ? difference / (1 + expected.cwiseAbs().maxCoeff()) : INFINITY;
}

}  // namespace edgewise::test
