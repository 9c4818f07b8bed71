#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "edgewise/report/chart_axis.hpp"
#include "edgewise/report/svg_shapes.hpp"

/// @file
/// Charts as SVG: curves, dots, bars, and rows of values with their spread. Each is one `<svg>` element that says in
/// words what it shows. Colours come from `kChartStyle`, and wherever colours differ, shapes or dashes do too.
namespace edgewise::report {

/// Styles "v0", "v1", ... that can be told apart.
inline constexpr std::size_t kSeriesStyles = 6;
/// Styles "r0", "r1", ... for ascending ranges of a number.
inline constexpr std::size_t kRangeStyles = 5;

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
