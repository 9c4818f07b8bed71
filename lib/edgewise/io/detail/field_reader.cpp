#include "edgewise/io/detail/field_reader.hpp"

#include <fmt/format.h>

#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {

bool FieldReader::next(bool keep_empty) {
  if (is_held_) {
    is_held_ = false;
    return true;
  }
  while (text_.next(line_)) {
    bytes_ += line_.size() + 1;
    if (comment_ != '\0' && line_.starts_with(comment_)) continue;
    split();
    if (keep_empty || !fields_.empty()) return true;
  }
  return false;
}

void FieldReader::split() {
  const auto separates = [&](char c) { return c == '\t' || (c == ' ' && !only_tabs_); };
  fields_.clear();
  unquoted_.clear();
  only_tabs_ = only_tabs_ || (tabs_win_ && line_.find('\t') != std::string_view::npos);
  if (line_.find('"') != std::string_view::npos) unquoted_.reserve(line_.size());  // views of it stay valid
  for (std::size_t at = 0; at < line_.size();) {
    if (separates(line_[at])) {
      ++at;
      continue;
    }
    if (quotes_ == Quotes::allowed && line_[at] == '"') {
      fields_.push_back(unquote(at));
      continue;
    }
    const std::size_t start = at;
    while (at < line_.size() && !separates(line_[at])) ++at;
    fields_.push_back(line_.substr(start, at - start));
  }
}

/// The field whose opening quote is at `at`, which becomes the place after the closing one.
std::string_view FieldReader::unquote(std::size_t& at) {
  const std::size_t start = unquoted_.size();
  for (++at; at < line_.size() && line_[at] != '"'; ++at) {
    const bool is_escape =
        line_[at] == '\\' && at + 1 < line_.size() && (line_[at + 1] == '"' || line_[at + 1] == '\\');
    if (is_escape) ++at;
    unquoted_ += line_[at];
  }
  if (at == line_.size()) fail("a quote is opened in this line and never closed");
  ++at;
  return std::string_view(unquoted_).substr(start);
}

void FieldReader::refuse_empty() const {
  if (bytes_ == 0) throw DataError(fmt::format("{}: is empty, expected nodes and edges", path()));
}

void FieldReader::fail(const std::string& what) const { throw DataError({path(), line(), 0}, what); }

std::uint64_t FieldReader::index(std::string_view field, std::string_view what, std::uint64_t least,
                                 std::uint64_t most) const {
  const auto value = parse_index(field);
  if (value && *value >= least && *value <= most) return *value;
  fail(fmt::format("expected {} from {} to {}, got {}", what, least, most, quote(field)));
}

}  // namespace edgewise::io::detail
