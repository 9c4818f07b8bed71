#include "edgewise/data/vocabulary.hpp"

#include <algorithm>
#include <map>

#include "edgewise/core/json_fields.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::data {

std::vector<std::string> tokens_names() { return {"words", "characters", "pieces"}; }

Vocabulary Vocabulary::learn(std::span<const std::string> texts, const VocabularyOptions& options) {
  Vocabulary made;
  made.tokens_ = options.tokens;
  if (options.tokens == Tokens::pieces)
    made.byte_pairs_ =
        options.merges.empty() ? BytePairs::learn(texts, options.pieces) : BytePairs::read(options.merges);
  std::map<std::string, std::size_t> counts;
  for (const std::string& text : texts)
    for (std::string& token : made.cut(text)) ++counts[std::move(token)];
  std::vector<std::pair<std::string, std::size_t>> kept(counts.begin(), counts.end());
  std::erase_if(kept, [&](const auto& token) { return token.second < options.least_count; });
  std::ranges::stable_sort(kept, std::ranges::greater(), [](const auto& token) { return token.second; });
  std::vector<std::string> names = {"</s>", "<unk>"};
  for (auto& [token, count] : kept) names.push_back(token);
  made.set_names(std::move(names));
  return made;
}

void Vocabulary::set_names(std::vector<std::string> names) {
  names_ = std::move(names);
  for (std::size_t i = kUnknown + 1; i < names_.size(); ++i) numbers_.emplace(names_[i], static_cast<std::int32_t>(i));
}

std::vector<std::string> Vocabulary::cut(std::string_view text) const {
  std::vector<std::string> tokens;
  if (tokens_ == Tokens::characters) {
    for (const std::string_view character : characters_of(text)) tokens.emplace_back(character);
    return tokens;
  }
  for (const std::string_view word : words_of(text)) {
    if (tokens_ == Tokens::words)
      tokens.emplace_back(word);
    else
      std::ranges::move(byte_pairs_.split(word), std::back_inserter(tokens));
  }
  return tokens;
}

std::vector<std::int32_t> Vocabulary::encode(std::string_view text) const {
  std::vector<std::int32_t> numbers;
  for (const std::string& token : cut(text)) {
    const auto found = numbers_.find(token);
    numbers.push_back(found != numbers_.end() ? found->second : kUnknown);
  }
  return numbers;
}

std::string Vocabulary::decode(std::span<const std::int32_t> tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) {
    std::string_view name = names_[static_cast<std::size_t>(token)];
    const bool ends_word = tokens_ == Tokens::pieces && name.ends_with(kWordEnd);
    if (ends_word) name.remove_suffix(kWordEnd.size());
    text += name;
    if (ends_word || tokens_ == Tokens::words) text += ' ';
  }
  while (tokens_ != Tokens::characters && text.ends_with(' ')) text.pop_back();
  return text;
}

json::Value Vocabulary::to_json() const {
  json::Value value;
  value.set("kind", tokens_names()[static_cast<std::size_t>(tokens_)]);
  value.set("tokens", names_);
  if (tokens_ != Tokens::pieces) return value;
  std::vector<std::string> merges;
  for (const auto& [first, second] : byte_pairs_.merges()) merges.push_back(first + " " + second);
  value.set("merges", merges);
  return value;
}

Vocabulary Vocabulary::from_json(const json::Value& value) {
  value.allow_only({"kind", "tokens", "merges"});
  Vocabulary made;
  value.at("kind");
  made.tokens_ = static_cast<Tokens>(json::read_choice(value, "kind", tokens_names(), 0));
  std::vector<std::string> names = value.at("tokens").as_strings();
  if (names.size() < 2) json::refuse(value, "tokens", "expected at least two");
  made.set_names(std::move(names));
  if (made.tokens_ != Tokens::pieces) return made;
  std::vector<BytePairs::Merge> merges;
  for (const std::string& merge : value.at("merges").as_strings()) {
    const std::vector<std::string_view> pieces = words_of(merge);
    if (pieces.size() != 2) json::refuse(value, "merges", "expected two pieces each");
    merges.emplace_back(pieces[0], pieces[1]);
  }
  made.byte_pairs_ = BytePairs(std::move(merges));
  return made;
}

}  // namespace edgewise::data
