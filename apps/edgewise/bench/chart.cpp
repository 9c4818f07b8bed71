#include "bench/chart.hpp"

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

/// One logarithmic axis on the page.
struct Axis {
  double low;
  double high;
  double from;
  double to;

  double place(double value) const {
    const double share = (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
    return from + share * (to - from);
  }
  bool holds(double value) const { return value >= low * 0.999 && value <= high * 1.001; }
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool is_empty() const { return !(high > 0); }
};

/// The range of curves with marks: limits are lines, and may leave the chart.
Range range_of(const Chart& chart, bool of_y) {
  Range range;
  for (const Curve& curve : chart.curves)
    for (const auto& [x, y] : curve.points)
      if (!of_y || curve.style.starts_with("v")) range.include(of_y ? y : x);
  return range;
}

/// 1, 10, 100, ... in the range, with 2 and 5 between when they are few.
std::vector<double> decades(const Axis& axis) {
  std::vector<double> ticks;
  const bool is_short = axis.high / axis.low < 200;
  for (double power = std::floor(std::log10(axis.low)); power <= std::log10(axis.high); ++power)
    for (const double digit : {1.0, 2.0, 5.0})
      if (const double tick = digit * std::pow(10, power); (digit == 1 || is_short) && axis.holds(tick))
        ticks.push_back(tick);
  return ticks;
}

/// Powers of 4, or of 16 when they are many.
std::vector<double> powers_of_four(const Axis& axis) {
  const double step = axis.high / axis.low < 5000 ? 4 : 16;
  std::vector<double> ticks;
  for (double tick = 1; tick <= axis.high; tick *= step)
    if (axis.holds(tick)) ticks.push_back(tick);
  return ticks;
}

std::string text_at(double x, double y, const char* style, const std::string& text, const std::string& more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more, escape(text));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

/// A shape of its own for each variant, so that colour is not all that tells them apart.
std::string mark_at(double x, double y, const std::string& style, const std::string& title) {
  const double r = kMark;
  std::string shape;
  if (style == "v0")
    shape = fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", x, y, r + 0.5);
  else if (style == "v1")
    shape = fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", x - r, y - r, 2 * r,
                        2 * r);
  else if (style == "v2")
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
  for (const auto& [px, py] : curve.points)
    text += mark_at(x.place(px), y.place(py), curve.style,
                    fmt::format("{}: {} at {}", curve.label, chart.format_y(py), chart.format_x(px)));
  return text;
}

std::string open(double width, double height, const std::string& title) {
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" "
                     "xmlns=\"http://www.w3.org/2000/svg\">\n",
                     width, height, escape(title));
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
  const Axis x{xs.low / 1.12, xs.high * 1.12, kLeft, kWidth - kRight};
  // Room for the words of the marks above the curves.
  const double room = std::pow(1.6 * ys.high / ys.low, 0.07 * static_cast<double>(chart.marks.size()));
  const Axis y{ys.low / 1.6, ys.high * 1.6 * room, kHeight - kBottom, kTop};
  std::string svg = open(kWidth, kHeight, chart.title);
  svg += text_at(kLeft, 18, "title", chart.title);
  for (const double tick : chart.is_binary ? powers_of_four(y) : decades(y)) {
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
