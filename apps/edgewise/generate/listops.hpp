#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// ListOps (Nangia and Bowman 2018): nested lists of digits with the operators minimum, maximum, median (rounded down)
/// and sum modulo 10, such as "[MAX 2 9 [MIN 4 7 ] 0 ]", whose value is 9.
namespace edgewise::app {

struct ListOpsOptions {
  std::size_t train = 4000, validation = 500, test = 500;  ///< Numbers of expressions.
  std::size_t depth = 5;                                   ///< Of a digit alone: 1.
  std::size_t arguments = 5;                               ///< Most arguments of an operator.
  std::size_t min_length = 10, max_length = 100;           ///< In tokens, both included.
  std::uint64_t seed = 7;
};

/// The expressions of Long Range Arena (Tay et al. 2021).
inline constexpr ListOpsOptions kLongRangeArena = {.train = 96'000,
                                                   .validation = 2'000,
                                                   .test = 2'000,
                                                   .depth = 10,
                                                   .arguments = 10,
                                                   .min_length = 501,
                                                   .max_length = 1'999};

/// An operator, a digit, or a closing bracket: an index into `listops_tokens`.
using ListOpsExpression = std::vector<std::uint8_t>;

/// "0" to "9", "[MIN", "[MAX", "[MED", "[SM", "]".
const std::vector<std::string_view>& listops_tokens();

std::string listops_text(const ListOpsExpression& expression);

/// For each token the place, from 1, of the operator whose argument or bracket it is; 0 for the first. Throws
/// UsageError for tokens that are not one whole expression.
std::vector<std::size_t> listops_heads(const ListOpsExpression& expression);

/// From 0 to 9. Throws as `listops_heads`.
int evaluate_listops(const ListOpsExpression& expression);

/// All different: those to train on, then those to validate and to test on. A place is an operator with probability
/// 0.25, at the greatest depth never, and expressions of other lengths are dropped, as in the generator of Long Range
/// Arena. Throws UsageError if there are too few.
std::vector<ListOpsExpression> generate_listops(const ListOpsOptions& options);

/// Writes `directory`/expressions.csv (id,text,value,split), and with `with_trees` tokens.csv
/// (expression,position,token,head), creating the directory if needed. Throws DataError if a file cannot be written.
void write_listops(const std::string& directory, const ListOpsOptions& options,
                   const std::vector<ListOpsExpression>& expressions, bool with_trees);

}  // namespace edgewise::app
