#include "edgewise/train/inputs/pair_map.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "edgewise/core/error.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::train {
namespace {

using data::Vocabulary;

/// Words, unless there are more of them than this.
constexpr std::size_t kMostWords = 5000;

/// What texts without a setting are cut into: those of single words into characters, others into words or, if these are
/// many, into their pieces.
data::Tokens usual_tokens(std::span<const std::string> texts) {
  std::set<std::string_view> words;
  std::size_t several = 0;
  for (const std::string& text : texts) {
    const std::vector<std::string_view> of_text = words_of(text);
    several += of_text.size() > 1 ? 1 : 0;
    words.insert(of_text.begin(), of_text.end());
  }
  if (several < texts.size() / 10 + 1) return data::Tokens::characters;
  return words.size() <= kMostWords ? data::Tokens::words : data::Tokens::pieces;
}

Vocabulary learn(std::optional<data::Tokens> wanted, const std::vector<std::string>& texts,
                 std::span<const graph::Node> pairs, const DataConfig& config) {
  std::vector<std::string> some;
  for (const graph::Node pair : pairs) some.push_back(texts[pair]);
  return Vocabulary::learn(
      some, {.tokens = wanted ? *wanted : usual_tokens(some),
             .pieces = static_cast<std::size_t>(config.pieces),
             .merges = config.merges});
}

void check_length(const PairItems& pairs, std::size_t pair, std::size_t tokens, std::int64_t longest,
                  const char* side) {
  if (tokens <= static_cast<std::size_t>(longest)) return;
  throw DataError(pairs.where(pair), fmt::format("a {} of {} tokens; expected at most {} ({})", side, tokens, longest,
                                                 setting("data.longest")));
}

}  // namespace

PairMap PairMap::fit(const Dataset& data, std::span<const graph::Node> train_pairs) {
  const PairItems& pairs = *data.pairs;
  PairMap map;
  map.columns_ = pairs.columns;
  map.target_ = learn(data.reading.target_tokens, pairs.texts.targets, train_pairs, data.reading);
  if (!pairs.has_rows()) {
    map.source_ = learn(data.reading.source_tokens, pairs.texts.sources, train_pairs, data.reading);
    return map;
  }
  if (data.reading.source_tokens)
    throw UsageError("data.source_tokens: the sources are rows of numbers, which have no tokens");
  for (Eigen::Index column = 0; column < pairs.rows.cols(); ++column) {
    std::vector<float> values;
    for (const graph::Node pair : train_pairs)
      for (graph::Node row = pairs.row_offsets[pair]; row < pairs.row_offsets[pair + 1]; ++row)
        values.push_back(pairs.rows(row, column));
    map.scales_.push_back(StandardScale::fit(values));
  }
  return map;
}

PairSide PairMap::sources(const PairItems& pairs, std::int64_t longest, std::vector<std::string>* notes) const {
  PairSide side;
  if (pairs.columns != columns_)
    throw ModelError(
        fmt::format("{}: the model was trained on sources of {}", pairs.texts.file,
                    columns_.empty() ? "texts" : fmt::format("the columns {}", fmt::join(columns_, ", "))));
  if (!columns_.empty()) {
    side.offsets = pairs.row_offsets;
    side.columns = static_cast<int>(columns_.size());
    side.rows = pairs.rows;
    for (std::size_t pair = 0; pair < pairs.size(); ++pair)
      check_length(pairs, pair, side.size_of(pair), longest, "source");
    for (Eigen::Index row = 0; row < side.rows.rows(); ++row)
      for (Eigen::Index column = 0; column < side.rows.cols(); ++column)
        side.rows(row, column) = scales_[static_cast<std::size_t>(column)](side.rows(row, column));
    return side;
  }
  side.columns = static_cast<int>(source_.size());
  std::vector<std::size_t> unknown;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    const std::vector<std::int32_t> tokens = source_.encode(pairs.texts.sources[pair]);
    check_length(pairs, pair, tokens.size(), longest, "source");
    if (std::ranges::count(tokens, Vocabulary::kUnknown) > 0) unknown.push_back(pair);
    side.add(tokens);
  }
  if (notes != nullptr && !unknown.empty())
    notes->push_back(fmt::format("{}:{}: the source has tokens that were not in the training part{}", pairs.texts.file,
                                 pairs.texts.lines[unknown.front()],
                                 unknown.size() > 1 ? fmt::format("; so have {} others", unknown.size() - 1) : ""));
  return side;
}

PairSide PairMap::targets(const PairItems& pairs, std::int64_t longest) const {
  PairSide side{.columns = static_cast<int>(target_.size())};
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    std::vector<std::int32_t> tokens = target_.encode(pairs.texts.targets[pair]);
    check_length(pairs, pair, tokens.size(), longest, "target");
    tokens.insert(tokens.begin(), Vocabulary::kMark);
    side.add(tokens);
  }
  return side;
}

void PairMap::check_fits(const nn::ModelShape& shape) const {
  const auto columns = static_cast<int>(columns_.empty() ? source_.size() : columns_.size());
  if (shape == pair_shape({.columns = columns}, {.columns = static_cast<int>(target_.size())})) return;
  throw ModelError("pairs: the tokens are not those that the model is made for");
}

std::vector<std::int32_t> PairMap::next_tokens(const PairSide& targets) {
  std::vector<std::int32_t> next(targets.tokens.size(), Vocabulary::kMark);
  for (std::size_t pair = 0; pair < targets.size(); ++pair)
    for (graph::Node row = targets.offsets[pair]; row + 1 < targets.offsets[pair + 1]; ++row)
      next[row] = targets.tokens[row + 1];
  return next;
}

std::vector<std::string> PairMap::source_tokens(const PairItems& pairs, std::size_t pair) const {
  std::vector<std::string> names;
  if (columns_.empty()) {
    for (const std::int32_t token : source_.encode(pairs.texts.sources[pair]))
      names.push_back(source_.names()[static_cast<std::size_t>(token)]);
    return names;
  }
  for (graph::Node row = pairs.row_offsets[pair]; row < pairs.row_offsets[pair + 1]; ++row)
    names.push_back(std::to_string(names.size() + 1));
  return names;
}

json::Value PairMap::to_json() const {
  json::Value value;
  value.set("target", target_.to_json());
  if (columns_.empty()) {
    value.set("source", source_.to_json());
    return value;
  }
  json::Array columns;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    columns.emplace_back(
        json::Object{{"name", columns_[i]}, {"mean", scales_[i].mean}, {"scale", scales_[i].scale}});
  value.set("columns", std::move(columns));
  return value;
}

PairMap PairMap::from_json(const json::Value& value) {
  value.allow_only({"source", "target", "columns"});
  PairMap map;
  map.target_ = Vocabulary::from_json(value.at("target"));
  const json::Value* columns = value.find("columns");
  if (columns == nullptr) {
    map.source_ = Vocabulary::from_json(value.at("source"));
    return map;
  }
  for (const json::Value& column : columns->as_array()) {
    map.columns_.push_back(column.at("name").as_string());
    map.scales_.push_back({.mean = column.at("mean").as_number(), .scale = column.at("scale").as_number()});
  }
  return map;
}

}  // namespace edgewise::train
