#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/attention/variants.hpp"
#include "edgewise/graph/frozen_graph.hpp"

/// @file
/// The measurements of `edgewise bench attention`: the variants of attention on the same mask, first checked against
/// each other, then timed in turns.
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
  int width = 16;  ///< Columns per head.
  std::uint64_t seed = 0;
  int repeats = 15;            ///< Maximum number of rounds.
  double seconds = 0.25;       ///< A variant stops after this time, but not before kMinRounds rounds.
  double maximal_bytes = 0;    ///< For the mask, the inputs and one variant; variants that need more are skipped.
  double maximal_seconds = 2;  ///< For one call; variants that take longer are skipped.

  std::size_t columns() const { return static_cast<std::size_t>(heads) * static_cast<std::size_t>(width); }
};

inline constexpr int kMinRounds = 3;

/// The largest difference allowed between results, relative to the largest entry of the matrix. For gradients, whose
/// entries can cancel out, that entry counts as at least a hundredth of the largest entry of the output gradient.
inline constexpr double kAgreementBound = 1e-4;

/// One variant on one mask. Times are per call.
struct Measurement {
  attention::Variant variant = attention::Variant::sparse_fused;
  std::string skipped;  ///< Why it was not measured. If empty, the members below are set.
  double median_ms = 0;
  double least_ms = 0;
  int rounds = 0;
  int calls = 0;                           ///< Calls per round; the time of a round is their mean.
  std::optional<std::int64_t> peak_bytes;  ///< On top of the mask and the inputs; nothing if it cannot be measured.
  double output_difference = 0;            ///< From the first variant measured.
  double gradient_difference = 0;          ///< The largest over all gradients; 0 in a forward pass.

  bool is_measured() const { return skipped.empty(); }
};

/// All variants on one mask in one pass, in the order of BenchOptions::variants.
struct Row {
  std::size_t nodes = 0;    ///< Nodes that attend.
  std::size_t sources = 0;  ///< Nodes that are attended to.
  std::size_t edges = 0;
  double density = 0;        ///< Share of all pairs that are edges.
  double asked_density = 0;  ///< In a sweep, the density the mask was drawn with; else equal to `density`.
  Pass pass = Pass::forward;
  std::vector<Measurement> measurements;

  bool is_skipped() const;  ///< Whether every variant was skipped.
  bool is_compared() const;  ///< Whether the results of at least two variants were compared.
  /// nullptr if the variant was not selected or was skipped.
  const Measurement* find(attention::Variant variant) const;
};

/// The memory that a mask takes.
double mask_bytes(std::size_t nodes, std::size_t sources, double edges);

/// Called before a variant is checked and between rounds.
using OnStep = std::function<void(const Row& row, attention::Variant variant)>;

/// Measures rows one by one. Remembers the cost of calls to estimate that of larger rows.
class AttentionBench {
 public:
  /// Runs every variant once on a small mask, so that the first row does not pay for starting threads and loading code.
  AttentionBench(BenchOptions options, OnStep on_step);

  /// Throws NumericalError if two variants differ by more than kAgreementBound.
  Row measure(const graph::FrozenGraph& mask, Pass pass);
  /// The row of a random mask, as far as it is known without making the mask: what would be skipped, and why.
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
