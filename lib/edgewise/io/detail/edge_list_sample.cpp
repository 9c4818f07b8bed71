#include "edgewise/io/detail/edge_list_sample.hpp"

#include <algorithm>

#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

constexpr std::size_t kSampleRows = 1000;

std::string_view unquoted(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string_view> split_line(std::string_view line, Delimiter delimiter) {
  const bool is_whitespace = delimiter == Delimiter::whitespace;
  const auto is_delimiter = [&](char c) {
    return is_whitespace ? c == ' ' || c == '\t' : c == static_cast<char>(delimiter);
  };
  std::vector<std::string_view> fields;
  std::size_t begin = 0;
  bool is_open = false;      // within quotes
  bool is_at_start = true;   // only blanks so far; a quote that comes later is an ordinary character
  bool is_quoted = false;    // the field started with a quote
  for (std::size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"' && (is_at_start || is_quoted)) {
      is_quoted = true;
      is_open = !is_open;
    }
    if (at < line.size() && (is_open || !is_delimiter(line[at]))) {
      is_at_start = is_at_start && line[at] == ' ';
      continue;
    }
    const std::string_view field = line.substr(begin, at - begin);
    if (!is_whitespace || !field.empty()) fields.push_back(unquoted(field));
    begin = at + 1;
    is_at_start = true;
    is_quoted = false;
  }
  return fields;
}

}  // namespace

SampleRows body_of(const EdgeListSample& sample, bool has_header) {
  return SampleRows(sample.rows).subspan(has_header && !sample.rows.empty() ? 1 : 0);
}

bool have_width(SampleRows rows, std::size_t width) {
  return std::ranges::all_of(rows, [&](const SampleRow& row) { return row.fields.size() == width; });
}

ColumnSample column_of(SampleRows rows, std::size_t column) {
  ColumnSample sample;
  for (const SampleRow& row : rows) {
    sample.values.push_back(row.fields[column]);
    sample.distinct.insert(row.fields[column]);
    sample.is_numeric = sample.is_numeric && is_number(row.fields[column]);
  }
  return sample;
}

std::size_t shared_values(const ColumnSample& a, const ColumnSample& b) {
  return static_cast<std::size_t>(
      std::ranges::count_if(a.distinct, [&](std::string_view text) { return b.distinct.contains(text); }));
}

double overlap(const ColumnSample& a, const ColumnSample& b) {
  const auto most = static_cast<double>(std::max(a.distinct.size(), b.distinct.size()));
  return static_cast<double>(shared_values(a, b)) / most;
}

EdgeListSample sample_edge_list(std::string_view start, bool is_whole, Delimiter delimiter) {
  EdgeListSample sample;
  for (std::uint64_t number = 1; !start.empty() && sample.rows.size() < kSampleRows; ++number) {
    const std::size_t end = start.find('\n');
    std::string_view line = start.substr(0, end);
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const bool is_separator = number == 1 && line.size() == 5 && equals_ignoring_case(line.substr(0, 4), "sep=");
    const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (is_blank || is_separator || line.front() == '#' || line.front() == '%') continue;
    sample.rows.push_back({number, split_line(line, delimiter)});
  }
  sample.is_whole = is_whole && start.empty();
  return sample;
}

}  // namespace edgewise::io::detail
