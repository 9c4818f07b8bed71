#include "edgewise/nn/attention_options.hpp"

#include <fmt/format.h>

#include <array>

#include "edgewise/core/check.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/nn/masks.hpp"

namespace edgewise::nn {

namespace {

struct Number : json::Plain<float> {
  static constexpr json::FieldType kType = json::FieldType::number;
  static float read(const json::Value& config, std::string_view name, float fallback) {
    return json::read_float(config, name, fallback);
  }
};

constexpr std::array kSharedFields = {
    field<&AttentionOptions::width, Width>("width", "of each head"),
    field<&AttentionOptions::heads, HeadCount>("heads", "heads"),
    field<&AttentionOptions::merge, Choice<merge_names>>("merge", "heads side by side, or their mean"),
    field<&AttentionOptions::dropout, Probability>("dropout", "on the input"),
    field<&AttentionOptions::attention_dropout, Probability>("attention_dropout", "on the attention weights"),
    field<&AttentionOptions::residual, ResidualKind>("residual", "a connection around the block"),
    field<&AttentionOptions::activation, Choice<activation_names>>("activation", "at the end"),
    field<&AttentionOptions::mask, MaskName>("mask", "what each row attends to"),
    field<&AttentionOptions::edge_features, EdgeFeaturesKind>("edge_features", "whether the mask's are used"),
    field<&AttentionOptions::normaliser, Choice<attention::normaliser_names>>("normaliser",
                                                                              "how scores become weights"),
    field<&AttentionOptions::bias, Flag>("bias", "whether there is one"),
};

constexpr auto kFeatureDropout = field<&AttentionOptions::feature_dropout, Probability>(
    "feature_dropout", "on the values, after the scores are computed");
constexpr auto kNegativeSlope = field<&AttentionOptions::negative_slope, Number>("negative_slope", "of LeakyReLU");

constexpr std::array kGatOnly = {
    kFeatureDropout,
    kNegativeSlope,
    field<&AttentionOptions::dropout_per_head, Flag>("dropout_per_head", "a separate mask for each head's input"),
    field<&AttentionOptions::score_bias, Flag>("score_bias", "one number per head on each half of the score"),
};

constexpr auto kRelations = field<&AttentionOptions::relations, json::Integer<0, kMostRelations>>(
    "relations", "each of so many relations has maps of its own");

constexpr std::array kBahdanauOnly = {
    kFeatureDropout,
    field<&AttentionOptions::share_weights, Flag>("share_weights", "one map for keys and queries"),
    field<&AttentionOptions::projection_bias, Flag>("projection_bias", "in the maps to keys and queries"),
    field<&AttentionOptions::edge_value, Flag>("edge_value", "edge features are also added to the values"),
    kRelations,
};

constexpr std::array kSlopeOnly = {kNegativeSlope};

constexpr std::array kDotProductOnly = {
    field<&AttentionOptions::edge_mode, Choice<edge_mode_names>>("edge_mode", "what edge features are added to"),
    field<&AttentionOptions::scale, Flag>("scale", "whether scores are divided by sqrt(width)"),
    field<&AttentionOptions::output_projection, Flag>("output_projection", "a map of the merged heads"),
    field<&AttentionOptions::beta, Flag>("beta", "a gate between the residual and the weighted sum"),
    kRelations,
};

/// The fields of both arrays.
template <std::size_t N, std::size_t M>
constexpr auto join(const std::array<Field<AttentionOptions>, N>& a, const std::array<Field<AttentionOptions>, M>& b) {
  std::array<Field<AttentionOptions>, N + M> both{};
  for (std::size_t i = 0; i < N; ++i) both[i] = a[i];
  for (std::size_t i = 0; i < M; ++i) both[N + i] = b[i];
  return both;
}

constexpr auto kGatFields = join(kSharedFields, kGatOnly);
constexpr auto kBahdanauFields = join(kSharedFields, kBahdanauOnly);
constexpr auto kGatv2Fields = join(kBahdanauFields, kSlopeOnly);
constexpr auto kDotProductFields = join(kSharedFields, kDotProductOnly);

/// A problem with the options as a whole: the member, and what was expected. Empty if there is none.
struct Problem {
  const char* member = nullptr;
  const char* expected = nullptr;
};

Problem problem_of(const AttentionOptions& options) {
  if (std::int64_t{options.heads} * options.width > kWidestRow)
    return {"heads", "expected heads * width of at most 16777216"};
  if (options.relations > 0 && options.mask.name != kEdges)
    return {"relations", "expected the mask \"edges\", whose features say of which relation each edge is"};
  if (options.edge_features == EdgeFeatures::yes && options.edge_columns() == 0)
    return {"edge_features", "expected edges with features: the graph has none"};
  if (options.attends_to_others() && (options.share_weights || options.dropout_per_head))
    return {options.share_weights ? "share_weights" : "dropout_per_head",
            "expected keys and queries from the same node set"};
  if (!(options.negative_slope >= 0)) return {"negative_slope", "expected a number of at least 0"};
  if (options.beta && options.residual == Residual::none)
    return {"beta", "expected \"residual\" as well, which it gates"};
  return {};
}

}  // namespace

Residual ResidualKind::read(const json::Value& config, std::string_view name, Residual fallback) {
  const json::Value* value = config.find(name);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->as_bool() ? Residual::automatic : Residual::none;
  if (value->is_string() && value->as_string() == "projection") return Residual::projection;
  refuse(config, name, "expected true, false or \"projection\"");
}

json::Value ResidualKind::write(Residual value) {
  return value == Residual::projection ? json::Value("projection") : json::Value(value == Residual::automatic);
}

EdgeFeatures EdgeFeaturesKind::read(const json::Value& config, std::string_view name, EdgeFeatures fallback) {
  const json::Value* value = config.find(name);
  if (value == nullptr) return fallback;
  if (value->is_bool()) return value->as_bool() ? EdgeFeatures::yes : EdgeFeatures::no;
  if (value->is_string() && value->as_string() == "auto") return EdgeFeatures::automatic;
  refuse(config, name, "expected true, false or \"auto\"");
}

json::Value EdgeFeaturesKind::write(EdgeFeatures value) {
  return value == EdgeFeatures::automatic ? json::Value("auto") : json::Value(value == EdgeFeatures::yes);
}

std::vector<std::string> merge_names() { return {"concat", "mean"}; }
std::vector<std::string> edge_mode_names() { return {"full", "bias"}; }

std::span<const Field<AttentionOptions>> attention_fields(attention::Score score) {
  switch (score) {
    case attention::Score::gat:
      return kGatFields;
    case attention::Score::gatv2:
      return kGatv2Fields;
    case attention::Score::bahdanau:
      return kBahdanauFields;
    case attention::Score::dot_product:
      break;
  }
  return kDotProductFields;
}

AttentionOptions read_attention_options(attention::Score score, const json::Value& config, BuildContext& context) {
  AttentionOptions options = read_fields(config, attention_fields(score), context.shape);
  use_mask(config, options.mask, context);
  options.score = score;
  options.inputs = context.width;
  options.key_inputs = options.attends_to_others() ? key_width(options.mask, context) : 0;
  if (const Problem problem = problem_of(options); problem.member != nullptr)
    refuse(config, problem.member, problem.expected);
  context.width = options.output_width();
  return options;
}

void check_options(const AttentionOptions& options, const std::string& layer) {
  const Problem problem = problem_of(options);
  if (problem.member != nullptr) throw UsageError(fmt::format("{}: {}: {}", layer, problem.member, problem.expected));
  if (options.heads < 1 || options.heads > kMaxHeads || options.width < 1 || options.inputs < 0)
    throw UsageError(fmt::format("{}: expected inputs, a width and 1 to {} heads, got {}, {} and {}", layer, kMaxHeads,
                                 options.inputs, options.width, options.heads));
  for (const float probability : {options.dropout, options.attention_dropout, options.feature_dropout})
    check_probability(layer, probability);
}

}  // namespace edgewise::nn
