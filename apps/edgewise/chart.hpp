#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

/// @file
/// Line and bar charts as SVG, either for an HTML page whose style sheet includes `kChartStyle` or as a file.
namespace edgewise::app {

inline constexpr const char* kChartStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #667; --grid: #e3e5e9;
  --v0: #0b62c4; --v1: #b4520a; --v2: #0a7d4f; --v3: #a02a8b; }
@media (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e8ec; --soft: #9aa1ad; --grid: #2c3038;
  --v0: #6fb1ff; --v1: #f0a050; --v2: #4fcf97; --v3: #e58ad3; } }
svg text { fill: var(--text); font-size: 12px; } svg .title { font-size: 13px; font-weight: 600; }
.tick { fill: var(--soft); } .end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); }
.curve { fill: none; stroke-width: 1.8; } .mark { stroke: none; }
.v0 { stroke: var(--v0); } .v1 { stroke: var(--v1); } .v2 { stroke: var(--v2); } .v3 { stroke: var(--v3); }
.mark.v0 { fill: var(--v0); } .mark.v1 { fill: var(--v1); } .mark.v2 { fill: var(--v2); } .mark.v3 { fill: var(--v3); }
.spread { stroke-width: 1; opacity: .6; } .again { stroke-dasharray: 5 3; }
)";

/// `style` is a CSS class. Classes "v0" to "v3" have distinct marks ("v0 again": the same with a dashed line); other
/// classes are plain lines.
struct Curve {
  std::string label;
  std::string style;
  std::vector<std::pair<double, double>> points;  ///< By ascending x. x > 0, and y > 0 unless the chart is linear.
  std::vector<double> spreads = {};               ///< Half the height of each error bar; may be empty.
};

/// A vertical line at x, with a label.
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
  std::vector<double> x_ticks = {};
  bool is_binary = false;  ///< Ticks of y at powers of 4, not of 10.
  std::vector<Curve> curves = {};
  std::vector<ChartMark> marks = {};
  bool is_linear = false;  ///< Linear y axis.
};

/// The chart as one <svg> element, or a note if no curve has a point.
std::string draw(const Chart& chart);

/// The chart as a standalone SVG file, with its style and a legend.
std::string draw_alone(const Chart& chart);

/// The line or mark of `style`, for a legend.
std::string draw_swatch(const std::string& style);

struct Bar {
  std::string label;
  std::string style;
  double value;
};

/// Horizontal bars, each labelled with its value.
std::string draw_bars(const std::string& title, const std::vector<Bar>& bars, const FormatNumber& format);

/// Text escaped for HTML.
std::string escape(const std::string& text);

}  // namespace edgewise::app
