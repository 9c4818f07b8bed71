#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace edgewise::app {
namespace {

constexpr double kWidth = 460, kHeight = 320;
constexpr double kLeft = 84, kRight = 14, kTop = 34, kBottom = 46;
constexpr double kMark = 3.5;
constexpr double kTickRoom = 44;

/// A logarithmic or linear axis.
struct Axis {
  double low;
  double high;
  double from;
  double to;
  bool is_linear = false;

  double place(double value) const {
    const double share =
        is_linear ? (value - low) / (high - low) : (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return from + share * (to - from);
  }
  bool holds(double value) const { return value >= low * 0.999 && value <= high * 1.001; }
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return !(high >= low); }
};

/// The range of the curves with marks. Limits are plain lines and may leave the chart.
Range range_of(const Chart& chart, bool of_y) {
  Range range;
  for (const Curve& curve : chart.curves)
    for (std::size_t i = 0; i < curve.points.size(); ++i) {
      const auto& [x, y] = curve.points[i];
      const double spread = i < curve.spreads.size() ? curve.spreads[i] : 0;
      if (!of_y) range.include(x);
      if (!of_y || !curve.style.starts_with("v")) continue;
      range.include(y - spread);
      range.include(y + spread);
    }
  return range;
}

/// Powers of ten in the range; for a short range also 2 and 5 times each.
std::vector<double> decades(const Axis& axis) {
  std::vector<double> ticks;
  const bool is_short = axis.high / axis.low < 200;
  for (double power = std::floor(std::log10(axis.low)); power <= std::log10(axis.high); ++power)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = digit * std::pow(10, power); (digit == 1 || is_short) && axis.holds(tick))
        ticks.push_back(tick);
  return ticks;
}

/// Powers of 4, or of 16 for a long range.
std::vector<double> powers_of_four(const Axis& axis) {
  const double step = axis.high / axis.low < 5000 ? 4 : 16;
  std::vector<double> ticks;
  for (double tick = 1; tick <= axis.high; tick *= step)
    if (axis.holds(tick)) ticks.push_back(tick);
  return ticks;
}

/// Evenly spaced round numbers, at least four steps.
std::vector<double> even_ticks(const Axis& axis) {
  const double span = axis.high - axis.low;
  double step = std::pow(10, std::floor(std::log10(span / 4)));
  if (span / step >= 8) step *= span / step >= 20 ? 5 : 2;
  std::vector<double> ticks;
  for (double tick = std::ceil(axis.low / step); tick * step <= axis.high; ++tick) ticks.push_back(tick * step);
  return ticks;
}

std::vector<double> y_ticks(const Chart& chart, const Axis& y) {
  if (chart.is_linear) return even_ticks(y);
  return chart.is_binary ? powers_of_four(y) : decades(y);
}

Axis y_axis(const Chart& chart, const Range& ys) {
  if (chart.is_linear) {
    const double margin = std::max(0.06 * (ys.high - ys.low), 1e-3);
    return {ys.low - margin, ys.high + margin, kHeight - kBottom, kTop, true};
  }
  // Space above the curves for the labels of the marks.
  const double room = std::pow(1.6 * ys.high / ys.low, 0.07 * static_cast<double>(chart.marks.size()));
  return {ys.low / 1.6, ys.high * 1.6 * room, kHeight - kBottom, kTop};
}

std::string text_at(double x, double y, const char* style, const std::string& text, const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, escape(text));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

/// A different shape for each variant, so that they differ by more than colour.
std::string mark_at(double x, double y, const std::string& style, const std::string& title) {
  const double r = kMark;
  std::string shape;
  if (style.starts_with("v0"))
    shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", x, y, r + 0.5);
  else if (style.starts_with("v1"))
    shape =
        fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", x - r, y - r, 2 * r, 2 * r);
  else if (style.starts_with("v2"))
    shape = fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"", x, y - r - 1, x + r + 1, y + r,
                        x - r - 1, y + r);
  else
    shape = fmt::format("<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\"", x, y - r - 1.5,
                        x + r + 1.5, y, x, y + r + 1.5, x - r - 1.5, y);
  return fmt::format("{} class=\"mark {}\"><title>{}</title></{}>\n", shape, style, escape(title),
                     shape.substr(1, shape.find(' ') - 1));
}

/// The part of a line between two points that lies inside the chart's height.
std::string clipped_segment(const Axis& x, const Axis& y, std::pair<double, double> a, std::pair<double, double> b) {
  if (a.second > b.second) std::swap(a, b);
  if (b.second < y.low || a.second > y.high) return "";
  const auto at_height = [&](double height) {
    const double share = std::log(height / a.second) / std::log(b.second / a.second);
    return std::pair(std::exp(std::log(a.first) + share * std::log(b.first / a.first)), height);
  };
  const auto low = a.second < y.low ? at_height(y.low) : a;
  const auto high = b.second > y.high ? at_height(y.high) : b;
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x.place(low.first), y.place(low.second), x.place(high.first),
                     y.place(high.second));
}

std::string draw_curve(const Chart& chart, const Curve& curve, const Axis& x, const Axis& y) {
  std::string path;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    path += clipped_segment(x, y, curve.points[i - 1], curve.points[i]);
  std::string text = fmt::format("<path class=\"curve {}\" d=\"{}\"><title>{}</title></path>\n", curve.style,
                                 path.empty() ? "M0 0" : path, escape(curve.label));
  if (!curve.style.starts_with("v")) return text;
  for (std::size_t i = 0; i < curve.spreads.size(); ++i) {
    const auto& [px, py] = curve.points[i];
    text += line(x.place(px), y.place(py - curve.spreads[i]), x.place(px), y.place(py + curve.spreads[i]),
                 "spread " + curve.style);
  }
  for (const auto& [px, py] : curve.points)
    text += mark_at(x.place(px), y.place(py), curve.style,
                    fmt::format("{}: {} at {}", curve.label, chart.format_y(py), chart.format_x(px)));
  return text;
}

std::string open(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n",
      width, height, escape(title));
}

std::string draw_inside(const Chart& chart, const Range& xs, const Range& ys) {
  const Axis x{xs.low / 1.12, xs.high * 1.12, kLeft, kWidth - kRight};
  const Axis y = y_axis(chart, ys);
  std::string svg = text_at(kLeft, 18, "title", chart.title);
  for (const double tick : y_ticks(chart, y)) {
    svg += line(x.from, y.place(tick), x.to, y.place(tick), "grid");
    svg += text_at(x.from - 6, y.place(tick) + 4, "tick end", chart.format_y(tick));
  }
  double last_label = std::numeric_limits<double>::infinity();
  for (auto tick = chart.x_ticks.rbegin(); tick != chart.x_ticks.rend(); ++tick) {
    svg += line(x.place(*tick), y.from, x.place(*tick), y.from + 4, "axis");
    if (last_label - x.place(*tick) < kTickRoom) continue;
    last_label = x.place(*tick);
    svg += text_at(last_label, y.from + 17, "tick middle", chart.format_x(*tick));
  }
  svg += line(x.from, y.from, x.to, y.from, "axis") + line(x.from, y.from, x.from, y.to, "axis");
  svg += text_at((x.from + x.to) / 2, kHeight - 8, "tick middle", chart.x_label);
  svg += text_at(12, (y.from + y.to) / 2, "tick middle", chart.y_label,
                 fmt::format(" transform=\"rotate(-90 12 {:.1f})\"", (y.from + y.to) / 2));
  double label_y = y.to + 10;
  for (const ChartMark& mark : chart.marks) {
    svg += line(x.place(mark.x), y.from, x.place(mark.x), y.to, "cross " + mark.style);
    const bool is_right = x.place(mark.x) > (x.from + x.to) / 2;
    svg += text_at(x.place(mark.x) + (is_right ? -4 : 4), label_y, is_right ? "tick end" : "tick", mark.label);
    label_y += 13;
  }
  for (const Curve& curve : chart.curves) svg += draw_curve(chart, curve, x, y);
  return svg;
}

}  // namespace

std::string escape(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

std::string draw(const Chart& chart) {
  const Range xs = range_of(chart, false);
  const Range ys = range_of(chart, true);
  if (ys.is_empty()) return fmt::format("<p class=\"none\">{}: nothing was measured</p>\n", escape(chart.title));
  return open(kWidth, kHeight, chart.title) + draw_inside(chart, xs, ys) + "</svg>\n";
}

std::string draw_alone(const Chart& chart) {
  constexpr double kRow = 18;
  const Range xs = range_of(chart, false), ys = range_of(chart, true);
  std::string svg = open(kWidth, kHeight + kRow * static_cast<double>(chart.curves.size()) + 8, chart.title);
  svg += fmt::format("<style>{}svg {{ background: var(--back); font-family: system-ui, sans-serif; }}</style>\n",
                     kChartStyle);
  svg += ys.is_empty() ? text_at(kLeft, kHeight / 2, "tick", "nothing was measured") : draw_inside(chart, xs, ys);
  double y = kHeight + kRow / 2;
  for (const Curve& curve : chart.curves) {
    svg += line(kLeft, y, kLeft + 32, y, "curve " + curve.style) + mark_at(kLeft + 16, y, curve.style, curve.label);
    svg += text_at(kLeft + 42, y + 4, "label", curve.label);
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string draw_swatch(const std::string& style) {
  std::string svg = "<svg class=\"swatch\" viewBox=\"0 0 34 14\" aria-hidden=\"true\">";
  svg += fmt::format("<path class=\"curve {}\" d=\"M1 7L33 7\"/>", style);
  if (style.starts_with("v")) svg += mark_at(17, 7, style, style);
  return svg + "</svg>";
}

std::string draw_bars(const std::string& title, const std::vector<Bar>& bars, const FormatNumber& format) {
  constexpr double kRow = 26, kLabel = 130, kNumber = 80;
  const double largest = std::accumulate(bars.begin(), bars.end(), 0.0,
                                         [](double most, const Bar& bar) { return std::max(most, bar.value); });
  std::string svg = open(kWidth, kTop + kRow * static_cast<double>(bars.size()) + 8, title);
  svg += text_at(0, 18, "title", title);
  double y = kTop;
  for (const Bar& bar : bars) {
    const double length = largest > 0 ? std::max(1.0, bar.value / largest * (kWidth - kLabel - kNumber)) : 1;
    svg += text_at(kLabel - 6, y + 14, "tick end", bar.label);
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"mark {}\"/>\n",
                       kLabel, y + 2, length, kRow - 8, bar.style);
    svg += text_at(kLabel + length + 6, y + 14, "tick", format(bar.value));
    y += kRow;
  }
  return svg + "</svg>\n";
}

}  // namespace edgewise::app
