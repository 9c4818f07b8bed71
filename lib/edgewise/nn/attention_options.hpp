#pragma once

#include <span>
#include <string>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// What becomes of the heads: side by side, or their mean.
enum class Merge { concat, mean };
std::vector<std::string> merge_names();

/// automatic: the input itself when the widths agree, else a projection of it.
enum class Residual { none, automatic, projection };

/// "residual" in JSON: false, true (automatic) or "projection".
struct ResidualKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static Residual read(const json::Value& config, std::string_view name, Residual fallback);
  static json::Value write(Residual value);
};

/// full: edges enter keys and values; bias: they only add a number per head to the score.
enum class EdgeMode { full, bias };
std::vector<std::string> edge_mode_names();

/// Whether the edge features of the mask are used. automatic: those there are; yes: there must be some.
enum class EdgeFeatures { automatic, yes, no };

/// Options of attention over a mask. Those in the second half are for some scores only, and without effect for others.
struct AttentionOptions {
  int inputs = 0;      ///< Columns of the rows that attend.
  int key_inputs = 0;  ///< Of the rows attended to, where the mask goes between two node sets; 0: as `inputs`.
  int heads = 1;
  int width = 0;  ///< Of each head.
  attention::Score score = attention::Score::gatv2;
  Merge merge = Merge::concat;
  MaskShape mask = {.name = "edges"};
  EdgeFeatures edge_features = EdgeFeatures::automatic;
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  attention::Precision precision = attention::Precision::float32;
  float dropout = 0;            ///< On the input.
  float attention_dropout = 0;  ///< On the attention weights.
  Residual residual = Residual::none;
  Activation activation = Activation::none;
  bool bias = true;  ///< Of the output; of dot_product: of the maps that make queries, keys and values.

  float feature_dropout = 0;      ///< gat, gatv2, bahdanau: on what is summed, after the scores were taken from it.
  float negative_slope = 0.2F;    ///< gat, gatv2: of LeakyReLU.
  bool dropout_per_head = false;  ///< gat: a mask of its own for each head's input.
  bool score_bias = false;        ///< gat: a number per head on each half of the score.
  bool share_weights = false;     ///< gatv2, bahdanau: one map for keys and queries.
  bool projection_bias = true;    ///< gatv2, bahdanau: of the maps that make keys and queries.
  bool edge_value = false;        ///< gatv2, bahdanau: edge features enter what is summed, too.
  EdgeMode edge_mode = EdgeMode::full;  ///< dot_product.
  bool scale = true;                    ///< dot_product: scores divided by sqrt(width).
  bool output_projection = false;       ///< dot_product.
  bool beta = false;                    ///< dot_product: a gate between the residual and what was summed.

  int projected_width() const { return heads * width; }
  int output_width() const { return merge == Merge::concat ? heads * width : width; }
  bool attends_to_others() const { return mask.columns != mask.rows; }
  int key_width() const { return key_inputs > 0 ? key_inputs : inputs; }
  /// Columns of the mask's edge features that are used.
  int edge_columns() const { return edge_features == EdgeFeatures::no ? 0 : mask.features; }

  friend bool operator==(const AttentionOptions&, const AttentionOptions&) = default;
};

/// The members of a block's JSON, for blocks of this score.
std::span<const Field<AttentionOptions>> attention_fields(attention::Score score);

/// Options of a block in a model: those of `config`, and what comes from the blocks before. Throws UsageError, also
/// when the block gets other rows than the mask is for.
AttentionOptions read_attention_options(attention::Score score, const json::Value& config, BuildContext& context);

/// Throws UsageError for options that contradict one another or are out of range, "<layer>: ...".
void check_options(const AttentionOptions& options, const std::string& layer);

}  // namespace edgewise::nn
