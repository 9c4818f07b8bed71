#include "generate/listops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <ostream>
#include <unordered_set>

#include "edgewise/core/atomic_file.hpp"
#include "edgewise/core/error.hpp"
#include "edgewise/core/folder.hpp"
#include "edgewise/core/random.hpp"

namespace edgewise::app {
namespace {

constexpr double kOperatorShare = 0.25;
constexpr std::size_t kTriesPerExpression = 1'000'000;

enum Token : std::uint8_t { kDigits = 10, kMin = 10, kMax, kMed, kSum, kEnd };

bool is_digit(std::uint8_t token) { return token < kDigits; }
bool is_operator(std::uint8_t token) { return token >= kDigits && token < kEnd; }

int apply(std::uint8_t operation, std::vector<int> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  switch (operation) {
    case kMin: return values.front();
    case kMax: return values.back();
    case kMed: return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    default: return std::accumulate(values.begin(), values.end(), 0) % 10;
  }
}

/// Appends a random expression; stops, with more tokens than that, once there are more than `options.max_length`.
void draw(const ListOpsOptions& options, std::size_t depth, Random& random, ListOpsExpression& expression) {
  if (expression.size() > options.max_length) return;
  if (depth >= options.depth || random.uniform() > kOperatorShare) {
    expression.push_back(static_cast<std::uint8_t>(random.below(kDigits)));
    return;
  }
  expression.push_back(static_cast<std::uint8_t>(kMin + random.below(kEnd - kMin)));
  const std::size_t count = 2 + random.below(options.arguments - 1);
  for (std::size_t i = 0; i < count; ++i) draw(options, depth + 1, random, expression);
  expression.push_back(kEnd);
}

[[noreturn]] void refuse_expression(const ListOpsExpression& expression) {
  throw UsageError(fmt::format("ListOps: expected one whole expression, got \"{}\"", listops_text(expression)));
}

std::string_view part_of(std::size_t row, const ListOpsOptions& options) {
  if (row < options.train) return "train";
  return row < options.train + options.validation ? "validation" : "test";
}

void check(const ListOpsOptions& options) {
  if (options.arguments < 2)
    throw UsageError(fmt::format("ListOps: expected operators of at least 2 arguments, got {}", options.arguments));
  if (options.min_length > options.max_length)
    throw UsageError(fmt::format("ListOps: expected lengths that ascend, got {} to {}", options.min_length,
                                 options.max_length));
}

}  // namespace

const std::vector<std::string_view>& listops_tokens() {
  static const std::vector<std::string_view> kTokens = {"0", "1", "2", "3",    "4",    "5",    "6",   "7",
                                                        "8", "9", "[MIN", "[MAX", "[MED", "[SM", "]"};
  return kTokens;
}

std::string listops_text(const ListOpsExpression& expression) {
  std::string text;
  for (const std::uint8_t token : expression) text.append(text.empty() ? "" : " ").append(listops_tokens().at(token));
  return text;
}

std::vector<std::size_t> listops_heads(const ListOpsExpression& expression) {
  std::vector<std::size_t> heads, open;
  for (const std::uint8_t token : expression) {
    if (!heads.empty() && open.empty()) refuse_expression(expression);
    heads.push_back(open.empty() ? 0 : open.back());
    if (is_operator(token)) open.push_back(heads.size());
    if (token != kEnd) continue;
    if (open.empty() || open.back() + 1 == heads.size()) refuse_expression(expression);
    open.pop_back();
  }
  if (heads.empty() || !open.empty()) refuse_expression(expression);
  return heads;
}

int evaluate_listops(const ListOpsExpression& expression) {
  const std::vector<std::size_t> heads = listops_heads(expression);
  std::vector<std::vector<int>> values(expression.size() + 1);  // of the operator at each place; place 0: the result
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (is_digit(expression[i])) values[heads[i]].push_back(expression[i]);
    if (expression[i] != kEnd) continue;
    const std::size_t place = heads[i];
    values[heads[place - 1]].push_back(apply(expression[place - 1], std::move(values[place])));
  }
  return values[0].front();
}

std::vector<ListOpsExpression> generate_listops(const ListOpsOptions& options) {
  check(options);
  const std::size_t count = options.train + options.validation + options.test;
  std::vector<ListOpsExpression> expressions;
  std::unordered_set<std::string> known;
  Random random(options.seed, Stream::generate);
  for (std::size_t tries = 0; expressions.size() < count; ++tries) {
    if (tries == kTriesPerExpression)
      throw UsageError(
          fmt::format("ListOps: found only {} different expressions of {}: allow other lengths, more depth "
                      "or more arguments",
                      expressions.size(), count));
    ListOpsExpression expression;
    draw(options, 1, random, expression);
    if (expression.size() < options.min_length || expression.size() > options.max_length) continue;
    if (!known.insert(listops_text(expression)).second) continue;
    expressions.push_back(std::move(expression));
    tries = 0;
  }
  return expressions;
}

void write_listops(const std::string& directory, const ListOpsOptions& options,
                   const std::vector<ListOpsExpression>& expressions, bool with_trees) {
  make_folder(directory);
  const std::filesystem::path folder = directory;
  write_file_atomically((folder / "expressions.csv").string(), [&](std::ostream& out) {
    out << "id,text,value,split\n";
    for (std::size_t row = 0; row < expressions.size(); ++row)
      out << fmt::format("{},{},{},{}\n", row + 1, listops_text(expressions[row]), evaluate_listops(expressions[row]),
                         part_of(row, options));
  });
  if (!with_trees) return;
  write_file_atomically((folder / "tokens.csv").string(), [&](std::ostream& out) {
    out << "expression,position,token,head\n";
    for (std::size_t row = 0; row < expressions.size(); ++row) {
      const std::vector<std::size_t> heads = listops_heads(expressions[row]);
      for (std::size_t i = 0; i < heads.size(); ++i)
        out << fmt::format("{},{},{},{}\n", row + 1, i + 1, listops_tokens()[expressions[row][i]], heads[i]);
    }
  });
}

}  // namespace edgewise::app
