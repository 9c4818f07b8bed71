#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "edgewise/attention/options.hpp"
#include "edgewise/nn/activation.hpp"
#include "edgewise/nn/block.hpp"
#include "edgewise/nn/fields.hpp"

namespace edgewise::nn {

/// The default of "heads" for presets that have them.
inline constexpr int kDefaultHeads = 8;

/// How heads are merged: side by side, or averaged.
enum class Merge { concat, mean };
std::vector<std::string> merge_names();

/// automatic: the input itself if the widths match, otherwise a projection of it.
enum class Residual { none, automatic, projection };

/// "residual" in JSON: false, true (automatic) or "projection".
struct ResidualKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static Residual read(const json::Value& config, std::string_view name, Residual fallback);
  static json::Value write(Residual value);
};

/// full: edge features are added to keys and values; bias: they only add a number per head to the score.
enum class EdgeMode { full, bias };
std::vector<std::string> edge_mode_names();

/// Whether the edge features of the mask are used. automatic: if there are any; yes: there must be some.
enum class EdgeFeatures { automatic, yes, no };

/// "edge_features" in JSON: true, false or "auto".
struct EdgeFeaturesKind {
  static constexpr json::FieldType kType = json::FieldType::text;
  static EdgeFeatures read(const json::Value& config, std::string_view name, EdgeFeatures fallback);
  static json::Value write(EdgeFeatures value);
};

/// Options of attention over a mask. Those in the second half apply to some scores only and have no effect on others.
struct AttentionOptions {
  int inputs = 0;      ///< Columns of the rows that attend.
  int key_inputs = 0;  ///< Of the rows attended to, if the mask connects two node sets; 0: as `inputs`.
  int heads = 1;
  int width = 0;  ///< Of each head.
  attention::Score score = attention::Score::gatv2;
  Merge merge = Merge::concat;
  MaskShape mask = {.name = "edges"};
  EdgeFeatures edge_features = EdgeFeatures::automatic;
  attention::Normaliser normaliser = attention::Normaliser::softmax;
  float dropout = 0;            ///< On the input.
  float attention_dropout = 0;  ///< On the attention weights.
  Residual residual = Residual::none;
  Activation activation = Activation::none;
  bool bias = true;  ///< On the output; dot_product: in the projections to queries, keys and values.

  float feature_dropout = 0;      ///< gat, gatv2, bahdanau: on the values, after the scores are computed.
  float negative_slope = 0.2F;    ///< gat, gatv2: of LeakyReLU.
  bool dropout_per_head = false;  ///< gat: a separate mask for each head's input.
  bool score_bias = false;        ///< gat: one number per head on each half of the score.
  bool share_weights = false;     ///< gatv2, bahdanau: one projection for keys and queries.
  bool projection_bias = true;    ///< gatv2, bahdanau: in the projections to keys and queries.
  bool edge_value = false;        ///< gatv2, bahdanau: edge features are also added to the values.
  EdgeMode edge_mode = EdgeMode::full;  ///< dot_product.
  bool scale = true;                    ///< dot_product: divide scores by sqrt(width).
  bool output_projection = false;       ///< dot_product.
  bool beta = false;                    ///< dot_product: a gate between the residual and the weighted sum.
  /// gatv2, bahdanau: if not 0, there is one of each of so many relations, all summed; dot_product: keys and values are
  /// maps of their own of each.
  int relations = 0;

  int projected_width() const { return heads * width; }
  int output_width() const { return merge == Merge::concat ? heads * width : width; }
  bool attends_to_others() const { return mask.columns != mask.rows; }
  int key_width() const { return key_inputs > 0 ? key_inputs : inputs; }
  /// Columns of the mask's edge features that are used.
  int edge_columns() const {
    return edge_features == EdgeFeatures::no ? 0 : std::max(mask.features - relations, 0);
  }

  friend bool operator==(const AttentionOptions&, const AttentionOptions&) = default;
};

/// The JSON members of blocks with this score.
std::span<const Field<AttentionOptions>> attention_fields(attention::Score score);

/// Options of a block in a model, from `config` and from the previous blocks. Throws UsageError, also if the block gets
/// other rows than those the mask is for.
AttentionOptions read_attention_options(attention::Score score, const json::Value& config, BuildContext& context);

/// Throws UsageError for options that contradict one another or are out of range, "<layer>: ...".
void check_options(const AttentionOptions& options, const std::string& layer);

}  // namespace edgewise::nn
