#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgewise::attention {

/// How a query and a key are scored; one header per score in scores/, in alphabetical order. Names: "bahdanau",
/// "dot_product", "gat", "gatv2".
enum class Score { bahdanau, dot_product, gat, gatv2 };

/// What turns the scores of a destination's edges into attention weights; one header per normaliser in normalisers/, in
/// alphabetical order. Names: "none", "relu", "softmax".
enum class Normaliser { none, relu, softmax };

std::string_view name(Score score);
std::string_view name(Normaliser normaliser);

/// Whether the weights of a row with edges sum to 1.
bool sums_to_one(Normaliser normaliser);

/// The value with that name. Throws UsageError, listing the known names, if there is none.
Score score_named(std::string_view name);
Normaliser normaliser_named(std::string_view name);
/// All names, in the order of the enumeration.
std::vector<std::string> score_names();
std::vector<std::string> normaliser_names();

/// Parameters of a score besides its tables.
struct ScoreOptions {
  float negative_slope = 0.2F;  ///< Of the LeakyReLU in GAT and GATv2, at least 0.
  bool scale = true;            ///< Dot product: divide by the square root of the head width.
};

/// Dropout on attention weights. A weight is element slot * heads + head of the mask identified by `key`. Kept weights
/// are divided by 1 - probability. The mask is never stored: the backward pass generates it again.
struct WeightDropout {
  float probability = 0;
  std::uint64_t key = 0;
};

}  // namespace edgewise::attention
