#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/report/chart_axis.hpp"

/// @file
/// Charts as SVG: curves, dots, bars, and rows of values with their spread. Each is one `<svg>` element that says in
/// words what it shows. Colours come from `kChartStyle`, and wherever colours differ, shapes or dashes do too.
namespace edgewise::report {

inline constexpr const char* kChartStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #5c6370; --grid: #e3e5e9;
  --v0: #0b62c4; --v1: #b4520a; --v2: #0a7d4f; --v3: #a02a8b; --v4: #4a4e57; --v5: #8a6d00; }
@media screen and (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e8ec; --soft: #9aa1ad;
  --grid: #2c3038; --v0: #6fb1ff; --v1: #f0a050; --v2: #4fcf97; --v3: #e58ad3; --v4: #c4c8d0; --v5: #d9c04a; } }
svg text { fill: var(--text); font-size: 12px; } svg .title { font-size: 13px; font-weight: 600; }
.tick { fill: var(--soft); } .end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); }
.curve { fill: none; stroke-width: 1.8; } .mark { stroke: none; }
.dots { fill: none; stroke-width: 4.5; stroke-linecap: round; opacity: .55; }
.v0 { stroke: var(--v0); } .v1 { stroke: var(--v1); } .v2 { stroke: var(--v2); } .v3 { stroke: var(--v3); }
.v4 { stroke: var(--v4); } .v5 { stroke: var(--v5); }
.mark.v0 { fill: var(--v0); } .mark.v1 { fill: var(--v1); } .mark.v2 { fill: var(--v2); } .mark.v3 { fill: var(--v3); }
.mark.v4 { fill: var(--v4); } .mark.v5 { fill: var(--v5); }
.line.v1 { stroke-dasharray: 7 3; } .line.v2 { stroke-dasharray: 2 2.5; } .line.v3 { stroke-dasharray: 8 3 2 3; }
.line.v4 { stroke-dasharray: 12 4; } .line.v5 { stroke-dasharray: 5 2 1 2 1 2; }
.guide { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 4 4; }
.spread { stroke-width: 1; opacity: .6; } .again { stroke-dasharray: 5 3; }
)";

/// Styles "v0", "v1", ... that can be told apart.
inline constexpr std::size_t kSeriesStyles = 6;

/// The style of the series at this place. From the seventh on they repeat, dashed.
std::string series_style(std::size_t place);

enum class Drawn {
  line,    ///< A line, dashed by its style.
  points,  ///< A solid line with a mark at each point.
  marks,   ///< Marks alone.
  dots,    ///< Small dots, for many points.
  guide,   ///< A line that the axes make no room for; it is cut where it leaves the chart.
};

/// `style` is a CSS class: "v0" to "v5", with marks of different shapes, or any for a guide.
struct Series {
  std::string label;  ///< In the legend; empty: it is left out there.
  std::string style;
  std::vector<std::pair<double, double>> points;  ///< In the order of the line. What is not finite is left out.
  Drawn drawn = Drawn::line;
  std::vector<double> spreads = {};       ///< Half the height of each error bar; may be empty.
  std::vector<std::string> captions = {};  ///< Written below each point; may be empty.
  std::vector<std::string> names = {};     ///< Shown when a mark is pointed at; may be empty.
};

/// A vertical line at x, with a label.
struct ChartMark {
  double x;
  std::string label;
  std::string style;
};

struct Chart {
  std::string title;
  std::string description = {};  ///< What it shows, for those who do not see it.
  ChartAxis x;
  ChartAxis y;
  std::vector<Series> series = {};
  std::vector<ChartMark> marks = {};
  bool has_legend = true;
};

/// The chart as one `<svg>` element, or a note if there is no point.
std::string draw(const Chart& chart);

/// The chart as an SVG file of its own.
std::string draw_alone(const Chart& chart);

/// The line or mark of a series, for a legend outside of the chart.
std::string draw_swatch(const std::string& style, Drawn drawn);

struct Bar {
  std::string label;
  std::string style;
  double value;
};

/// Horizontal bars, each labelled with its value.
std::string draw_bars(const std::string& title, const std::string& description, const std::vector<Bar>& bars,
                      const FormatNumber& format);

/// A row of a chart of values: one mark for each series.
struct ValueRow {
  struct Value {
    double value;
    double spread = 0;  ///< Half the width of its error bar.
  };
  std::string label;
  std::vector<Value> values;  ///< Not finite: left out.
};

/// Rows of values along one linear axis. `series`: the names of the values of each row.
std::string draw_rows(const std::string& title, const std::string& description, const std::vector<ValueRow>& rows,
                      const std::vector<std::string>& series, const FormatNumber& format);

/// At most `most` of `count` places: evenly spaced, with the first and the last.
std::vector<std::size_t> even_places(std::size_t count, std::size_t most);

}  // namespace edgewise::report
