#pragma once

#include "edgewise/attention/fused/passes/gradients.hpp"
#include "edgewise/attention/fused/passes/problem.hpp"

namespace edgewise::attention::fused {

/// The rows of consecutive chunks of a traversal.
struct ChunkRange {
  const Traversal& traversal;
  std::size_t first_chunk;
  std::size_t end_chunk;

  Node first_row() const { return traversal.tiles.chunks[first_chunk]; }
  Node end_row() const { return traversal.tiles.chunks[end_chunk]; }
};

/// What the driver has to know of a score and its normaliser.
struct PassTraits {
  bool is_per_head;
  bool has_vector;
  float scale;
  bool sums_to_one;
};

/// The passes of a score with a normaliser, each for a group of heads.
class AnyPasses {
 public:
  explicit AnyPasses(const PassTraits& of) : traits(of) {}
  virtual ~AnyPasses() = default;

  const PassTraits traits;

  /// ForwardPass. kept: scratch memory for the scores of the edges; nullptr: a single sweep.
  virtual void attend(const Group& group, const ChunkRange& rows, float* kept) const = 0;
  /// Fills weights [slots, all heads], with the row statistics of an earlier forward pass.
  virtual void weigh(const Group& group, float* weights) const = 0;
  /// SourcePass.
  virtual void differentiate_sources(const Group& group, const ChunkRange& rows, const Gradients& gradients,
                                     Rows<const float> statistics, const KeptNumbers& kept,
                                     const PartialSums& partial) const = 0;
  /// DestinationPass.
  virtual void differentiate_destinations(const Group& group, Rows<float> gradient, const graph::BlockedEdges* blocks,
                                          const KeptGradients& kept, RowProgress* progress,
                                          Rows<float> unfinished) const = 0;
};

}  // namespace edgewise::attention::fused
