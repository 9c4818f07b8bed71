#include "edgewise/io/detail/foreign_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/number.hpp"

namespace edgewise::io::detail {
namespace {

struct Line {
  std::uint64_t number;
  std::string_view text;  // without blanks at its ends
};

/// The first lines that are not blank.
using Lines = std::vector<Line>;

constexpr std::size_t kLines = 200;
constexpr std::size_t kRows = 20;  // judged to say how all rows look
constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kSeparators = " \t,;";

Lines first_lines(std::string_view start) {
  Lines lines;
  for (std::uint64_t number = 1; !start.empty() && lines.size() < kLines; ++number) {
    const std::size_t end = start.find('\n');
    if (const std::string_view text = trimmed(start.substr(0, end), kBlanks); !text.empty())
      lines.push_back({number, text});
    start.remove_prefix(end == std::string_view::npos ? start.size() : end + 1);
  }
  return lines;
}

bool starts_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && equals_ignoring_case(text.substr(0, word.size()), word);
}

bool is_comment(std::string_view text) { return text.front() == '#' || text.front() == '%'; }

/// The first lines that an edge list would take for rows.
Lines rows_of(const Lines& lines, std::size_t most = kRows) {
  Lines rows;
  for (const Line& line : lines)
    if (!is_comment(line.text) && rows.size() < most) rows.push_back(line);
  return rows;
}

using Place = std::optional<std::uint64_t>;  // a line

Place first_if(bool is_found, const Lines& lines) { return is_found ? Place(lines.front().number) : std::nullopt; }

/// The first row, if all rows look so.
template <class Looks>
Place all_rows(const Lines& lines, Looks looks) {
  const Lines rows = rows_of(lines);
  const bool all = std::ranges::all_of(rows, [&](const Line& row) { return looks(row.text); });
  return !rows.empty() && all ? Place(rows.front().number) : std::nullopt;
}

/// The line after comments that begin with this sign.
template <class Is>
Place first_after(char comment, const Lines& lines, Is is) {
  for (const Line& line : lines) {
    if (line.text.front() == comment) continue;
    return is(line.text) ? Place(line.number) : std::nullopt;
  }
  return std::nullopt;
}

bool begins_xml_with(const Lines& lines, std::string_view element) {
  if (lines.front().text.front() != '<') return false;
  return std::ranges::any_of(
      lines, [&](const Line& line) { return line.text.find(element) != std::string_view::npos; });
}

Place is_graphml(const Lines& lines) { return first_if(begins_xml_with(lines, "<graphml"), lines); }
Place is_gexf(const Lines& lines) { return first_if(begins_xml_with(lines, "<gexf"), lines); }
Place is_html(const Lines& lines) {
  const std::string_view first = lines.front().text;
  return first_if(starts_with(first, "<!doctype html") || starts_with(first, "<html"), lines);
}
Place is_xml(const Lines& lines) {
  const std::string_view first = lines.front().text;
  return first_if(first.starts_with("<?xml") || first.starts_with("<!DOCTYPE") || first.starts_with("<!--"), lines);
}

/// `[strict] graph|digraph [name] {`, after comments.
Place is_dot(const Lines& lines) {
  const auto is_skipped = [](std::string_view text) {
    return text.starts_with("//") || text.starts_with("/*") || text.starts_with("*") || text.front() == '#';
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = lines[i].text;
    if (is_skipped(text)) continue;
    const std::vector<std::string_view> words = words_of(text, " \t{");
    const std::size_t at = !words.empty() && equals_ignoring_case(words[0], "strict") ? 1 : 0;
    const bool is_graph = words.size() > at && (equals_ignoring_case(words[at], "graph") ||
                                                equals_ignoring_case(words[at], "digraph"));
    const bool opens = text.find('{') != std::string_view::npos ||
                       (i + 1 < lines.size() && lines[i + 1].text.front() == '{');
    return is_graph && opens ? Place(lines[i].number) : std::nullopt;
  }
  return std::nullopt;
}

/// `graph [`, after a few lines such as `Creator "..."`.
Place is_gml(const Lines& lines) {
  for (std::size_t i = 0; i < std::min<std::size_t>(lines.size(), 10); ++i) {
    const std::vector<std::string_view> words = words_of(lines[i].text, " \t[");
    const bool opens = lines[i].text.ends_with('[') || (i + 1 < lines.size() && lines[i + 1].text == "[");
    if (words.size() == 1 && words[0] == "graph" && opens) return lines[i].number;
  }
  return std::nullopt;
}

/// `{` or `[`, followed by what JSON may have there.
Place is_json(const Lines& lines) {
  const std::string_view first = lines.front().text;
  const std::string_view inside = trimmed(first.substr(1), kBlanks);
  const char next = inside.empty() ? '"' : inside.front();
  const bool is_object = first.front() == '{' && (next == '"' || next == '}');
  const bool is_array = first.front() == '[' && (next == '"' || next == '{' || next == '[');
  return first_if(is_object || is_array, lines);
}

Place is_pajek(const Lines& lines) {
  return first_after('%', lines, [](std::string_view text) {
    return std::ranges::any_of(std::array{"*vertices", "*network", "*arcs", "*edges", "*matrix"},
                               [&](const char* word) { return starts_with(text, word); });
  });
}

Place is_ucinet(const Lines& lines) {
  const std::string_view first = lines.front().text;
  const bool is_dl = starts_with(first, "dl ") && first.find('=') != std::string_view::npos;
  return first_if(is_dl || starts_with(first, "*node data") || starts_with(first, "*tie data"), lines);
}

/// `p edge 34 78`, after comments `c ...`.
Place is_dimacs(const Lines& lines) {
  for (const Line& line : lines) {
    const std::vector<std::string_view> words = words_of(line.text, kBlanks);
    if (words[0] == "c") continue;
    const bool is_problem = words.size() >= 4 && words[0] == "p" && !is_number(words[1]) && parse_index(words[2]) &&
                            parse_index(words[3]);
    return is_problem ? Place(line.number) : std::nullopt;
  }
  return std::nullopt;
}

Place is_rdf(const Lines& lines) {
  return first_after('#', lines, [](std::string_view text) {
    if (starts_with(text, "@prefix ") || starts_with(text, "@base ")) return true;
    if (starts_with(text, "prefix ") && text.find(": <") != std::string_view::npos) return true;
    const std::vector<std::string_view> words = words_of(text, kBlanks);
    return (text.front() == '<' || text.starts_with("_:")) && words.size() >= 4 && words.back() == ".";
  });
}

/// `# name`, then a line for each of its neighbours, perhaps with a weight. Comments of one word look the same, but are
/// no numbers between rows of numbers.
Place is_lgl(const Lines& lines) {
  if (lines.front().text.front() != '#') return std::nullopt;
  std::size_t rows = 0, heads_after_rows = 0;
  bool are_heads_numbers = true, are_rows_numbers = true;
  for (const Line& line : lines) {
    const bool is_head = line.text.front() == '#';
    const std::vector<std::string_view> words = words_of(is_head ? line.text.substr(1) : line.text, kBlanks);
    if (words.empty() || words.size() > (is_head ? 1 : 2)) return std::nullopt;
    if (words[0].find_first_of(",;") != std::string_view::npos) return std::nullopt;
    if (words.size() == 2 && !is_number(words[1])) return std::nullopt;
    bool& are_numbers = is_head ? are_heads_numbers : are_rows_numbers;
    are_numbers = are_numbers && is_number(words[0]);
    rows += is_head ? 0 : 1;
    heads_after_rows += is_head && rows > 0 ? 1 : 0;
  }
  return first_if(heads_after_rows >= 1 && (are_heads_numbers || !are_rows_numbers), lines);
}

/// Nodes, then a line "#", then edges.
Place is_tgf(const Lines& lines) {
  const auto sign = std::ranges::find(lines, "#", &Line::text);
  const bool has_nodes = std::any_of(lines.begin(), sign, [](const Line& line) { return !is_comment(line.text); });
  return sign != lines.end() && has_nodes ? Place(sign->number) : std::nullopt;
}

bool ends_in_braces(std::string_view row) { return row.ends_with('}') && row.find('{') != std::string_view::npos; }

/// A node and the number of its neighbours, then a line for each, with its attributes in braces.
Place is_multiline_adjacency_list(const Lines& lines) {
  const Lines rows = rows_of(lines, kLines);
  bool has_neighbours = false;
  for (std::size_t i = 0; i < rows.size();) {
    const std::vector<std::string_view> words = words_of(rows[i].text, kBlanks);
    const auto count = words.size() == 2 ? parse_index(words[1]) : std::nullopt;
    if (!count || *count > kLines) return std::nullopt;
    const std::size_t end = std::min<std::size_t>(rows.size(), i + 1 + *count);
    for (++i; i < end; ++i) {
      if (!ends_in_braces(rows[i].text)) return std::nullopt;
      has_neighbours = true;
    }
  }
  return has_neighbours ? Place(rows.front().number) : std::nullopt;
}

Place has_attributes_in_braces(const Lines& lines) {
  return all_rows(lines, [](std::string_view row) {
    const std::size_t brace = row.find("{'");
    return row.ends_with('}') && brace != std::string_view::npos && brace > 0 &&
           kSeparators.find(row[brace - 1]) != std::string_view::npos;
  });
}

Place is_in_brackets(const Lines& lines) {
  return all_rows(lines, [](std::string_view row) {
    if (row.ends_with(',')) row.remove_suffix(1);
    constexpr std::string_view kOpen = "([{", kClose = ")]}";
    const std::size_t kind = kOpen.find(row.front());
    return kind != std::string_view::npos && row.size() > 2 && row.find(',') != std::string_view::npos &&
           (row.back() == kClose[kind] || row.back() == ']' || row.front() == '[') &&
           row.find(kClose[kind]) >= row.find(',');
  });
}

constexpr std::string_view kArrows[] = {"<->", "-->", "->", "<-", "=>", "==>", "--", "---", "-", ">", "→"};

Place has_arrows_in_columns(const Lines& lines) {
  return all_rows(lines, [](std::string_view row) {
    const std::vector<std::string_view> words = words_of(row, kSeparators);
    return words.size() >= 3 && std::ranges::count(kArrows, words[1]) > 0;
  });
}

/// "a->b", also with numbers behind.
Place has_arrows_in_names(const Lines& lines) {
  return all_rows(lines, [](std::string_view row) {
    for (const std::string_view arrow : {"->", "=>", "--", "→"}) {
      const std::size_t at = row.find(arrow);
      if (at == std::string_view::npos || at == 0) continue;
      const std::string_view left = row.substr(0, at), right = row.substr(at + arrow.size());
      const std::vector<std::string_view> words = words_of(right, kSeparators);
      if (left.find_first_of(kSeparators) == std::string_view::npos && !words.empty() &&
          std::all_of(words.begin() + 1, words.end(), is_number))
        return true;
    }
    return false;
  });
}

Place has_colons_after_names(const Lines& lines) {
  return all_rows(lines, [](std::string_view row) {
    const std::string_view first = words_of(row, kBlanks)[0];
    return first.size() > 1 && first.ends_with(':');
  });
}

struct FirstBytes {
  std::string_view bytes;
  const char* name;
  const char* advice;
};

constexpr const char* kWriteCsv = "write it as CSV, one edge per row, source and target first";
constexpr FirstBytes kFirstBytes[] = {
    {"%PDF-", "a PDF file", kWriteCsv},
    {"%%MatrixMarket", "a Matrix Market file", "give it as {graph}, in a file that ends in .mtx"},
    {"version https://git-lfs.github.com/spec/", "a placeholder of Git LFS, not the file itself", "run git lfs pull"},
    {"LEDA.GRAPH", "a LEDA graph", kWriteCsv},
    {"(tlp", "a Tulip graph", kWriteCsv},
    {"nodedef>", "a GDF file", "export CSV or GraphML"},
    {">>graph6<<", "a graph6 file", kWriteCsv},
    {">>digraph6<<", "a digraph6 file", kWriteCsv},
    {">>sparse6<<", "a sparse6 file", kWriteCsv},
    {"insert into ", "a dump of a database", kWriteCsv},
    {"create table ", "a dump of a database", kWriteCsv}};

struct Sign {
  Place (*find)(const Lines&);
  const char* name;
  const char* advice;
  bool is_about_rows = false;  ///< See `are_columns_guessed`.
};

/// In the order in which they are tried.
constexpr Sign kSigns[] = {
    {is_graphml, "GraphML", "give it as {graph}, in a file that ends in .graphml"},
    {is_gexf, "GEXF", "give it as {graph}, in a file that ends in .gexf"},
    {is_html, "a web page (HTML)", "download the file itself"},
    {is_rdf, "RDF (N-Triples or Turtle)", kWriteCsv},
    {is_xml, "XML", kWriteCsv},
    {is_json, "JSON",
     "give it as {graph}, in a file that ends in .json, if it is node-link JSON (as NetworkX writes it)"},
    {is_dot, "DOT (Graphviz)", "give it as {graph}, in a file that ends in .dot"},
    {is_gml, "GML", "give it as {graph}, in a file that ends in .gml"},
    {is_pajek, "a Pajek file", "give it as {graph}, in a file that ends in .net"},
    {is_ucinet, "a UCINET file", "export it as an edge list"},
    {is_dimacs, "a DIMACS file", "keep the lines of the edges, without their letter: source, target"},
    {is_lgl, "an LGL file (a node after #, then its neighbours)", "give it as {graph}, in a file that ends in .lgl"},
    {is_tgf, "a trivial graph file (nodes, then #, then edges)", "keep the edges, and give the nodes as {nodes}"},
    {is_multiline_adjacency_list, "a multi-line adjacency list, as NetworkX writes it",
     "write an edge list: networkx.write_edgelist(graph, path, data=False)"},
    {has_attributes_in_braces, "edges with attributes in braces, as NetworkX writes them",
     "write the attributes that you need as columns: networkx.write_edgelist(graph, path, data=[\"weight\"])", true},
    {is_in_brackets, "edges in brackets, as Python prints them",
     "write one edge per row, without brackets: source,target", true},
    {has_arrows_in_columns, "an arrow between the names", "say which columns the names are in: {source} 1 {target} 3",
     true},
    {has_arrows_in_names, "an arrow between the names", "write source and target as two columns", true},
    {has_colons_after_names, "an adjacency list (a node, a colon, then its neighbours)",
     "write one edge per row: source,target", true}};

/// The advice, with the names of settings.
std::string spelt(const char* advice) {
  return fmt::format(fmt::runtime(advice), fmt::arg("graph", setting("data.graph")),
                     fmt::arg("nodes", setting("data.nodes")), fmt::arg("source", setting("data.source")),
                     fmt::arg("target", setting("data.target")));
}

}  // namespace

std::optional<ForeignFormat> find_foreign_format(std::string_view start, bool are_columns_guessed) {
  for (const auto& [bytes, name, advice] : kFirstBytes)
    if (starts_with(start, bytes)) return ForeignFormat{name, spelt(advice), 1};
  if (start.find('\0') != std::string_view::npos) return std::nullopt;  // reported with its place
  const Lines lines = first_lines(start);
  if (lines.empty()) return std::nullopt;
  for (const Sign& sign : kSigns) {
    if (sign.is_about_rows && !are_columns_guessed) continue;
    if (const Place line = sign.find(lines)) return ForeignFormat{sign.name, spelt(sign.advice), *line};
  }
  return std::nullopt;
}

}  // namespace edgewise::io::detail
