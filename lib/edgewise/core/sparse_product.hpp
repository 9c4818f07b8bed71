#pragma once

#include <cstdint>
#include <vector>

#include "edgewise/core/matrix.hpp"

/// @file
/// Products of a sparse matrix under dropout with a dense one. A dropped entry costs a comparison, not a row.
namespace edgewise {

/// A sparse matrix in compressed rows. Long rows are split into panels of columns, so that the rows of the dense factor
/// that a panel reads stay in the L2 cache. Panel p has a slot for every row, from slot p * rows on.
struct CompressedRows {
  std::uint32_t rows = 0;
  std::vector<std::uint32_t> offsets;  ///< The first entry of each slot; [panels * rows + 1].
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::vector<std::uint32_t> elements;  ///< The number of each entry in a dropout mask.
  /// Boundaries of chunks of slots with about equal work, for each panel. They depend on the matrix alone.
  std::vector<std::vector<std::uint32_t>> chunks;

  std::size_t entries() const { return columns.size(); }
};

/// A copy of `matrix`; the entries are numbered in its order.
CompressedRows compressed_rows(const SparseMatrix& matrix);

/// Its transpose, in panels; each entry keeps its number in `matrix`.
CompressedRows compressed_columns(const SparseMatrix& matrix);

/// Dropout of the entries of a sparse matrix: each is zeroed with `probability`, the others are divided by
/// 1 - probability. With several heads, each group of columns / heads columns of the product has its own mask:
/// element number * heads + head of the mask identified by `key`.
struct EntryDropout {
  float probability = 0;
  std::uint64_t key = 0;
  int heads = 1;

  bool is_active() const { return probability > 0; }
  bool is_by_head() const { return is_active() && heads > 1; }
};

/// Number of 32-bit words for one bit per entry and head, as `multiply_sparse_by_head` reads them.
std::size_t head_mask_words(std::size_t entries, int heads);

/// bits: `head_mask_words` words. Bit number * heads + head is set if the head sees that entry.
void draw_head_mask(const EntryDropout& dropout, std::size_t entries, std::uint32_t* bits);

/// The initial value of the rows of a product: zeros, a row [1, m], or the contents of `out`.
struct RowStart {
  enum class Kind { zero, row, present } kind = Kind::zero;
  const float* row = nullptr;
};

/// out = start + a' * b, where a' is `a` with `values` (one per entry) under `dropout`, with one mask for all columns;
/// [n, k] x [k, m] -> [n, m]. `b` and `out` are whole matrices, without gaps between their rows.
void multiply_sparse(const CompressedRows& a, const float* values, const EntryDropout& dropout, ConstMatrixRef b,
                     RowStart start, MatrixRef out);

/// As `multiply_sparse`, with one mask per head, drawn into `bits` by `draw_head_mask`.
void multiply_sparse_by_head(const CompressedRows& a, const float* values, const EntryDropout& dropout,
                             const std::uint32_t* bits, ConstMatrixRef b, RowStart start, MatrixRef out);

/// dropped[i] = values[i] under `dropout`, which has one mask.
void drop_entries(const CompressedRows& a, const float* values, const EntryDropout& dropout, float* dropped);

}  // namespace edgewise
