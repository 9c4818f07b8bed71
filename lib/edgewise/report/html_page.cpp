#include "edgewise/report/html_page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "edgewise/core/text.hpp"
#include "edgewise/report/markup.hpp"
#include "edgewise/report/svg_chart.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kLongestLine = 2000;  // as on the terminal
constexpr std::size_t kLongestCell = 200;

constexpr const char* kStyle = R"(
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1100px; padding: 0 1rem;
  background: var(--back); color: var(--text); }
h1 { font-size: 1.1rem; font-weight: 600; color: var(--soft); margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .4rem; }
.answer { font-size: 1.35rem; line-height: 1.4; margin: .3rem 0 1.2rem; max-width: 52rem; text-wrap: pretty; }
p, li, .legend { max-width: 52rem; overflow-wrap: anywhere; } h1, .answer, td, dd, li, p { unicode-bidi: isolate; }
code, pre { font-size: .9em; } code { overflow-wrap: anywhere; }
pre { overflow-x: auto; border-left: 3px solid var(--grid); padding-left: .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 1.4rem 2rem;
  margin-top: .8rem; }
figure { margin: 0; } figure.wide { grid-column: 1 / -1; max-width: 900px; }
figcaption { font-size: 13px; color: var(--soft); max-width: 32rem; }
svg { width: 100%; height: auto; display: block; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.4rem; margin: .6rem 0; } .legend span { white-space: nowrap; }
svg.swatch { width: 34px; height: 14px; display: inline-block; vertical-align: middle; margin-right: .4rem; }
.scroll { display: inline-block; vertical-align: top; overflow-x: auto; max-width: 100%; margin: .8rem 2.5rem .4rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; white-space: nowrap; }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid var(--grid); white-space: nowrap; }
thead th { color: var(--soft); } th { font-weight: 600; } tbody th { font-weight: 400; } .text { text-align: left; }
td { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
.none, .remark { color: var(--soft); font-size: 13px; }
summary { cursor: pointer; }
@media screen and (max-width: 600px) { .scroll { margin-right: 0; } th, td { padding: .15rem .4rem; } }
@media print { body { max-width: none; margin: 0; font-size: 11pt; } figure, tr { break-inside: avoid; }
  h2 { break-after: avoid; } .scroll { overflow: visible; } .charts { grid-template-columns: 1fr 1fr; } }
)";

std::string element(const char* tag, const char* style, const std::string& text) {
  return fmt::format("<{0}{1}>{2}</{0}>\n", tag, style, escape(text, kLongestLine));
}

std::string cell_of(const Cell& cell, const Column& column, bool is_first) {
  std::string attributes = column.is_text ? " class=\"text\"" : "";
  if (is_first) attributes += " scope=\"row\"";
  if (cell.columns > 1) attributes += fmt::format(" colspan=\"{}\"", cell.columns);
  constexpr double kDarkest = 0.5;  // so that the text stays readable
  if (cell.shade > 0)
    attributes += fmt::format(" style=\"background: rgba(30, 120, 220, {:.3f})\"", kDarkest * cell.shade);
  return fmt::format("<{0}{1}>{2}</{0}>", is_first ? "th" : "td", attributes, escape(cell.text, kLongestCell));
}

}  // namespace

std::string heading(const std::string& text) { return element("h2", "", text); }
std::string paragraph(const std::string& text) { return element("p", "", text); }
std::string remark(const std::string& text) { return element("p", " class=\"remark\"", text); }

std::string list(const std::vector<std::string>& lines, std::size_t most) {
  if (lines.empty()) return "";
  std::string text = "<ul>\n";
  for (std::size_t i = 0; i < std::min(most, lines.size()); ++i) text += element("li", "", lines[i]);
  if (lines.size() > most) text += element("li", "", fmt::format("and {} more", lines.size() - most));
  return text + "</ul>\n";
}

std::string folded(const std::string& summary, const std::string& text) {
  return fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escape(summary), escape(text));
}

std::string figures(const std::vector<Figure>& charts) {
  if (charts.empty()) return "";
  std::string text = "<div class=\"charts\">\n";
  for (const Figure& chart : charts)
    text += fmt::format("<figure{}>\n{}{}</figure>\n", chart.is_wide ? " class=\"wide\"" : "", chart.svg,
                        chart.caption.empty() ? "" : element("figcaption", "", chart.caption));
  return text + "</div>\n";
}

std::string terms(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string text = "<dl>\n";
  for (const auto& [term, html] : entries) text += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escape(term), html);
  return text + "</dl>\n";
}

std::string code(const std::string& text) { return fmt::format("<code>{}</code>", escape(text)); }

std::string to_html(const Table& table) {
  std::string text = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty()) text += element("caption", "", table.caption);
  text += "<thead><tr>";
  for (const Column& column : table.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.is_text ? " class=\"text\"" : "",
                        escape(column.name, kLongestCell));
  text += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) text += cell_of(row[i], table.columns[i], i == 0);
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string to_html(const Page& page) {
  std::string text = "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n";
  text += "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  text += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n";
  text += element("title", "", page.title);
  text += fmt::format("<style>{}{}{}</style>\n</head>\n<body>\n<main>\n", kChartStyle, kStyle, page.style);
  text += element("h1", "", page.title) + element("p", " class=\"answer\"", page.answer);
  return text + page.body + "</main>\n</body>\n</html>\n";
}

}  // namespace edgewise::report
