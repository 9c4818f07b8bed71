#include "edgewise/autograd/linear_attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "edgewise/autograd/detail/distinct_rows.hpp"
#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/parallel.hpp"

namespace edgewise::autograd {
namespace {

using Eigen::Index;
using graph::FrozenGraph;
using graph::Node;

/// Rows that are summed before their sum is added to those of other pieces of the graph. Fixed, so that the bits do not
/// depend on the number of threads.
constexpr std::size_t kPieceRows = 1024;

/// Added to the sum of weights, which may underflow, as in the authors' code.
constexpr float kEpsilon = 1e-6F;

/// Some consecutive rows of a graph.
struct Piece {
  std::size_t graph;
  std::span<const Node> rows;
};

std::vector<Piece> pieces_of(const FrozenGraph& graphs) {
  std::vector<Piece> pieces;
  for (std::size_t g = 0; g < graphs.destination_count(); ++g) {
    const auto end = static_cast<std::size_t>(graphs.incoming.offsets[g + 1]);
    for (auto begin = static_cast<std::size_t>(graphs.incoming.offsets[g]); begin < end; begin += kPieceRows)
      pieces.push_back({g, {graphs.incoming.columns.data() + begin, std::min(kPieceRows, end - begin)}});
  }
  return pieces;
}

template <class Body>
void for_each_piece(const std::vector<Piece>& pieces, const Body& body) {
  parallel_for(pieces.size(), 1, [&](std::size_t piece, std::size_t) { body(piece); });
}

/// The sums of a head are [D, D + 1]: phi(k)^T val, and in the last column phi(k) itself, since weights are summed as
/// values of 1 are. All heads are below one another: [H * D, D + 1].
using Sums = Matrix;

/// Adds up what the pieces of each graph have. With `is_causal`, a piece gets what is before it, or behind it if
/// `is_backward`; else all pieces get the sum over their graph.
void share_sums(const std::vector<Piece>& pieces, bool is_causal, bool is_backward, std::vector<Sums>& sums) {
  const std::size_t count = pieces.size();
  const auto at = [&](std::size_t i) { return is_backward ? count - 1 - i : i; };
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    Sums total = Sums::Zero(sums[at(begin)].rows(), sums[at(begin)].cols());
    for (end = begin; end < count && pieces[at(end)].graph == pieces[at(begin)].graph; ++end) {
      const Sums own = sums[at(end)];
      if (is_causal) sums[at(end)] = total;
      total += own;
    }
    for (std::size_t i = begin; i < end && !is_causal; ++i) sums[at(i)] = total;
  }
}

/// sgformer: one over the Euclidean norms of the queries and of the keys of a graph, or zeros. In double, since squares
/// of small floats and their inverses are out of the range of float.
struct Scales {
  double query = 0;
  double key = 0;
};

/// phi(x) of elu
void apply_elu(Matrix& x) { x = x.array().max(0.0F) + x.array().min(0.0F).exp(); }

/// What a pass reads and writes.
struct Tables {
  LinearAttentionOptions options;
  Index columns = 0;  ///< Of each head.
  MatrixMap query, key, value;
  const Scales* scales;  ///< sgformer: of each graph.
  MatrixMap divisors;    ///< [N, H], the sums of weights.

  Index heads() const { return options.heads; }
  bool has_elu() const { return options.kernel == LinearKernel::elu; }

  /// phi(q), or q', of the rows of a piece, for one head: [rows, D].
  Matrix queries(const Piece& piece, Index head) const {
    return features(query, piece.rows, head, has_elu() ? 1 : scales[piece.graph].query);
  }
  /// As `queries`, of the keys.
  Matrix keys(const Piece& piece, Index head) const {
    return features(key, piece.rows, head, has_elu() ? 1 : scales[piece.graph].key);
  }

  /// Values, with a column of ones: [rows, D + 1].
  Matrix values(std::span<const Node> rows, Index head) const {
    Matrix x(static_cast<Index>(rows.size()), columns + 1);
    for (std::size_t i = 0; i < rows.size(); ++i)
      x.row(static_cast<Index>(i)).head(columns) = value.row(rows[i]).segment(head * columns, columns);
    x.col(columns).setOnes();
    return x;
  }

  /// The derivative of phi, from phi.
  void through_features(const Matrix& phi, Matrix& gradient) const {
    if (has_elu()) gradient = gradient.cwiseProduct(phi.cwiseMin(1.0F));
  }

  auto of_head(Sums& sums, Index head) const { return sums.middleRows(head * columns, columns); }

 private:
  Matrix features(const MatrixMap& of, std::span<const Node> rows, Index head, double scale) const {
    Matrix x(static_cast<Index>(rows.size()), columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
      x.row(static_cast<Index>(i)) = of.row(rows[i]).segment(head * columns, columns);
    if (has_elu())
      apply_elu(x);
    else
      x = (x.cast<double>() * scale).cast<float>();
    return x;
  }
};

void add_rows(std::span<const Node> rows, Index first_column, const Eigen::Ref<const Matrix>& from, MatrixMap to) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    to.row(rows[i]).segment(first_column, from.cols()) += from.row(static_cast<Index>(i));
}

/// The sums of keys and values of each piece.
std::vector<Sums> key_sums(const Tables& tables, const std::vector<Piece>& pieces) {
  std::vector<Sums> sums(pieces.size(), Sums(tables.heads() * tables.columns, tables.columns + 1));
  for_each_piece(pieces, [&](std::size_t p) {
    for (Index h = 0; h < tables.heads(); ++h)
      tables.of_head(sums[p], h).noalias() =
          tables.keys(pieces[p], h).transpose() * tables.values(pieces[p].rows, h);
  });
  return sums;
}

/// Weighted sums of values and, in the last column, of weights, [rows, D + 1], from the sums that a piece sees. If they
/// are causal, those of its own rows are added on the way.
Matrix read_sums(const Tables& tables, const Piece& piece, Index head, Sums& sums) {
  const Matrix query = tables.queries(piece, head);
  auto seen = tables.of_head(sums, head);
  if (!tables.options.is_causal) return query * seen;
  const Matrix key = tables.keys(piece, head), values = tables.values(piece.rows, head);
  Matrix read(query.rows(), tables.columns + 1);
  for (Index i = 0; i < query.rows(); ++i) {
    seen.noalias() += key.row(i).transpose() * values.row(i);
    read.row(i).noalias() = query.row(i) * seen;
  }
  return read;
}

void run_forward(Tables& tables, const std::vector<Piece>& pieces, const FrozenGraph& graphs, MatrixMap out) {
  std::vector<Sums> sums = key_sums(tables, pieces);
  share_sums(pieces, tables.options.is_causal, false, sums);
  const Index columns = tables.columns;
  for_each_piece(pieces, [&](std::size_t p) {
    const auto& [graph, rows] = pieces[p];
    const auto count = static_cast<float>(graphs.incoming.offsets[graph + 1] - graphs.incoming.offsets[graph]);
    for (Index h = 0; h < tables.heads(); ++h) {
      Matrix read = read_sums(tables, pieces[p], h, sums[p]);
      if (!tables.has_elu()) read += count * tables.values(rows, h);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = read.row(static_cast<Index>(i));
        const float divisor = row(columns) + (tables.has_elu() ? kEpsilon : 0.0F);
        tables.divisors(rows[i], h) = divisor;
        out.row(rows[i]).segment(h * columns, columns) = row.head(columns) / divisor;
      }
    }
  });
}

/// The gradients of what `read_sums` reads: of the weighted sums, and of the sum of weights.
Matrix read_gradients(const Tables& tables, std::span<const Node> rows, Index head, const MatrixMap& y,
                      const MatrixMap& upstream) {
  const Index columns = tables.columns;
  Matrix gradients(static_cast<Index>(rows.size()), columns + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto row = gradients.row(static_cast<Index>(i));
    row.head(columns) = upstream.row(rows[i]).segment(head * columns, columns) / tables.divisors(rows[i], head);
    row(columns) = -row.head(columns).dot(y.row(rows[i]).segment(head * columns, columns));
  }
  return gradients;
}

/// Where a backward pass adds. Unset maps have no rows.
struct Gradients {
  MatrixMap query, key, value;
};

/// Adds the gradients of the features of queries, and returns the gradients of the sums that each piece has read.
std::vector<Sums> through_queries(const Tables& tables, const std::vector<Piece>& pieces, const MatrixMap& y,
                                  const MatrixMap& upstream, MatrixMap gradient) {
  std::vector<Sums> sums = key_sums(tables, pieces);
  share_sums(pieces, tables.options.is_causal, false, sums);
  std::vector<Sums> of_sums(pieces.size(), Sums(tables.heads() * tables.columns, tables.columns + 1));
  for_each_piece(pieces, [&](std::size_t p) {
    const std::span<const Node> rows = pieces[p].rows;
    for (Index h = 0; h < tables.heads(); ++h) {
      const Matrix of_read = read_gradients(tables, rows, h, y, upstream);
      const Matrix phi = tables.queries(pieces[p], h);
      tables.of_head(of_sums[p], h).noalias() = phi.transpose() * of_read;
      auto seen = tables.of_head(sums[p], h);
      Matrix of_phi(phi.rows(), phi.cols());
      if (tables.options.is_causal) {
        const Matrix key = tables.keys(pieces[p], h), values = tables.values(rows, h);
        for (Index i = 0; i < phi.rows(); ++i) {
          seen.noalias() += key.row(i).transpose() * values.row(i);
          of_phi.row(i).noalias() = of_read.row(i) * seen.transpose();
        }
      } else {
        of_phi.noalias() = of_read * seen.transpose();
      }
      tables.through_features(phi, of_phi);
      if (gradient.rows() > 0) add_rows(rows, h * tables.columns, of_phi, gradient);
    }
  });
  return of_sums;
}

/// Adds the gradients of the features of keys and of values, from those of the sums that they are in.
void through_keys(const Tables& tables, const std::vector<Piece>& pieces, const FrozenGraph& graphs,
                  const MatrixMap& y, const MatrixMap& upstream, std::vector<Sums>& of_sums,
                  const Gradients& gradients) {
  for_each_piece(pieces, [&](std::size_t p) {
    const auto& [graph, rows] = pieces[p];
    for (Index h = 0; h < tables.heads(); ++h) {
      const Matrix phi = tables.keys(pieces[p], h), values = tables.values(rows, h);
      auto of_seen = tables.of_head(of_sums[p], h);
      Matrix of_phi(phi.rows(), phi.cols()), of_values(values.rows(), values.cols());
      if (tables.options.is_causal) {
        const Matrix of_read = read_gradients(tables, rows, h, y, upstream);
        const Matrix query = tables.queries(pieces[p], h);
        for (Index i = phi.rows() - 1; i >= 0; --i) {
          of_seen.noalias() += query.row(i).transpose() * of_read.row(i);
          of_phi.row(i).noalias() = values.row(i) * of_seen.transpose();
          of_values.row(i).noalias() = phi.row(i) * of_seen;
        }
      } else {
        of_phi.noalias() = values * of_seen.transpose();
        of_values.noalias() = phi * of_seen;
      }
      if (!tables.has_elu()) {
        const auto count = static_cast<float>(graphs.incoming.offsets[graph + 1] - graphs.incoming.offsets[graph]);
        of_values += count * read_gradients(tables, rows, h, y, upstream);
      }
      tables.through_features(phi, of_phi);
      if (gradients.key.rows() > 0) add_rows(rows, h * tables.columns, of_phi, gradients.key);
      if (gradients.value.rows() > 0)
        add_rows(rows, h * tables.columns, of_values.leftCols(tables.columns), gradients.value);
    }
  });
}

/// For each graph, the sum over its rows of a.row . b.row.
std::vector<double> dots_of_graphs(const std::vector<Piece>& pieces, std::size_t graphs, const MatrixMap& a,
                                   const MatrixMap& b) {
  std::vector<double> parts(pieces.size(), 0), dots(graphs, 0);
  for_each_piece(pieces, [&](std::size_t p) {
    for (const Node row : pieces[p].rows) parts[p] += a.row(row).cast<double>().dot(b.row(row).cast<double>());
  });
  for (std::size_t p = 0; p < pieces.size(); ++p) dots[pieces[p].graph] += parts[p];
  return dots;
}

/// Zeros leave the value alone: in a graph of one row, and where all queries or all keys are zero.
std::vector<Scales> find_scales(const std::vector<Piece>& pieces, const FrozenGraph& graphs, const MatrixMap& query,
                                const MatrixMap& key) {
  const std::size_t count = graphs.destination_count();
  const std::vector<double> queries = dots_of_graphs(pieces, count, query, query);
  const std::vector<double> keys = dots_of_graphs(pieces, count, key, key);
  std::vector<Scales> scales(count);
  for (std::size_t g = 0; g < count; ++g)
    if (graphs.incoming.offsets[g + 1] - graphs.incoming.offsets[g] > 1 && queries[g] > 0 && keys[g] > 0)
      scales[g] = {1 / std::sqrt(queries[g]), 1 / std::sqrt(keys[g])};
  return scales;
}

/// With x' = scale * x, turns the gradient of x' into that of the rows x of a graph. The result does not depend on
/// their norm, so the part that would only change it goes: gradient . x becomes 0.
void through_norm(const std::vector<Piece>& pieces, const Tables& tables, std::size_t graphs, const MatrixMap& x,
                  double Scales::* scale, MatrixMap gradient) {
  const std::vector<double> dots = dots_of_graphs(pieces, graphs, x, gradient);
  for_each_piece(pieces, [&](std::size_t p) {
    const double factor = tables.scales[pieces[p].graph].*scale;
    const double share = dots[pieces[p].graph] * factor * factor;
    for (const Node row : pieces[p].rows)
      gradient.row(row) =
          (factor * (gradient.row(row).cast<double>() - share * x.row(row).cast<double>())).cast<float>();
  });
}

void check_tables(Variable query, Variable key, Variable value, int heads) {
  if (heads < 1 || query.cols() % heads != 0)
    throw UsageError(fmt::format("linear attention: expected a multiple of {} columns, got {}", heads, query.cols()));
  check_shape("linear_attention", "key", shape_of(key), {query.rows(), query.cols()});
  check_shape("linear_attention", "value", shape_of(value), {query.rows(), query.cols()});
}

void check(const FrozenGraph& graphs, Variable query, Variable key, Variable value,
           const LinearAttentionOptions& options) {
  if (options.kernel == LinearKernel::sgformer && options.is_causal)
    throw UsageError("linear attention: sgformer is not causal");
  check_tables(query, key, value, options.heads);
  check_shape("linear_attention", "query", shape_of(query), {static_cast<Index>(graphs.source_count()), query.cols()});
  detail::check_distinct_rows("linear_attention", graphs);
}

}  // namespace

Variable linear_attention(const FrozenGraph& graphs, Variable query, Variable key, Variable value,
                          const LinearAttentionOptions& options) {
  check(graphs, query, key, value, options);
  Tape& tape = query.tape();
  const Index rows = query.rows();
  const bool is_differentiable = query.needs_gradient() || key.needs_gradient() || value.needs_gradient();
  Variable y = tape.make(rows, query.cols(), is_differentiable);
  Variable divisors = tape.make(rows, options.heads, false);
  y.value().setZero();
  const std::vector<Piece> pieces = pieces_of(graphs);
  const Scales* scales = options.kernel == LinearKernel::elu
                             ? nullptr
                             : tape.keep(find_scales(pieces, graphs, query.value(), key.value())).data();
  const auto tables_of = [query, key, value, scales, divisors, options] {
    return Tables{options, query.cols() / options.heads, query.value(), key.value(), value.value(), scales,
                  divisors.value()};
  };
  Tables tables = tables_of();
  run_forward(tables, pieces, graphs, y.value());
  tape.on_backward(y, [&graphs, query, key, value, y, tables_of] {
    const std::vector<Piece> parts = pieces_of(graphs);
    const Tables read = tables_of();
    const auto gradient_of = [](Variable x) { return x.needs_gradient() ? x.gradient() : MatrixMap(nullptr, 0, 0); };
    // sgformer: what is added here would depend on the norms, so it is put together apart and then added.
    const bool has_norms = !read.has_elu();
    Matrix of_query = Matrix::Zero(has_norms ? y.rows() : 0, y.cols()), of_key = of_query;
    const auto map_of = [](Matrix& x) { return MatrixMap(x.data(), x.rows(), x.cols()); };
    const Gradients gradients{has_norms ? map_of(of_query) : gradient_of(query),
                              has_norms ? map_of(of_key) : gradient_of(key), gradient_of(value)};
    std::vector<Sums> of_sums = through_queries(read, parts, y.value(), y.gradient(), gradients.query);
    share_sums(parts, read.options.is_causal, true, of_sums);
    through_keys(read, parts, graphs, y.value(), y.gradient(), of_sums, gradients);
    if (!has_norms) return;
    const std::size_t graph_count = graphs.destination_count();
    through_norm(parts, read, graph_count, read.query, &Scales::query, gradients.query);
    through_norm(parts, read, graph_count, read.key, &Scales::key, gradients.key);
    if (query.needs_gradient()) query.gradient() += of_query;
    if (key.needs_gradient()) key.gradient() += of_key;
  });
  return y;
}

Variable linear_attention_step(Variable query, Variable key, Variable value, int heads, Matrix& sums) {
  check_tables(query, key, value, heads);
  const Index columns = query.cols() / heads;
  check_shape("linear_attention_step", "sums", shape_of(sums), {query.rows(), query.cols() * (columns + 1)});
  const Variable y = query.tape().make(query.rows(), query.cols(), false);
  const Tables tables{{.heads = heads, .is_causal = true}, columns, query.value(), key.value(), value.value(), nullptr,
                      MatrixMap(nullptr, 0, 0)};
  for (Node row = 0; row < static_cast<Node>(query.rows()); ++row) {
    Sums seen = MatrixMap(sums.row(row).data(), query.cols(), columns + 1);
    for (Index h = 0; h < heads; ++h) {
      const Matrix read = read_sums(tables, {.graph = row, .rows = {&row, 1}}, h, seen);
      y.value().row(row).segment(h * columns, columns) = read.row(0).head(columns) / (read(0, columns) + kEpsilon);
    }
    MatrixMap(sums.row(row).data(), query.cols(), columns + 1) = seen;
  }
  return y;
}

}  // namespace edgewise::autograd
