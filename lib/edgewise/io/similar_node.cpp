#include "edgewise/io/similar_node.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io {
namespace {

constexpr std::string_view kSpaces = " \t\r\n";

/// One spelling for all names that are the same number, or the same text but for blanks and case.
std::string in_one_spelling(std::string_view name) {
  constexpr double kExact = 1e15;  // whole numbers below are exact in a double
  name = trimmed(name, kSpaces);
  if (name.empty()) return "";
  double number = 0;
  if (parse_number(name, number) == NumberFault::none && std::abs(number) < kExact)
    return fmt::format("{}", number == 0 ? 0.0 : number);
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

std::string similar_node_hint(const graph::NodeNames& names, std::string_view unknown) {
  const std::string wanted = in_one_spelling(unknown);
  if (wanted.empty()) return "";
  for (graph::Node node = 0; node < names.size(); ++node)
    if (names[node] != unknown && in_one_spelling(names[node]) == wanted)
      return fmt::format("; there is a node {}", quote(names[node]));
  return "";
}

}  // namespace edgewise::io
