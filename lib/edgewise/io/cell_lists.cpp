#include "edgewise/io/cell_lists.hpp"

#include <algorithm>

#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_writer.hpp"

namespace edgewise::io {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::vector<std::string_view> entries_between(char separator, std::string_view list) {
  std::vector<std::string_view> entries;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    entries.push_back(trimmed(list.substr(begin, end - begin), kBlanks));
    begin = end + 1;
  }
  return entries;
}

std::vector<std::string_view> entries_of_list(std::string_view list) {
  for (const char separator : {';', ','})
    if (list.find(separator) != list.npos) return entries_between(separator, list);
  std::vector<std::string_view> entries;
  for (std::size_t begin = list.find_first_not_of(kBlanks); begin != list.npos;) {
    const std::size_t end = std::min(list.find_first_of(kBlanks, begin), list.size());
    entries.push_back(list.substr(begin, end - begin));
    begin = list.find_first_not_of(kBlanks, end);
  }
  return entries;
}

/// A number as NumPy writes it in a list: "np.float64(0.5)" is 0.5.
std::string_view without_type(std::string_view entry) {
  const std::size_t open = entry.find('(');
  return entry.starts_with("np.") && open != entry.npos ? between(entry.substr(open), '(', ')') : entry;
}

}  // namespace

std::string_view between(std::string_view text, char open, char close) {
  const bool is_enclosed = text.size() > 1 && text.front() == open && text.back() == close;
  return is_enclosed ? text.substr(1, text.size() - 2) : text;
}

std::string_view without_quotes(std::string_view text) { return between(between(text, '"', '"'), '\'', '\''); }

std::vector<std::string> values_of_list(std::string_view cell) {
  const std::string_view list = trimmed(between(trimmed(cell, kBlanks), '[', ']'), kBlanks);
  std::vector<std::string> values;
  if (list.empty()) return values;
  for (const std::string_view entry : entries_of_list(list))
    values.emplace_back(without_quotes(without_type(entry)));
  return values;
}

bool is_nested_list(std::string_view cell) {
  const std::string_view text = trimmed(cell, kBlanks);
  const std::string_view list = text.starts_with('[') ? trimmed(text.substr(1), kBlanks) : text;
  return text.starts_with('{') || (text.starts_with('[') && (list.starts_with('[') || list.starts_with('{')));
}

std::string list_of_values(const std::vector<std::string>& values, bool are_numbers) {
  std::string text = "[";
  for (const std::string& value : values) {
    if (text.size() > 1) text += ',';
    if (value.empty() || (are_numbers && !is_number(value)))
      text += "null";
    else
      text += are_numbers ? value : json_string(value);
  }
  return text + ']';
}

}  // namespace edgewise::io
