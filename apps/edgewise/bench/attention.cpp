#include "bench/attention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/work.hpp"
#include "edgewise/core/clock.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/random.hpp"
#include "edgewise/graph/random_graphs.hpp"
#include "process_memory.hpp"

namespace edgewise::app {

using attention::Attention;
using attention::AttentionGradients;
using attention::AttentionInputs;
using attention::Variant;

namespace {

constexpr double kMinSampleSeconds = 2e-3;  // long compared to the resolution of the clock
constexpr int kMaxCalls = 1000;
constexpr float kLargestInput = 1;

Matrix random_matrix(std::size_t rows, std::size_t columns, const BenchOptions& options, std::uint64_t which) {
  Random random(options.seed, Stream::generate, which);
  Matrix matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (Eigen::Index i = 0; i < matrix.size(); ++i)
    matrix.data()[i] = static_cast<float>(random.uniform(-kLargestInput, kLargestInput));
  return matrix;
}

/// Adapts the inputs to a normaliser that may have a kink at a score of 0, as ReLU does. Close to 0, rounding could put
/// two variants on different sides, and their gradients would differ by whole edges. Therefore half of the sources get
/// positive scores and the others negative ones, column by column, so that rounding cannot change a sign.
void keep_signs(AttentionInputs& inputs) {
  inputs.query = inputs.query.cwiseAbs() * 0.25F;
  inputs.key = inputs.key.unaryExpr([](float x) { return std::max(std::abs(x), 0.25F); });
  for (Eigen::Index source = 1; source < inputs.key.rows(); source += 2) inputs.key.row(source) *= -1;
  inputs.attention_vector = inputs.attention_vector.cwiseAbs();
}

AttentionInputs random_inputs(const Row& row, const BenchOptions& options) {
  const std::size_t columns = options.columns();
  const auto of_score = static_cast<std::size_t>(options.score->columns(options.heads, options.width));
  AttentionInputs inputs;
  inputs.score = options.score;
  inputs.normaliser = options.normaliser;
  inputs.options = options.score_options;
  inputs.heads = options.heads;
  inputs.width = options.width;
  inputs.query = random_matrix(row.nodes, of_score, options, 0);
  inputs.key = random_matrix(row.sources, of_score, options, 1);
  if (!options.score->value_is_key) inputs.value = random_matrix(row.sources, columns, options, 2);
  if (options.score->has_vector) inputs.attention_vector = random_matrix(1, columns, options, 3);
  if (!attention::sums_to_one(options.normaliser)) keep_signs(inputs);
  return inputs;
}

/// The largest |a - b| divided by the larger of the largest |a| and `scale`; infinite if the shapes differ.
double difference(const Matrix& a, const Matrix& b, double scale = 0) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return INFINITY;
  double apart = 0;
  double largest = scale;
  for (Eigen::Index i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i]));
    if (!(d <= apart)) apart = std::isnan(d) ? INFINITY : d;
    largest = std::max<double>(largest, std::abs(a.data()[i]));
  }
  return largest > 0 ? apart / largest : apart;
}

/// A variant that has been warmed up, with its timings.
struct Contender {
  Measurement* measurement;
  std::optional<Attention> attention;  ///< Not kept between rounds if memory does not suffice for all variants.
  std::vector<double> samples;         ///< Seconds per call.
  double spent = 0;
};

/// Measures one row: its mask, inputs and results.
class RowBench {
 public:
  RowBench(const graph::FrozenGraph& mask, const BenchOptions& options, Row& row)
      : mask_(mask), options_(options), row_(row), inputs_(random_inputs(row, options)) {
    if (row.pass == Pass::training) output_gradient_ = random_matrix(row.nodes, options.columns(), options, 4);
  }

  /// Runs a variant once to compare its results and measure its memory. Throws NumericalError.
  void check(Measurement& measurement, double bytes_left) {
    Contender contender{&measurement, std::nullopt, {}, 0};
    const PeakMemory peak;
    contender.attention.emplace(make(measurement.variant));
    const Clock::time_point start = Clock::now();
    const Matrix& output = contender.attention->forward();
    const AttentionGradients* gradients = nullptr;
    if (row_.pass == Pass::training) gradients = &contender.attention->backward(output_gradient_);
    const double seconds = seconds_since(start);
    measurement.peak_bytes = peak.bytes();
    compare(measurement, output, gradients);
    measurement.calls = std::clamp(static_cast<int>(kMinSampleSeconds / std::max(seconds, 1e-9)), 1, kMaxCalls);
    const double bytes = measurement.peak_bytes ? static_cast<double>(*measurement.peak_bytes)
                                                : estimate_bytes(row_, measurement.variant, options_);
    kept_bytes_ += bytes;
    if (kept_bytes_ > bytes_left) {
      kept_bytes_ -= bytes;
      contender.attention.reset();
    }
    contenders_.push_back(std::move(contender));
  }

  void call_once(Variant variant) const {
    Attention attention = make(variant);
    call(attention);
  }

  void time(const OnStep& on_step) {
    for (int round = 0; round < std::max(options_.repeats, 1); ++round)
      for (Contender& contender : contenders_) {
        if (round >= kMinRounds && contender.spent >= options_.seconds) continue;
        on_step(row_, contender.measurement->variant);
        sample(contender);
      }
    for (Contender& contender : contenders_) {
      std::vector<double>& samples = contender.samples;
      std::sort(samples.begin(), samples.end());
      const std::size_t middle = samples.size() / 2;
      const double median = samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
      contender.measurement->median_ms = 1e3 * median;
      contender.measurement->least_ms = 1e3 * samples.front();
      contender.measurement->rounds = static_cast<int>(samples.size());
    }
  }

 private:
  Attention make(Variant variant) const {
    const auto purpose = row_.pass == Pass::forward ? attention::Purpose::inference : attention::Purpose::training;
    return Attention(variant, purpose, mask_, inputs_);
  }

  void call(Attention& attention) const {
    attention.forward();
    if (row_.pass == Pass::training) attention.backward(output_gradient_);
  }

  void sample(Contender& contender) const {
    std::optional<Attention> for_once;
    if (!contender.attention) {
      for_once.emplace(make(contender.measurement->variant));
      call(*for_once);
    }
    Attention& attention = contender.attention ? *contender.attention : *for_once;
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < contender.measurement->calls; ++i) call(attention);
    const double seconds = seconds_since(start);
    contender.spent += seconds;
    contender.samples.push_back(seconds / contender.measurement->calls);
  }

  void compare(Measurement& measurement, const Matrix& output, const AttentionGradients* gradients) {
    if (reference_ == nullptr) {
      reference_ = &measurement;
      output_ = output;
      if (gradients != nullptr) gradients_ = *gradients;
    }
    measurement.output_difference = difference(output_, output);
    refuse_beyond_bound(measurement, "output", measurement.output_difference);
    if (gradients == nullptr) return;
    constexpr double kScale = kLargestInput / 100;
    const auto look = [&](const char* what, const Matrix& ours, const Matrix& theirs) {
      const double apart = difference(ours, theirs, kScale);
      refuse_beyond_bound(measurement, what, apart);
      measurement.gradient_difference = std::max(measurement.gradient_difference, apart);
    };
    look("gradient of the query", gradients_.query, gradients->query);
    look("gradient of the key", gradients_.key, gradients->key);
    look("gradient of the value", gradients_.value, gradients->value);
    look("gradient of the attention vector", gradients_.attention_vector, gradients->attention_vector);
  }

  void refuse_beyond_bound(const Measurement& measurement, const char* what, double apart) const {
    if (apart <= kAgreementBound) return;
    throw NumericalError(fmt::format(
        "bench attention: {} and {} disagree at {} nodes and {} edges, {}: the {} differs by {:.2g} of its largest "
        "entry, the bound is {:.2g}",
        name(reference_->variant), name(measurement.variant), row_.nodes, row_.edges, name(row_.pass), what, apart,
        kAgreementBound));
  }

  const graph::FrozenGraph& mask_;
  const BenchOptions& options_;
  const Row& row_;
  AttentionInputs inputs_;
  Matrix output_gradient_;
  const Measurement* reference_ = nullptr;
  Matrix output_;
  AttentionGradients gradients_;
  std::vector<Contender> contenders_;
  double kept_bytes_ = 0;
};

/// A cautious guess of the seconds per unit, before anything was measured.
double first_guess(Variant variant, Pass pass) {
  const double forward = variant == Variant::gather_scatter ? 1e-9 : 0.15e-9;
  return pass == Pass::forward ? forward : 5 * forward;
}

}  // namespace

const char* name(Pass pass) { return pass == Pass::forward ? "forward" : "training"; }

bool Row::is_skipped() const {
  return std::none_of(measurements.begin(), measurements.end(), [](const auto& m) { return m.is_measured(); });
}

bool Row::is_compared() const {
  return std::ranges::count_if(measurements, [](const auto& m) { return m.is_measured(); }) >= 2;
}

const Measurement* Row::find(Variant variant) const {
  for (const Measurement& measurement : measurements)
    if (measurement.variant == variant && measurement.is_measured()) return &measurement;
  return nullptr;
}

double mask_bytes(std::size_t nodes, std::size_t sources, double edges) {
  return 16 * edges + 8 * static_cast<double>(nodes + sources);
}

AttentionBench::AttentionBench(BenchOptions options, OnStep on_step)
    : options_(std::move(options)), on_step_(std::move(on_step)) {
  constexpr std::size_t kNodes = 128;
  const graph::FrozenGraph mask = graph::freeze(graph::random_mask(kNodes, 0.5, options_.seed), kNodes);
  for (const Pass pass : {Pass::forward, Pass::training}) {
    Row row;
    row.nodes = row.sources = kNodes;
    row.pass = pass;
    RowBench bench(mask, options_, row);
    for (const Variant variant : options_.variants) bench.call_once(variant);
  }
}

double AttentionBench::estimate_seconds(const Row& row, Variant variant) const {
  const Cost* best = nullptr;
  for (const Cost& cost : costs_)
    if (cost.variant == variant && cost.pass == row.pass && (best == nullptr || cost.units >= best->units))
      best = &cost;
  const double units = units_of(row, variant, options_);
  return best != nullptr ? best->seconds * units / best->units : first_guess(variant, row.pass) * units;
}

void AttentionBench::record(const Row& row) {
  for (const Measurement& measurement : row.measurements)
    if (const double units = units_of(row, measurement.variant, options_); measurement.is_measured() && units > 0)
      costs_.push_back({measurement.variant, row.pass, units, measurement.least_ms / 1e3});
}

std::string AttentionBench::reason_to_skip(const Row& row, Variant variant) const {
  const double bytes = mask_bytes(row.nodes, row.sources, static_cast<double>(row.edges)) +
                       estimate_bytes(row, variant, options_);
  if (bytes > options_.maximal_bytes || row.edges > graph::kMaximalArcs)
    return fmt::format("would need {}", format_bytes(bytes));
  const double seconds = estimate_seconds(row, variant);
  if (seconds > options_.maximal_seconds) return fmt::format("would take {:.1f} s per call", seconds);
  return "";
}

Row AttentionBench::measure(const graph::FrozenGraph& mask, Pass pass) {
  Row row;
  row.nodes = mask.destination_count();
  row.sources = mask.source_count();
  row.edges = mask.slot_count();
  row.density = row.edges == 0 ? 0
                               : static_cast<double>(row.edges) / static_cast<double>(row.nodes) /
                                     static_cast<double>(row.sources);
  row.asked_density = row.density;
  row.pass = pass;
  row.measurements.resize(options_.variants.size());
  RowBench bench(mask, options_, row);
  const double bytes_left =
      options_.maximal_bytes - mask_bytes(row.nodes, row.sources, static_cast<double>(row.edges));
  for (std::size_t i = 0; i < row.measurements.size(); ++i) {
    Measurement& measurement = row.measurements[i];
    measurement.variant = options_.variants[i];
    measurement.skipped = reason_to_skip(row, measurement.variant);
    if (!measurement.is_measured()) continue;
    on_step_(row, measurement.variant);
    bench.check(measurement, bytes_left);
  }
  bench.time(on_step_);
  record(row);
  return row;
}

Row AttentionBench::estimate(std::size_t nodes, double density, Pass pass) const {
  Row row;
  row.nodes = row.sources = nodes;
  row.density = row.asked_density = density;
  row.edges = static_cast<std::size_t>(density * static_cast<double>(nodes) * static_cast<double>(nodes));
  row.pass = pass;
  for (const Variant variant : options_.variants) {
    Measurement measurement;
    measurement.variant = variant;
    measurement.skipped = reason_to_skip(row, variant);
    row.measurements.push_back(std::move(measurement));
  }
  return row;
}

}  // namespace edgewise::app
