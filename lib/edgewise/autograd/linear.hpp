#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/core/matrix.hpp"
#include "edgewise/graph/frozen_graph.hpp"

namespace edgewise::autograd {

/// x * weight + bias; x [n, k], weight [k, m], bias [1, m] or an unset Variable.
Variable linear(Variable x, Variable weight, Variable bias = {});

/// Sparse input features and their transpose, made once. `matrix` must outlive this.
struct SparseInput {
  explicit SparseInput(const SparseMatrix& features);

  const SparseMatrix* matrix;
  std::vector<graph::EdgeIndex> row_offsets;     ///< As `matrix->outerIndexPtr()`.
  graph::Csr transposed;                         ///< Row f: the nodes that have feature f.
  std::vector<std::int32_t> transposed_position; ///< Of each entry of `transposed`: its non-zero in `matrix`.
  std::vector<graph::Node> row_chunks;           ///< Pieces of equal work of both.
  std::vector<graph::Node> transposed_chunks;
};

/// Dropout of the input with a mask for each head: the columns of a head in the product see their own (as the code of
/// Velickovic et al. 2018 does). With one head there is none.
struct HeadDropout {
  int heads = 1;
  float probability = 0;
  std::uint64_t key = 0;  ///< Element i * heads + h of its mask belongs to non-zero i and head h.
};

/// input * weight + bias where the input has the pattern of `input` and `values` (one a non-zero), which must live as
/// long as the tape's record. Costs the non-zeros, forward and backward; the input gets no gradient.
Variable sparse_linear(const SparseInput& input, const float* values, Variable weight, Variable bias = {},
                       const HeadDropout& dropout = {});

/// Input dropout that costs the non-zeros: each is zeroed with `probability`, the others divided by 1 - probability.
/// Element i of the mask named by `key` belongs to non-zero i. Returns values for `sparse_linear`, on the tape.
const float* sparse_dropout(Tape& tape, const SparseInput& input, const float* values, float probability,
                            std::uint64_t key);

}  // namespace edgewise::autograd
