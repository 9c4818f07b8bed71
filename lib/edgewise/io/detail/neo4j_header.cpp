#include "edgewise/io/detail/neo4j_header.hpp"

#include <algorithm>
#include <string_view>

namespace edgewise::io::detail {
namespace {

constexpr std::string_view kNeo4jRoles[] = {"ID", "START_ID", "END_ID", "TYPE", "LABEL"};
constexpr std::string_view kNeo4jTypes[] = {"int",      "long",  "float",     "double",        "boolean", "byte",
                                            "short",    "char",  "string",    "point",         "date",    "localtime",
                                            "time",     "datetime", "localdatetime", "duration"};

/// "int[]" from "ages:int[]", or nothing.
std::string_view after_colon(std::string_view field) {
  const std::size_t colon = field.find_last_of(':');
  return colon == std::string_view::npos ? std::string_view() : field.substr(colon + 1);
}

template <class Words>
bool is_among(std::string_view word, const Words& words) {
  return std::ranges::find(words, word) != std::end(words);
}

/// ":START_ID" from ":START_ID(People)".
std::string_view without_group(std::string_view field) { return field.substr(0, field.find('(')); }

bool has_role(std::string_view field) { return is_among(after_colon(without_group(field)), kNeo4jRoles); }

}  // namespace

std::vector<std::string> without_neo4j_types(std::vector<std::string> header) {
  if (std::ranges::none_of(header, has_role)) return header;
  for (std::string& field : header) {
    if (has_role(field)) {
      field = without_group(field);
      continue;
    }
    std::string_view type = after_colon(field);
    if (type.ends_with("[]")) type.remove_suffix(2);
    if (is_among(type, kNeo4jTypes)) field.resize(field.find_last_of(':'));
  }
  return header;
}

}  // namespace edgewise::io::detail
