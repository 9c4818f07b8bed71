#include "edgewise/io/pairs.hpp"

#include <fmt/format.h>

#include <string_view>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

[[noreturn]] void refuse(const TextReader& reader, std::string_view what) {
  throw DataError({.file = reader.path(), .line = reader.line_number()}, what);
}

/// The text without what is around it. Throws DataError if nothing is left.
std::string side(const TextReader& reader, std::string_view text, const char* name) {
  const std::string_view kept = trimmed(text);
  if (kept.empty()) refuse(reader, fmt::format("expected a {}, got nothing", name));
  return std::string(kept);
}

void check_some(const TextPairs& pairs) {
  if (pairs.sources.empty()) throw DataError(fmt::format("{}: expected at least one pair, got none", pairs.file));
}

}  // namespace

TextPairs read_pairs(const std::string& path, Targets targets) {
  TextReader reader(path);
  TextPairs pairs;
  pairs.file = path;
  std::string_view line;
  while (reader.next(line)) {
    const std::size_t tab = line.find('\t');
    const bool is_source_only = tab == std::string_view::npos;
    if (is_source_only && (targets == Targets::required || !pairs.targets.empty()))
      refuse(reader, "expected source TAB target, got no tab");
    pairs.sources.push_back(side(reader, line.substr(0, tab), "source"));
    pairs.lines.push_back(reader.line_number());
    if (is_source_only) continue;
    if (pairs.targets.size() + 1 < pairs.sources.size()) refuse(reader, "a target, but earlier lines have none");
    if (line.find('\t', tab + 1) != std::string_view::npos) refuse(reader, "expected one tab, got more");
    pairs.targets.push_back(side(reader, line.substr(tab + 1), "target"));
  }
  check_some(pairs);
  return pairs;
}

TextPairs read_pairs(const std::string& sources, const std::string& targets) {
  TextReader source_reader(sources), target_reader(targets);
  TextPairs pairs;
  pairs.file = sources;
  std::string_view source, target;
  while (true) {
    const bool has_source = source_reader.next(source), has_target = target_reader.next(target);
    if (has_source != has_target) {
      const TextReader& longer = has_source ? source_reader : target_reader;
      refuse(longer, fmt::format("{} ends before this line; expected as many lines in both",
                                 has_source ? targets : sources));
    }
    if (!has_source) break;
    pairs.sources.push_back(side(source_reader, source, "source"));
    pairs.targets.push_back(side(target_reader, target, "target"));
    pairs.lines.push_back(source_reader.line_number());
  }
  check_some(pairs);
  return pairs;
}

TextPairs read_pronunciations(const std::string& path) {
  TextReader reader(path);
  TextPairs pairs;
  pairs.file = path;
  std::string_view line;
  while (reader.next(line)) {
    line = line.substr(0, line.find(" #"));
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) refuse(reader, "expected a word and its phonemes");
    std::string_view word = line.substr(0, blank);
    if (word.ends_with(')')) word = word.substr(0, word.rfind('('));
    pairs.sources.push_back(side(reader, word, "word"));
    pairs.targets.push_back(side(reader, line.substr(blank), "pronunciation"));
    pairs.lines.push_back(reader.line_number());
  }
  check_some(pairs);
  return pairs;
}

}  // namespace edgewise::io
