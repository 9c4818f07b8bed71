#include "edgewise/io/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/detail/foreign_pairs.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kPairStartBytes = std::size_t{1} << 20;

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

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    columns.push_back(trimmed(line.substr(0, tab)));
    line.remove_prefix(tab + 1);
  }
  columns.push_back(trimmed(line));
  return columns;
}

/// Whether the two are the header of a table of pairs, rather than the first pair.
bool are_names(std::string_view source, std::string_view target) {
  constexpr std::string_view kNames[] = {
      "source", "target", "src", "tgt", "trg", "input", "output", "question", "answer", "original", "translation",
      "sentence", "text", "word", "pronunciation", "phonemes", "en", "fr", "de", "es", "it", "pt", "nl", "ru", "zh",
      "ja", "ko", "ar", "pl", "sv", "tr", "cs", "eng", "fra", "deu", "spa", "ita", "por", "rus", "english", "french",
      "german", "spanish", "italian", "portuguese", "dutch", "russian", "chinese", "japanese", "korean", "arabic",
      "polish", "swedish", "turkish", "czech", "hindi", "latin", "greek", "vietnamese"};
  const auto is_name = [&](std::string_view text) {
    return std::ranges::any_of(kNames, [&](std::string_view name) { return equals_ignoring_case(text, name); });
  };
  return is_name(source) && is_name(target) && source != target;
}

bool is_quoted(std::string_view text) { return text.size() > 1 && text.starts_with('"') && text.ends_with('"'); }

void take_off_quotes(std::string& text) {
  text = text.substr(1, text.size() - 2);
  for (std::size_t at = text.find("\"\""); at != text.npos; at = text.find("\"\"", at + 1)) text.erase(at, 1);
}

/// Collects lines of source TAB target, and what they have in common.
class PairReader {
 public:
  PairReader(const TextReader& reader, Targets targets) : reader_(reader), targets_(targets) {
    pairs_.file = reader.path();
  }

  void add(std::string_view line) {
    if (trimmed(line).empty()) {
      if (empty_line_ == 0) empty_line_ = reader_.line_number();
      return;
    }
    if (empty_line_ > 0)
      throw DataError({.file = pairs_.file, .line = empty_line_}, "expected a pair, got an empty line: take it out");
    const std::vector<std::string_view> columns = columns_of(line);
    if (columns_ == 0) start(columns, line);
    if (reader_.line_number() == 1 && columns.size() > 1 && are_names(columns[0], columns[1])) {
      notes_.push_back(fmt::format("{}: line 1 names the columns ({}, {}), so it is not read as a pair", pairs_.file,
                                   columns[0], columns[1]));
      return;
    }
    check_count(columns.size(), line);
    check_numbers(columns);
    if (columns_ > 2 && third_.empty()) third_ = columns[2];
    pairs_.sources.push_back(side(reader_, columns[0], "source"));
    pairs_.lines.push_back(reader_.line_number());
    if (columns_ > 1) pairs_.targets.push_back(side(reader_, columns[1], "target"));
  }

  TextPairs finish() {
    check_some(pairs_);
    if (columns_ > 2) refuse_numbers();
    if (!third_.empty()) {
      notes_.push_back(fmt::format("{}: the first two of {} columns are read; the third, such as {}, is left out",
                                         pairs_.file, columns_, quote(third_)));
    }
    const auto are_quoted = [](const std::vector<std::string>& texts) { return std::ranges::all_of(texts, is_quoted); };
    if (are_quoted(pairs_.sources) && are_quoted(pairs_.targets)) {
      for (auto* texts : {&pairs_.sources, &pairs_.targets}) std::ranges::for_each(*texts, take_off_quotes);
      notes_.push_back(fmt::format("{}: the quotes around every field are taken off", pairs_.file));
    }
    return std::move(pairs_);
  }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void start(const std::vector<std::string_view>& columns, std::string_view line) {
    if (columns.size() == 1 && targets_ == Targets::required) refuse_no_tab(line);
    columns_ = columns.size();
    are_numbers_.assign(columns_, true);
  }

  [[noreturn]] void refuse_no_tab(std::string_view line) const {
    constexpr const char* kCut = " ||| ";
    refuse(reader_, fmt::format("expected source TAB target, got no tab{}",
                                line.find(kCut) != line.npos
                                    ? "; try: sed 's/ *||| */\\t/' FILE > pairs.tsv"
                                    : line.find(',') != line.npos
                                          ? "; of comma-separated values: python3 -c \"import csv, sys; [print(*row, "
                                            "sep='\\t') for row in csv.reader(sys.stdin)]\" < FILE > pairs.tsv"
                                          : ""));
  }

  void check_count(std::size_t count, std::string_view line) const {
    if (count == columns_) return;
    if (count == 1) refuse_no_tab(line);
    if (columns_ == 1) refuse(reader_, "a target, but earlier lines have none");
    refuse(reader_, fmt::format("expected {} as in the lines before, got {}; to keep the first two: cut -f1,2 FILE > "
                                "pairs.tsv",
                                counted(columns_, "column"), count));
  }

  void check_numbers(const std::vector<std::string_view>& columns) {
    for (std::size_t i = 0; i < columns_; ++i) are_numbers_[i] = are_numbers_[i] && is_number(columns[i]);
  }

  /// Throws DataError if the texts of several columns are not in the first two, as after numbers of sentences.
  void refuse_numbers() const {
    std::vector<std::size_t> texts;
    for (std::size_t i = 0; i < columns_; ++i)
      if (!are_numbers_[i]) texts.push_back(i + 1);
    if (!(are_numbers_[0] || are_numbers_[1]) || texts.size() < 2) return;
    throw DataError(
        fmt::format("{}: expected source TAB target, got {}, of which some are numbers; try: cut -f{},{} FILE "
                    "> pairs.tsv",
                    pairs_.file, counted(columns_, "column"), texts[0], texts[1]));
  }

  const TextReader& reader_;
  Targets targets_;
  TextPairs pairs_;
  std::vector<std::string> notes_;
  std::size_t columns_ = 0;
  std::vector<bool> are_numbers_;  // of the columns: all values
  std::string third_;              // a value of the third column
  std::uint64_t empty_line_ = 0;   // the first one after the last pair
};

}  // namespace

TextPairs read_pairs(const std::string& path, Targets targets, std::vector<std::string>* notes) {
  TextReader reader(path);
  detail::refuse_foreign_pairs(path, reader.start(kPairStartBytes).text);
  PairReader pairs(reader, targets);
  std::string_view line;
  while (reader.next(line)) pairs.add(line);
  TextPairs read = pairs.finish();
  if (notes != nullptr) std::ranges::copy(pairs.notes(), std::back_inserter(*notes));
  return read;
}

TextPairs read_pairs(const std::string& sources, const std::string& targets) {
  TextReader source_reader(sources), target_reader(targets);
  TextPairs pairs;
  pairs.file = sources;
  std::string_view source, target;
  std::uint64_t empty_line = 0;  // the first one, in both, after the last pair
  while (true) {
    const bool has_source = source_reader.next(source), has_target = target_reader.next(target);
    if (has_source && has_target && trimmed(source).empty() && trimmed(target).empty()) {
      if (empty_line == 0) empty_line = source_reader.line_number();
      continue;
    }
    if (empty_line > 0 && (has_source || has_target))
      throw DataError({.file = sources, .line = empty_line}, "expected a source, got an empty line: take it out");
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
