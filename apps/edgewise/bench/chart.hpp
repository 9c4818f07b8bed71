#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Line charts on two logarithmic axes, and bars, as SVG for an HTML page. Colours come from the page's style sheet.
namespace edgewise::app {

/// `style` is a CSS class; classes "v0" to "v3" have marks of their own, others are bare lines.
struct Curve {
  std::string label;
  std::string style;
  std::vector<std::pair<double, double>> points;  ///< By ascending x; both above 0.
};

/// A vertical line at x, with a word.
struct ChartMark {
  double x;
  std::string label;
  std::string style;
};

using FormatNumber = std::function<std::string(double)>;

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  FormatNumber format_x;
  FormatNumber format_y;
  std::vector<double> x_ticks;
  bool is_binary = false;  ///< y is labelled at powers of 4, not of 10.
  std::vector<Curve> curves;
  std::vector<ChartMark> marks;
};

/// The chart as one <svg> element; a note in its place when no curve has a point.
std::string draw(const Chart& chart);

/// A line or mark of `style` as it looks in a chart, for a legend.
std::string draw_swatch(const std::string& style);

struct Bar {
  std::string label;
  std::string style;
  double value;
};

/// Bars from left to right, in proportion, each with its number.
std::string draw_bars(const std::string& title, const std::vector<Bar>& bars, const FormatNumber& format);

/// Text escaped for HTML.
std::string escape(const std::string& text);

}  // namespace edgewise::app
