#pragma once

#include "edgewise/autograd/tape.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// Attention between all rows of a graph at a cost that grows with their number, not with that of their pairs: keys and
/// values are summed first, and each query reads the sums.
namespace edgewise::autograd {

/// What takes the place of softmax.
enum class LinearKernel {
  elu,        ///< phi(x) = elu(x) + 1 of queries and keys.
  sgformer,   ///< Queries and keys over their norms, plus the row itself.
};

struct LinearAttentionOptions {
  int heads = 1;
  LinearKernel kernel = LinearKernel::elu;
  bool is_causal = false;  ///< elu: a row sees itself and those before it only.
};

/// Linear attention. With N rows in a graph, and for each head h of D columns:
///   elu:      y[v] = sum over u of (phi(q[v]) . phi(k[u])) val[u] / (1e-6 + sum over u of phi(q[v]) . phi(k[u]))
///   sgformer: y[v] = (N val[v] + sum over u of (q'[v] . k'[u]) val[u]) / (N + sum over u of q'[v] . k'[u])
/// where q' and k' are divided by the Euclidean norm of all queries and of all keys of the graph, heads together; a
/// graph of one row gives its value (Katharopoulos et al. 2020, eq. 8 and 9, causal: eq. 10 to 12; Wu et al. 2023,
/// "SGFormer", eq. 4 and 5). `graphs` has one row per graph; its columns are the rows of `query` in that graph, in
/// order; rows in no graph get zeros. query, key, value and result [N, H * D]. `graphs` must outlive the tape's record.
/// Throws UsageError for a causal sgformer, for columns that are no multiple of the heads, and for a row that is there
/// twice.
Variable linear_attention(const graph::FrozenGraph& graphs, Variable query, Variable key, Variable value,
                          const LinearAttentionOptions& options);

/// Causal linear attention of one more row of each of N graphs. `sums` [N, H * D * (D + 1)] is what the rows before
/// have left there, at first zeros, and gets what these leave. Cannot be differentiated.
Variable linear_attention_step(Variable query, Variable key, Variable value, int heads, Matrix& sums);

}  // namespace edgewise::autograd
