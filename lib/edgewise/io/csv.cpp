#include "edgewise/io/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "edgewise/core/observer.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/neo4j_header.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io {
namespace {

constexpr std::size_t kMaxCommentBytes = std::size_t{1} << 16;
constexpr std::size_t kColumnsShown = 20;  // in messages

bool is_blank(char character) { return character == ' ' || character == '\t'; }

bool starts_comment(std::string_view line) { return line.front() == '#' || line.front() == '%'; }

Delimiter detect(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  std::size_t tabs = 0, commas = 0, semicolons = 0;
  bool is_quoted = false;
  for (const char character : line) {
    if (character == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    tabs += character == '\t';
    commas += character == ',';
    semicolons += character == ';';
  }
  const std::size_t most = std::max({tabs, commas, semicolons});
  const bool has_bars = line.find('|') != line.npos && line.find(" |") == line.npos;  // " |": CXSMILES
  if (most == 0 && has_bars && !is_quoted) return Delimiter::bar;
  // Quoted: a record spanning lines. One word: a one-column table whose rows may contain spaces.
  const bool has_blanks = std::any_of(line.begin(), line.end(), is_blank);
  if (most == 0) return is_quoted || !has_blanks ? Delimiter::comma : Delimiter::whitespace;
  return tabs == most ? Delimiter::tab : commas == most ? Delimiter::comma : Delimiter::semicolon;
}

bool could_name_columns(std::span<const std::string_view> fields) {
  std::unordered_set<std::string_view> names;
  return std::ranges::all_of(fields, [&](std::string_view field) {
    return !field.empty() && !starts_comment(field) && !is_number(field) && names.insert(field).second;
  });
}

std::vector<std::string_view> fields_of(std::string_view line, Delimiter delimiter) {
  std::vector<std::string_view> fields;
  while (delimiter != Delimiter::whitespace || !trimmed(line).empty()) {
    if (delimiter == Delimiter::whitespace) line = trimmed(line);
    const std::size_t end = delimiter == Delimiter::whitespace ? line.find_first_of(" \t")
                                                               : line.find(static_cast<char>(delimiter));
    fields.push_back(line.substr(0, end));
    if (end == line.npos) break;
    line.remove_prefix(end + 1);
  }
  return fields;
}

/// Whether a line within the field `quoted` of a record could be a row of a table with `width` columns: it has as many
/// fields, and numbers where the record has them.
bool looks_like_row(std::string_view line, Delimiter delimiter, std::span<const std::string_view> record,
                    std::size_t quoted, std::size_t width) {
  constexpr std::size_t kFew = 2;  // columns, as many as the parts of many a sentence
  const std::vector<std::string_view> fields = fields_of(line, delimiter);
  if (fields.size() != width || width < kFew) return false;
  const std::size_t compared = record.size() == width ? width : quoted;
  std::size_t numbers = 0;
  for (std::size_t i = 0; i < compared; ++i) {
    if (i == quoted) continue;
    if (is_number(trimmed(fields[i])) != is_number(record[i])) return false;
    numbers += is_number(record[i]) ? 1 : 0;
  }
  if (numbers > 0 && width > kFew) return true;
  return delimiter != Delimiter::whitespace &&  // in prose, a blank follows a comma
         std::ranges::none_of(fields, [](std::string_view field) { return !field.empty() && is_blank(field.front()); });
}

const char* name_of(Delimiter delimiter) {
  switch (delimiter) {
    case Delimiter::tab:
      return "tab";
    case Delimiter::semicolon:
      return "semicolon";
    case Delimiter::bar:
      return "vertical bar";
    case Delimiter::whitespace:
      return "blank";
    default:
      return "comma";
  }
}

}  // namespace

CsvReader::CsvReader(FileList files)
    : files_(std::move(files)),
      path_(files_.front()),
      memory_(files_.size() == 1 ? table_in_memory(path_) : nullptr) {
  if (memory_ == nullptr) {
    text_.emplace(path_);
    return;
  }
  delimiter_ = Delimiter::comma;
  is_left_out_.resize(memory_->columns.size());
  buffers_.resize(memory_->columns.size());
  if (!memory_->comment.empty()) comments_.push_back(memory_->comment);
}

TextStart CsvReader::start(std::size_t bytes) {
  if (text_) return text_->start(bytes);
  TextStart start{.text = "", .is_whole = true};
  for_each_line(*memory_, [&](std::string_view line) {
    start.is_whole = start.text.size() + line.size() <= bytes;
    if (start.is_whole) start.text += line;
    return start.is_whole;
  });
  return start;
}

bool CsvReader::next_in_memory() {
  constexpr std::uint64_t kRowsAtATime = 1 << 12;
  if (line_ > memory_->rows) return false;
  const std::size_t columns = memory_->columns.size();
  fields_.resize(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    const MemoryColumn& column = memory_->columns[i];
    fields_[i] = line_ == 0        ? std::string_view(column.name)
                 : is_left_out_[i] ? std::string_view()
                                   : column.text(line_ - 1, buffers_[i]);
  }
  if (line_++ % kRowsAtATime == 0)
    report_step("reading " + path_, static_cast<double>(line_), static_cast<double>(memory_->rows));
  return true;
}

bool CsvReader::next() {
  if (next_in_file()) return true;
  while (file_ + 1 < files_.size())
    if (begin_file()) return true;
  return false;
}

/// Goes on to the first row of the next file; false if that has none.
bool CsvReader::begin_file() {
  path_ = files_.files()[++file_];
  text_.emplace(path_);
  delimiter_ = Delimiter::automatic;
  comments_.clear();
  comment_lines_.clear();
  commented_records_.clear();
  comment_bytes_ = 0;
  places_.clear();
  const std::size_t width = std::exchange(width_, 0);
  if (!next_in_file())
    throw DataError(fmt::format("{}: holds no rows, expected the columns of {}", path_, files_.front()));
  if (!names_.empty()) return take_names();
  if (width_ == width) return true;
  throw RaggedRecord(where(), fmt::format("expected {}, as in {}, found {}", counted(width, "field"), files_.front(),
                                          width_));
}

/// Finds the columns of the first file in the current record, which is the first, or in a comment before it, and goes
/// on to the first row; false if there is none.
bool CsvReader::take_names() {
  const auto places_in = [&](const std::vector<std::string>& names) {
    std::vector<std::size_t> places;
    for (const std::string& name : names_) {
      const auto found = std::ranges::find(names, name);
      if (found != names.end()) places.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    return names.size() == names_.size() && places.size() == names_.size() ? places : std::vector<std::size_t>();
  };
  for (const CommentedRecord& comment : commented_records_) {
    const std::vector<std::size_t> places = places_in(comment.fields);
    if (places.empty()) continue;
    set_places(places);
    arrange();
    return true;
  }
  const std::vector<std::string> names = header_names(fields_, where());
  if (const std::vector<std::size_t> places = places_in(names); !places.empty()) {
    set_places(places);
    return next_in_file();
  }
  throw DataError(where(), fmt::format("expected the columns of {}, {}, found {}", files_.front(),
                                       list_of_columns(names_), list_of_columns(names)));
}

void CsvReader::set_places(const std::vector<std::size_t>& places) {
  if (!std::ranges::is_sorted(places)) places_ = places;
}

/// Puts the fields into the order of the first file's columns.
void CsvReader::arrange() {
  if (places_.empty()) return;
  const std::vector<std::string_view> found = fields_;
  for (std::size_t i = 0; i < places_.size(); ++i) fields_[i] = found[places_[i]];
}

bool CsvReader::next_in_file() {
  if (is_held_) {
    is_held_ = false;
    return true;
  }
  if (memory_ != nullptr) return next_in_memory();
  std::string_view line;
  for (;;) {
    if (!text_->next(line)) return false;
    if (line.empty() || take_separator(line)) continue;
    if (is_blank(line.front()) && trimmed(line).empty()) continue;
    looks_commented_ = starts_comment(line);
    if (looks_commented_ && width_ == 0 && !(is_row_ && is_row_(trimmed(line)))) {
      add_comment(line.substr(1));
      continue;
    }
    if (looks_commented_ && width_ > 0 && comments_after_ == Comments::anywhere) {
      count_commented_row(text_->line_number());
      continue;
    }
    line_ = text_->line_number();
    if (delimiter_ == Delimiter::automatic) delimiter_ = detect(line);
    split(line);
    if (width_ == 0 && !comments_.empty()) {
      std::vector<std::string_view> record = fields_;  // examining comments leaves the text of the record alone
      examine_comments(record.size());
      fields_ = std::move(record);
    }
    if (width_ == 0) width_ = fields_.size();
    if (fields_.size() == width_) {
      arrange();
      return true;
    }
    if (!looks_commented_ || comments_after_ == Comments::leading) break;
    count_commented_row(line_);
  }
  throw RaggedRecord(where(), fmt::format("expected {} separated by {}, found {}{}", counted(width_, "field"),
                                          name_of(delimiter_), fields_.size(),
                                          looks_commented_ ? "; comments may only stand before the first row" : ""));
}

void CsvReader::split(std::string_view line) {
  fields_.clear();
  if (std::memchr(line.data(), '"', line.size()) != nullptr)
    split_quoted(line);
  else if (delimiter_ == Delimiter::whitespace)
    split_whitespace(line);
  else
    split_plain(line);
}

/// Whether this is a first line "sep=;", which Excel writes and understands.
bool CsvReader::take_separator(std::string_view line) {
  if (text_->line_number() != 1 || line.size() != 5 || !equals_ignoring_case(line.substr(0, 4), "sep=")) return false;
  const auto separator = static_cast<Delimiter>(line.back());
  constexpr Delimiter kKnown[] = {Delimiter::comma, Delimiter::tab, Delimiter::semicolon, Delimiter::bar};
  if (std::ranges::count(kKnown, separator) == 0)
    throw DataError({path(), 1, 0},
                    fmt::format("fields are separated by {}; expected a comma, a tab, a semicolon or a vertical bar",
                                quote(line.substr(4))));
  delimiter_ = separator;
  return true;
}

void CsvReader::add_comment(std::string_view line) {
  constexpr std::size_t kOverhead = 64;  // of a comment beyond its text
  line = line.substr(0, kMaxCommentBytes - comment_bytes_);
  comment_bytes_ = std::min(kMaxCommentBytes, comment_bytes_ + line.size() + kOverhead);
  if (comment_bytes_ == kMaxCommentBytes) return;
  comments_.emplace_back(line);
  comment_lines_.push_back(text_->line_number());
}

void CsvReader::count_commented_row(std::uint64_t line) {
  if (commented_rows_.count++ == 0) commented_rows_.first_line = line;
}

/// Finds the comments with as many fields as the first record.
void CsvReader::examine_comments(std::size_t fields) {
  for (std::size_t i = 0; i < comments_.size(); ++i) {
    const std::string_view text = comments_[i];
    if (text.empty() || text.find('"') != std::string_view::npos) continue;
    split(text);
    if (fields_.size() != fields) continue;
    commented_records_.push_back({.fields = {fields_.begin(), fields_.end()},
                                  .line = comment_lines_[i],
                                  .could_be_header = could_name_columns(fields_),
                                  .may_be_prose = delimiter_ == Delimiter::whitespace && is_blank(text.front())});
  }
}

void CsvReader::add_field(std::string_view text) {
  if (fields_.size() == limits().columns)
    throw DataError(where(), fmt::format("more than {} columns; if that is so, raise the limits ({})", limits().columns,
                                         setting("raise_limits")));
  fields_.push_back(text);
}

/// Reads the next line of a record with an open quote.
void CsvReader::read_more_of_record() {
  std::string_view line;
  if (!text_->next(line)) throw DataError(where(), "a quote is opened in this record and never closed");
  if (record_.size() + line.size() >= limits().line_bytes)
    throw DataError(where(), fmt::format("a quote is opened in this record and not closed within {} MiB",
                                         limits().line_bytes >> 20));
  record_ += '\n';
  record_ += line;
}

void CsvReader::split_plain(std::string_view line) {
  const char delimiter = static_cast<char>(delimiter_);
  const char* field = line.data();
  const char* const end = line.data() + line.size();
  for (const char* at = field;; ++at) {
    if (at != end && *at != delimiter) continue;
    std::string_view text(field, static_cast<std::size_t>(at - field));
    if (!text.empty() && (is_blank(text.front()) || is_blank(text.back()))) text = trimmed(text);
    add_field(text);
    if (at == end) return;
    field = at + 1;
  }
}

void CsvReader::split_whitespace(std::string_view line) {
  std::size_t at = 0;
  for (;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    const std::size_t start = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    add_field(line.substr(start, at - start));
  }
}

/// Throws DataError if a quoted field of several lines has rows for lines: a quote was lost, and closed by another one
/// further down.
void CsvReader::check_quoted(const QuotedLines& quoted) const {
  constexpr std::size_t kFewest = 3;
  const std::string_view text = fields_[quoted.field];
  std::size_t lines = 0, rows = 0;
  for (std::size_t begin = text.find('\n'), end; begin != text.npos; begin = end) {
    end = text.find('\n', begin + 1);
    if (end == text.npos) break;  // the last line ends with the quote
    ++lines;
    rows += looks_like_row(text.substr(begin + 1, end - begin - 1), delimiter_, fields_, quoted.field, width_) ? 1 : 0;
  }
  if (rows < kFewest || 5 * rows < 4 * lines) return;
  throw DataError({path_, quoted.first_line, 0},
                  fmt::format("the quote that opens here is closed in line {} only, and {} in between look like rows: "
                              "close it where its text ends, or take both quotes out",
                              quoted.last_line, counted(rows, "line")));
}

void CsvReader::split_quoted(std::string_view line) {
  const char delimiter = static_cast<char>(delimiter_);
  const bool is_whitespace = delimiter_ == Delimiter::whitespace;
  const auto ends_field = [&](char c) { return is_whitespace ? is_blank(c) : c == delimiter; };
  record_.assign(line);
  std::vector<std::pair<std::size_t, std::size_t>> pieces;  // of `unquoted_`, which may still be reallocated
  std::vector<QuotedLines> quoted;
  unquoted_.clear();
  std::size_t at = 0;
  for (;;) {
    while (at < record_.size() && is_blank(record_[at]) && (is_whitespace || !ends_field(record_[at]))) ++at;
    if (is_whitespace && at == record_.size()) break;
    const std::size_t start = unquoted_.size();
    if (at < record_.size() && record_[at] == '"') {
      const std::uint64_t opened = text_->line_number();
      for (++at;; ++at) {
        while (at == record_.size()) read_more_of_record();
        if (record_[at] == '"') {
          if (at + 1 == record_.size() || record_[at + 1] != '"') break;
          ++at;
        }
        unquoted_ += record_[at];
      }
      ++at;
      while (at < record_.size() && is_blank(record_[at]) && !ends_field(record_[at])) ++at;
      if (at < record_.size() && !ends_field(record_[at]))
        throw DataError({path(), text_->line_number(), 0},
                        fmt::format("expected a {} after a closing quote{}, found {}", name_of(delimiter_),
                                    opened < text_->line_number() ? fmt::format(" (it opens in line {})", opened) : "",
                                    quote(std::string_view(record_).substr(at))));
      if (opened < text_->line_number()) quoted.push_back({pieces.size(), opened, text_->line_number()});
      pieces.emplace_back(start, unquoted_.size() - start);
    } else {
      const std::size_t field = at;
      while (at < record_.size() && !ends_field(record_[at])) ++at;
      unquoted_ += trimmed(std::string_view(record_).substr(field, at - field));
      pieces.emplace_back(start, unquoted_.size() - start);
    }
    if (at == record_.size()) break;
    ++at;
  }
  for (const auto& [start, size] : pieces) add_field(std::string_view(unquoted_).substr(start, size));
  for (const QuotedLines& lines : quoted) check_quoted(lines);
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && equals_ignoring_case(text.substr(text.size() - end.size()), end);
}

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", kUnnamedColumn, i));
  return names;
}

namespace {

/// The comment that names the columns of the current record, which is the first, or nullptr: see `read_header`.
const CommentedRecord* find_commented_header(const CsvReader& reader, std::span<const std::string> wanted) {
  const auto is_wanted = [&](std::string_view field) {
    return !field.empty() && !is_number(field) &&
           std::ranges::any_of(wanted, [&](const std::string& name) { return equals_ignoring_case(field, name); });
  };
  if (std::ranges::any_of(reader.fields(), is_wanted)) return nullptr;
  const CommentedRecord* last = nullptr;
  for (const CommentedRecord& record : reader.commented_records()) {
    if (!record.could_be_header) continue;
    if (std::ranges::any_of(record.fields, is_wanted)) return &record;
    last = &record;
  }
  if (last == nullptr || std::ranges::any_of(reader.fields(), is_number)) return last;
  const bool has_blanks = std::ranges::any_of(
      last->fields, [](const std::string& name) { return std::ranges::any_of(name, is_blank); });
  const bool is_plain = reader.delimiter() == Delimiter::tab || !(has_blanks || last->may_be_prose);
  return is_plain && last->fields.size() > 1 ? last : nullptr;
}

}  // namespace

std::vector<std::string> read_header(CsvReader& reader, std::span<const std::string> wanted,
                                     const std::string& expected) {
  if (!reader.next()) throw DataError(fmt::format("{}: holds no rows, expected {}", reader.path(), expected));
  const CommentedRecord* header = find_commented_header(reader, wanted);
  if (header != nullptr && header != &reader.commented_records().back())
    throw DataError({reader.path(), reader.commented_records().back().line, 0}, kRowLikeComment);
  if (header != nullptr) reader.hold();
  std::vector<std::string> names =
      header == nullptr ? header_names(reader.fields(), reader.where()) : header->fields;
  reader.keep_names(names);
  return names;
}

std::string to_string(const CommentedRows& rows) {
  return fmt::format("# or % turns {} into comments, the first in line {}: put names that begin so in quotes",
                     counted(rows.count, "line"), rows.first_line);
}

std::vector<std::string> header_names(std::span<const std::string_view> fields, const TextLocation& where) {
  std::vector<std::string> names = numbered_columns(fields.size());
  std::unordered_map<std::string_view, std::size_t> first;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!fields[i].empty()) names[i] = fields[i];
  names = detail::without_neo4j_types(std::move(names));
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [place, is_new] = first.emplace(names[i], i);
    if (!is_new)
      throw DataError(where, fmt::format("columns {} and {} are both called {}{}", place->second + 1, i + 1,
                                         quote(names[i]),
                                         is_number(names[i]) ? fmt::format("; {}", kHeaderIsRow) : ""));
  }
  return names;
}

std::size_t column_index(const std::vector<std::string>& header, const std::string& wanted, const std::string& path) {
  const auto found = std::find(header.begin(), header.end(), wanted);
  if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
  if (const auto position = parse_index(wanted); position && *position >= 1 && *position <= header.size())
    return static_cast<std::size_t>(*position - 1);
  throw DataError(fmt::format("{}: no column {}; the columns are {}", path, quote(wanted), list_of_columns(header)));
}

std::string list_of_columns(const std::vector<std::string>& header) {
  std::vector<std::string> quoted;
  for (const std::string& name : std::span(header).first(std::min(header.size(), kColumnsShown)))
    quoted.push_back(quote(name));
  return fmt::format("{}{}", fmt::join(quoted, ", "), quoted.size() < header.size() ? ", ..." : "");
}

}  // namespace edgewise::io
