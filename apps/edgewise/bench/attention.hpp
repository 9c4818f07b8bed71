#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/attention/variants.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// What `edgewise bench attention` measures: the variants of attention on the same mask, checked against one
/// another, then timed in turns.
namespace edgewise::app {

/// training: forward and backward.
enum class Pass { forward, training };
const char* name(Pass pass);

struct BenchOptions {
  attention::AnyScore score = attention::Score::dot_product;
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  attention::ScoreOptions score_options;
  std::vector<attention::Variant> variants = {
      attention::Variant::sparse_fused, attention::Variant::gather_scatter, attention::Variant::dense_tiled,
      attention::Variant::dense_masked};
  int heads = 4;
  int width = 16;  ///< Of a head.
  attention::Precision precision = attention::Precision::float32;  ///< Of sparse_fused.
  std::uint64_t seed = 0;
  int repeats = 15;            ///< Rounds at most.
  double seconds = 0.25;       ///< After which a variant leaves the rounds, once it had kLeastRounds.
  double maximal_bytes = 0;    ///< Of the mask, the inputs and one variant together; what would need more is skipped.
  double maximal_seconds = 2;  ///< Of one call; what would take longer is skipped.

  std::size_t columns() const { return static_cast<std::size_t>(heads) * static_cast<std::size_t>(width); }
};

inline constexpr int kLeastRounds = 3;

/// How far results may be apart, as a share of the largest entry of the matrix. Of a gradient, whose entries can cancel
/// out to nothing, the largest entry counts as at least a hundredth of that of the output's gradient.
inline constexpr double kAgreementBound = 1e-4;

/// One variant on one mask. Times are of one call.
struct Measurement {
  attention::Variant variant = attention::Variant::sparse_fused;
  std::string skipped;  ///< Why it was not measured; else empty, and what follows is set.
  double median_ms = 0;
  double least_ms = 0;
  int rounds = 0;
  int calls = 0;                           ///< A round; its time is their mean.
  std::optional<std::int64_t> peak_bytes;  ///< Above the mask and the inputs; nothing where it cannot be told.
  double output_difference = 0;            ///< From the first variant that was measured.
  double gradient_difference = 0;          ///< Of the worst gradient; 0 in a forward pass.

  bool is_measured() const { return skipped.empty(); }
};

/// All variants on one mask in one pass, in the order of BenchOptions::variants.
struct Row {
  std::size_t nodes = 0;    ///< That attend.
  std::size_t sources = 0;  ///< That are attended to.
  std::size_t edges = 0;
  double density = 0;        ///< Edges of all pairs.
  double asked_density = 0;  ///< What the mask was drawn with, in a sweep; else as `density`.
  Pass pass = Pass::forward;
  std::vector<Measurement> measurements;

  bool is_skipped() const;  ///< All of it.
  /// nullptr when the variant was not asked for, or skipped.
  const Measurement* find(attention::Variant variant) const;
};

/// What a mask takes in memory.
double mask_bytes(std::size_t nodes, std::size_t sources, double edges);

/// Called before a variant is checked and between rounds.
using OnStep = std::function<void(const Row& row, attention::Variant variant)>;

/// Measures row after row. Remembers what calls cost, to estimate what larger rows cost.
class AttentionBench {
 public:
  /// Runs every variant once on a small mask, so that the first row does not pay for threads and pages of code.
  AttentionBench(BenchOptions options, OnStep on_step);

  /// Throws NumericalError when two variants differ by more than kAgreementBound.
  Row measure(const graph::FrozenGraph& mask, Pass pass);
  /// The row of a random mask as far as it is known without the mask: what would be skipped, and why.
  Row estimate(std::size_t nodes, double density, Pass pass) const;
  const BenchOptions& options() const { return options_; }

 private:
  struct Cost {
    attention::Variant variant;
    Pass pass;
    double units;
    double seconds;
  };
  double estimate_seconds(const Row& row, attention::Variant variant) const;
  void record(const Row& row);
  std::string reason_to_skip(const Row& row, attention::Variant variant) const;

  BenchOptions options_;
  OnStep on_step_;
  std::vector<Cost> costs_;
};

}  // namespace edgewise::app
