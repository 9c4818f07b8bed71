#include "edgewise/io/detail/node_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/number.hpp"
#include "edgewise/io/text_reader.hpp"

namespace edgewise::io::detail {
namespace {

/// Who acts. Two of them may be roles of the same people, such as teachers and students.
constexpr std::string_view kPeople[] = {
    "user",     "customer", "client",   "member",  "person", "people",   "patient",  "student", "author",
    "reader",   "actor",    "employee", "player",  "rater",  "reviewer", "voter",    "donor",   "investor",
    "director", "inventor", "visitor",  "viewer",  "consumer", "buyer",  "borrower", "listener", "researcher",
    "scientist", "worker",  "doctor",   "physician", "driver", "guest",  "subscriber", "politician", "artist",
    "uid"};

/// What they act on.
constexpr std::string_view kThings[] = {
    "item",   "movie",   "film",   "product", "book",    "paper",   "article",  "publication", "song",    "track",
    "album",  "group",   "community", "club", "course",  "company", "firm",     "organization", "organisation",
    "business", "restaurant", "venue", "shop", "store",  "event",   "project",  "repo",        "repository", "tag",
    "topic",  "category", "keyword", "document", "doc",  "url",     "site",     "website",     "disease", "drug",
    "gene",   "pathway", "symptom", "tissue", "recipe",  "ingredient", "game",  "app",         "show",    "series",
    "episode", "anime",  "ad",     "campaign", "brand",  "sku",     "isbn",     "asin",        "hotel",   "beer",
    "wine",   "joke",    "playlist", "genre", "city",    "country", "location", "place",       "poi",     "skill",
    "job",    "school",  "university", "journal", "conference", "patent", "video", "image",    "photo",   "bill",
    "team",   "party",   "board",  "committee", "stock", "fund",    "merchant", "compound",    "protein", "species",
    "iid"};

constexpr std::string_view kEndings[] = {"ids",  "id",   "names", "name",  "numbers", "number", "no",  "num", "codes",
                                         "code", "keys", "key",   "index", "idx",     "title",  "uid", "s"};

/// "movie" for "Movie_IDs".
std::string stem_of(std::string_view name) {
  std::string stem;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') stem += c;
    if (c >= 'A' && c <= 'Z') stem += static_cast<char>(c - 'A' + 'a');
  }
  const auto is_known = [&] {
    return std::ranges::count(kPeople, stem) > 0 || std::ranges::count(kThings, stem) > 0;
  };
  for (const std::string_view ending : kEndings) {
    if (is_known()) return stem;
    if (stem.size() > ending.size() && stem.ends_with(ending)) stem.resize(stem.size() - ending.size());
  }
  return stem;
}

/// How awk separates fields, with a blank after it.
std::string awk_separator(Delimiter delimiter) {
  switch (delimiter) {
    case Delimiter::comma: return "-F, -v OFS=, ";
    case Delimiter::semicolon: return "-F';' -v OFS=';' ";
    case Delimiter::bar: return "-F'|' -v OFS='|' ";
    case Delimiter::tab: return "-F'\\t' -v OFS='\\t' ";
    default: return "";
  }
}

/// A command that writes the list with the names of its two columns apart.
std::string awk_command(const EdgeListResult& result, std::size_t source, std::size_t target) {
  const EdgeListReport& report = result.report;
  const std::string rows = report.has_header ? "NR > 1" : "!/^[#%]/";
  std::string first = stem_of(report.source_column).substr(0, 1), second = stem_of(report.target_column).substr(0, 1);
  const bool are_letters = report.has_header && first != second && !first.empty() && !second.empty();
  if (!are_letters) std::tie(first, second) = std::pair("a", "b");
  return fmt::format("awk {}'{} {{ ${} = \"{}\" ${}; ${} = \"{}\" ${} }} 1' {} > edges.csv",
                     awk_separator(report.delimiter), rows, source + 1, first, source + 1, target + 1, second,
                     target + 1, result.files.front());
}

}  // namespace

bool name_two_kinds(std::string_view source, std::string_view target) {
  const std::string first = stem_of(source), second = stem_of(target);
  const auto is_person = [](const std::string& stem) { return std::ranges::count(kPeople, stem) > 0; };
  const auto is_thing = [](const std::string& stem) { return std::ranges::count(kThings, stem) > 0; };
  return first != second && (is_thing(first) || is_thing(second)) && (is_thing(first) || is_person(first)) &&
         (is_thing(second) || is_person(second));
}

bool names_kind(std::string_view column, std::string_view kind) {
  const auto singular = [](std::string stem) { return stem == "people" ? "person" : stem; };
  return !kind.empty() && singular(stem_of(column)) == singular(stem_of(kind));
}

std::vector<std::string> swapped_kinds(const EdgeListReport& report, std::string_view source,
                                       std::string_view target) {
  std::vector<std::string> doubts;
  const auto check = [&](const std::string& column, std::string_view kind, std::string_view other) {
    if (report.has_header && names_kind(column, other) && !names_kind(column, kind))
      doubts.push_back(
          fmt::format("the column {} is taken for {}, not {}: if it is not, say which columns are the ends "
                      "({}, {})",
                      quote(column), kind, other, setting("data.source"), setting("data.target")));
  };
  check(report.source_column, source, target);
  check(report.target_column, target, source);
  return doubts;
}

bool state_two_kinds(const std::vector<std::string>& comments, graph::EdgeIndex edges) {
  return std::ranges::any_of(comments, [&](std::string_view comment) {
    const std::vector<std::string_view> words = words_of(comment);
    if (!words.empty() && words[0] == "bip") return true;
    if (words.size() != 3) return false;
    const auto count = parse_index(words[0]), first = parse_index(words[1]), second = parse_index(words[2]);
    return count && first && second && *first != *second && *count == edges;
  });
}

std::optional<std::string> mixed_kinds(const EdgeListResult& result, std::size_t source, std::size_t target) {
  std::vector<bool> is_source(result.names.size()), is_target(result.names.size());
  for (const graph::Node node : result.edges.sources) is_source[node] = true;
  for (const graph::Node node : result.edges.targets) is_target[node] = true;
  std::optional<graph::Node> first;
  std::size_t count = 0;
  for (graph::Node node = 0; node < result.names.size(); ++node) {
    if (!is_source[node] || !is_target[node]) continue;
    if (!first) first = node;
    ++count;
  }
  if (!first) return std::nullopt;
  return fmt::format("{} in both columns, such as {}, and {} one node although {} and {} are two kinds: name the kinds "
                     "(KIND:RELATION:KIND=FILE), or tell them apart by a prefix, here and in other tables: {}",
                     counted(count, "name is", "names are"), quote(result.names[*first]), count == 1 ? "is" : "each is",
                     quote(result.report.source_column), quote(result.report.target_column),
                     awk_command(result, source, target));
}

}  // namespace edgewise::io::detail
