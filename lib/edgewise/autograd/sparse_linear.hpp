#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/sparse_product.hpp"

namespace edgewise::autograd {

/// Sparse input features [n, k] and their transpose, computed once.
struct SparseInput {
  explicit SparseInput(const SparseMatrix& features)
      : by_row(compressed_rows(features)), by_column(compressed_columns(features)) {}

  Eigen::Index rows() const { return by_row.rows; }
  Eigen::Index columns() const { return by_column.rows; }

  CompressedRows by_row;
  CompressedRows by_column;
};

/// Sparse input features as a layer sees them, with the dropout that its product applies. Cheap to copy; `input` must
/// outlive the tape's record.
struct SparseFeatures {
  const SparseInput* input = nullptr;
  EntryDropout dropout = {};
  /// The values of the entries in the order of `by_row` and of `by_column`; nullptr: the input's own.
  const float* row_values = nullptr;
  const float* column_values = nullptr;

  bool is_set() const { return input != nullptr; }
};

/// `x` with `dropout`, at the cost of the non-zeros. A second dropout applies to what the first one kept.
SparseFeatures sparse_dropout(Tape& tape, const SparseFeatures& x, const EntryDropout& dropout);

/// x * weight + bias: weight [k, m], bias [1, m] or an unset Variable. The cost, forward and backward, is that of the
/// non-zeros that dropout keeps. The input gets no gradient.
Variable sparse_linear(const SparseFeatures& x, Variable weight, Variable bias = {});

}  // namespace edgewise::autograd
