#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "edgewise/autograd/tape.hpp"

namespace edgewise::autograd {

/// A pass over one part of a graph that is cut into parts, on a tape of its own, and its way to the passes over the
/// others. All passes run the same operations in the same order; each of these functions waits until the others have
/// come as far. A part has rows of its own, and edges that also come from rows of other parts: its *halo*.
class Part {
 public:
  virtual ~Part() = default;

  virtual std::size_t index() const = 0;
  /// The rows of all parts together.
  virtual Eigen::Index all_rows() const = 0;
  virtual Eigen::Index halo_rows() const = 0;
  /// Fills `halo` with the rows that the other parts pass as `own` in the same call.
  virtual void fetch_halo(ConstMatrixMap own, MatrixMap halo) = 0;
  /// In a pass that is not recorded: each of `own` followed by its halo, which the other parts pass in the same call;
  /// valid until the next call.
  virtual std::vector<ConstMatrixMap> see(std::span<const ConstMatrixMap> own) = 0;
  /// In a pass that is not recorded: the results on the tape from the first-th on are not needed, but those kept.
  virtual void forget(std::size_t first, std::span<const Variable> kept) = 0;
  /// The reverse: adds to the rows of `own` what the other parts pass as `halo` for them, in the order of the parts.
  virtual void return_halo(ConstMatrixMap halo, MatrixMap own) = 0;
  /// Replaces `sums` by their sums over all parts, added in the order of the parts.
  virtual void add_up(std::span<float> sums) = 0;
  /// Whether this is the pass that changes what all passes share, such as running moments.
  virtual bool is_keeper() const = 0;
};

/// The rows of the part, followed by those of its halo: [rows + halo, columns]. On a tape that does not record they are
/// valid until the next call.
Variable with_halo(Part& part, Variable own);
/// The same of both.
std::pair<Variable, Variable> with_halo(Part& part, Variable own, Variable others);

}  // namespace edgewise::autograd
