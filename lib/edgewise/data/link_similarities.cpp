#include "edgewise/data/link_similarities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::data {
namespace {

using Eigen::Index;
using graph::AnchoredPair;
using graph::Node;
using graph::Ties;

constexpr std::size_t kMaxMeanEntries = std::size_t{1} << 26;
constexpr double kNoLength = 1e-5;  // a share of a squared length that may be rounding

/// D^-1/2 A D^-1/2.
SparseMatrix symmetric_step(const Ties& ties) {
  const auto nodes = static_cast<Index>(ties.node_count());
  std::vector<Eigen::Triplet<float, std::int32_t>> entries;
  for (Node node = 0; node < ties.node_count(); ++node)
    for (const Node other : ties.neighbours(node)) {
      const double degrees = static_cast<double>(ties.degree(node)) * static_cast<double>(ties.degree(other));
      entries.emplace_back(static_cast<std::int32_t>(node), static_cast<std::int32_t>(other),
                           static_cast<float>(1 / std::sqrt(degrees)));
    }
  SparseMatrix step(nodes, nodes);
  step.setFromTriplets(entries.begin(), entries.end());
  return step;
}

Matrix unit_rows(Matrix rows) {
  for (Index row = 0; row < rows.rows(); ++row) {
    const double length = rows.row(row).cast<double>().norm();
    if (length > 0) rows.row(row) /= static_cast<float>(length);
  }
  return rows;
}
SparseMatrix unit_rows(SparseMatrix rows) {
  rows.makeCompressed();
  for (Index row = 0; row < rows.rows(); ++row) {
    double squares = 0;
    for (SparseMatrix::InnerIterator entry(rows, row); entry; ++entry)
      squares += static_cast<double>(entry.value()) * static_cast<double>(entry.value());
    const auto length = static_cast<float>(std::sqrt(squares));
    for (SparseMatrix::InnerIterator entry(rows, row); entry && length > 0; ++entry) entry.valueRef() /= length;
  }
  return rows;
}

void check_mean_entries(const Ties& ties, const SparseMatrix& rows) {
  std::size_t entries = 0;  // upper bound
  for (Node node = 0; node < ties.node_count(); ++node)
    entries += ties.degree(node) * static_cast<std::size_t>(rows.row(static_cast<Index>(node)).nonZeros());
  if (entries > kMaxMeanEntries)
    throw UsageError(fmt::format("how alike the features of neighbours are: {} entries are more than {}", entries,
                                 kMaxMeanEntries));
}

/// Products of the rows of two nodes u and v, where x is of X and s of S X.
struct PairDots {
  double xx = 0, xs = 0, sx = 0, ss = 0;
};

class DenseDots {
 public:
  DenseDots(const Matrix& rows, const Matrix& means) : rows_(rows), means_(means) {}

  void start(Node u) { u_ = static_cast<Index>(u); }
  PairDots with(Node node) const {
    const auto v = static_cast<Index>(node);
    return {.xx = dot(rows_.row(u_), rows_.row(v)),
            .xs = dot(rows_.row(u_), means_.row(v)),
            .sx = dot(means_.row(u_), rows_.row(v)),
            .ss = dot(means_.row(u_), means_.row(v))};
  }

 private:
  template <class Row>
  static double dot(const Row& a, const Row& b) {
    return static_cast<double>(a.dot(b));
  }

  const Matrix& rows_;
  const Matrix& means_;
  Index u_ = 0;
};

/// Keeps the rows of u with their zeros.
class SparseDots {
 public:
  SparseDots(const SparseMatrix& rows, const SparseMatrix& means)
      : rows_(rows), means_(means), of_u_(static_cast<std::size_t>(rows.cols())) {}

  void start(Node u) {
    fill(u_, 0);
    u_ = static_cast<Index>(u);
    fill(u_, 1);
  }
  PairDots with(Node node) const {
    const auto v = static_cast<Index>(node);
    PairDots dots;
    for (SparseMatrix::InnerIterator entry(rows_, v); entry; ++entry) {
      const Entry& other = of_u_[static_cast<std::size_t>(entry.col())];
      dots.xx += other.x * static_cast<double>(entry.value());
      dots.sx += other.s * static_cast<double>(entry.value());
    }
    for (SparseMatrix::InnerIterator entry(means_, v); entry; ++entry) {
      const Entry& other = of_u_[static_cast<std::size_t>(entry.col())];
      dots.xs += other.x * static_cast<double>(entry.value());
      dots.ss += other.s * static_cast<double>(entry.value());
    }
    return dots;
  }

 private:
  struct Entry {
    double x = 0, s = 0;
  };

  void fill(Index u, double factor) {
    for (SparseMatrix::InnerIterator entry(rows_, u); entry; ++entry)
      of_u_[static_cast<std::size_t>(entry.col())].x = factor * static_cast<double>(entry.value());
    for (SparseMatrix::InnerIterator entry(means_, u); entry; ++entry)
      of_u_[static_cast<std::size_t>(entry.col())].s = factor * static_cast<double>(entry.value());
  }

  const SparseMatrix& rows_;
  const SparseMatrix& means_;
  std::vector<Entry> of_u_;
  Index u_ = 0;
};

/// What is known of one end of a pair: its own products, and its degree.
struct EndDots {
  double xx = 0, xs = 0, ss = 0, degree = 0;
};

/// The four numbers of a pair.
struct Similarities {
  double own = 0, smaller = 0, larger = 0, near = 0;
};

double cosine(double dot, double squared_length) { return squared_length > 0 ? dot / std::sqrt(squared_length) : 0; }

/// `u_length` and `v_length` are those of the rows of S X, squared.
Similarities similarities_of(const PairDots& dots, double u_length, double v_length) {
  const double to_v = cosine(dots.xs, v_length), to_u = cosine(dots.sx, u_length);
  return {.own = dots.xx,
          .smaller = std::min(to_v, to_u),
          .larger = std::max(to_v, to_u),
          .near = cosine(dots.ss, u_length * v_length)};
}

/// The squared length of s - w x, where s is the row of this end in S X, and x that of the other end in X.
double shortened(const EndDots& end, double weight, double by_other, double other_length) {
  const double length = end.ss - 2 * weight * by_other + weight * weight * other_length;
  return length > kNoLength * end.ss ? length : 0;
}

/// In the network without the tie (u, v): (S X)_u loses X_v / sqrt(deg(u) deg(v)). What is left also grows, as the
/// degree of u shrinks, which makes no difference to cosines.
Similarities similarities_without_tie(const PairDots& dots, const EndDots& u, const EndDots& v) {
  const double weight = 1 / std::sqrt(u.degree * v.degree);
  const PairDots left = {.xx = dots.xx,
                         .xs = dots.xs - weight * u.xx,
                         .sx = dots.sx - weight * v.xx,
                         .ss = dots.ss - weight * (u.xs + v.xs) + weight * weight * dots.xx};
  return similarities_of(left, shortened(u, weight, dots.sx, v.xx), shortened(v, weight, dots.xs, u.xx));
}

}  // namespace

LinkSimilarities::LinkSimilarities(const Features& features, const graph::Ties& ties)
    : ties_(ties), is_sparse_(features.is_sparse) {
  check_count("LinkSimilarities", "features", features.rows(), ties.node_count());
  const SparseMatrix step = symmetric_step(ties);
  if (is_sparse_) {
    sparse_rows_ = unit_rows(features.sparse);
    check_mean_entries(ties, sparse_rows_);
    sparse_means_ = step * sparse_rows_;
  } else {
    rows_ = unit_rows(features.dense);
    means_ = step * rows_;
  }
  const auto measure = [&](auto dots) {
    for (Node node = 0; node < ties.node_count(); ++node) {
      dots.start(node);
      const PairDots own = dots.with(node);
      row_lengths_.push_back(own.xx);
      row_by_mean_.push_back(own.xs);
      mean_lengths_.push_back(own.ss);
    }
  };
  is_sparse_ ? measure(SparseDots(sparse_rows_, sparse_means_)) : measure(DenseDots(rows_, means_));
}

Matrix LinkSimilarities::of(std::span<const Node> sources, std::span<const Node> targets,
                            graph::OwnTie own_tie) const {
  const std::vector<AnchoredPair> pairs = graph::anchored_pairs(ties_, sources, targets, own_tie);
  Matrix result(static_cast<Index>(pairs.size()), static_cast<Index>(kNames.size()));
  const auto end_of = [&](Node node) {
    return EndDots{row_lengths_[node], row_by_mean_[node], mean_lengths_[node],
                   static_cast<double>(ties_.degree(node))};
  };
  const auto fill = [&](auto dots, std::span<const AnchoredPair> some) {
    std::optional<Node> anchor;
    for (const AnchoredPair& pair : some) {
      if (anchor != pair.anchor) dots.start(pair.anchor);
      anchor = pair.anchor;
      const EndDots u = end_of(pair.anchor), v = end_of(pair.other);
      const PairDots both = dots.with(pair.other);
      const Similarities found =
          pair.lacks_tie ? similarities_without_tie(both, u, v) : similarities_of(both, u.ss, v.ss);
      result.row(static_cast<Index>(pair.row)) =
          Eigen::RowVector4d(found.own, found.smaller, found.larger, found.near).cast<float>();
    }
  };
  parallel_for(pairs.size(), graph::anchored_grain(pairs.size()), [&](std::size_t begin, std::size_t end) {
    const std::span<const AnchoredPair> some = std::span(pairs).subspan(begin, end - begin);
    is_sparse_ ? fill(SparseDots(sparse_rows_, sparse_means_), some) : fill(DenseDots(rows_, means_), some);
  });
  return result;
}

}  // namespace edgewise::data
