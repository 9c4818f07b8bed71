#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Quality of texts that were written, beside references of which each is right.
namespace edgewise::train {

using References = std::vector<std::string>;

/// The share of texts that equal one of their references.
double sequence_accuracy(std::span<const std::string> texts, std::span<const References> references);

/// The words of a text as sacreBLEU counts them by default ("13a", mteval-v13a): punctuation is apart, except within
/// numbers.
std::vector<std::string> bleu_tokens(std::string_view text);

/// BLEU of a corpus (Papineni et al. 2002), from 0 to 100: words of `bleu_tokens`, up to 4 in a row, and the
/// exponential smoothing of sacreBLEU (Post 2018), whose default it equals. Of several references that of the closest
/// length counts.
double bleu(std::span<const std::string> texts, std::span<const References> references);

}  // namespace edgewise::train
