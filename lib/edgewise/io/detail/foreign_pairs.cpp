#include "edgewise/io/detail/foreign_pairs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "edgewise/core/error.hpp"
#include "edgewise/core/json.hpp"
#include "edgewise/core/text.hpp"

namespace edgewise::io::detail {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view what, const std::string& command) {
  throw DataError(fmt::format("{}: expected source TAB target, this is {}; try: python3 -c \"{}\" < FILE > pairs.tsv",
                              path, what, command));
}

/// The program that prints the texts of two elements beside each other.
std::string of_xml(std::string_view unit, std::string_view texts) {
  return fmt::format(
      "import sys, xml.etree.ElementTree as xml; [print(*[' '.join(''.join(text.itertext()).split()) for text "
      "in unit.iter() if text.tag.split('}}')[-1] in ({})], sep='\\t') for unit in "
      "xml.parse(sys.stdin.buffer).iter() if unit.tag.split('}}')[-1] == '{}']",
      texts, unit);
}

/// Whether a name from a file may stand in a command that people are told to type.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// The names of the two texts in an object, or an empty list if there are not two plain ones.
std::vector<std::string> names_of_texts(const json::Value& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.as_object())
    if (value.is_string() && is_plain(name)) names.push_back(fmt::format("'{}'", name));
  return names.size() == 2 ? names : std::vector<std::string>();
}

/// The program for lines of objects such as {"source": "a", "target": "b"} or {"translation": {"en": "a", "fr": "b"}}.
std::string of_json_lines(const json::Value& first) {
  std::string within;
  std::vector<std::string> names = names_of_texts(first);
  for (const auto& [name, value] : first.as_object())
    if (names.empty() && value.is_object() && is_plain(name)) {
      names = names_of_texts(value);
      within = fmt::format("['{}']", name);
    }
  if (names.empty()) {
    within.clear();
    names = {"'SOURCE'", "'TARGET'"};
  }
  return fmt::format(
      "import json, sys; [print(*[' '.join(json.loads(line){}[name].split()) for name in ({})], sep='\\t') "
      "for line in sys.stdin]",
      within, fmt::join(names, ", "));
}

}  // namespace

void refuse_foreign_pairs(const std::string& path, std::string_view start) {
  start = trimmed(start.starts_with("\xef\xbb\xbf") ? start.substr(3) : start);
  if (start.starts_with('<') && start.find("<tmx") != start.npos) refuse(path, "TMX", of_xml("tu", "'seg',"));
  if (start.starts_with('<') && start.find("<xliff") != start.npos)
    refuse(path, "XLIFF", of_xml("trans-unit", "'source', 'target'"));
  const std::string_view line = trimmed(start.substr(0, start.find('\n')));
  if (!line.starts_with("{\"") || !line.ends_with('}')) return;
  json::Value first;
  try {
    first = json::parse(line, path);
  } catch (const DataError&) {  // a text in braces
    return;
  }
  refuse(path, "a JSON object a line", of_json_lines(first));
}

}  // namespace edgewise::io::detail
