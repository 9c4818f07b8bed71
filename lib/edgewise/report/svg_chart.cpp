#include "edgewise/report/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "edgewise/report/markup.hpp"

namespace edgewise::report {
namespace {

constexpr double kWidth = kChartWidth, kHeight = 320;
constexpr double kLeft = 84, kRight = 14, kTop = 34, kBottom = 46;
constexpr double kLegendRow = 18;
constexpr double kTickRoom = 8;  // between the labels of ticks

bool is_drawn(const std::pair<double, double>& point) {
  return std::isfinite(point.first) && std::isfinite(point.second);
}

/// The range of all series but guides, which may leave the chart; its x axis covers those, too.
Range range_of(const Chart& chart, bool of_y) {
  Range range;
  for (const Series& series : chart.series)
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      if (!is_drawn(series.points[i])) continue;
      const auto& [x, y] = series.points[i];
      const double spread = i < series.spreads.size() ? series.spreads[i] : 0;
      if (!of_y) range.include(x);
      if (!of_y || series.drawn == Drawn::guide) continue;
      range.include(y - spread);
      range.include(y + spread);
    }
  return range;
}

/// The part of a line between two points that lies inside the chart's height.
std::string clipped_segment(const PlacedAxis& x, const PlacedAxis& y, std::pair<double, double> a,
                            std::pair<double, double> b) {
  if (y.level(a.second) > y.level(b.second)) std::swap(a, b);
  if (y.level(b.second) < y.level(y.low) || y.level(a.second) > y.level(y.high)) return "";
  const auto at_height = [&](double height) {
    const double share = (y.level(height) - y.level(a.second)) / (y.level(b.second) - y.level(a.second));
    return std::pair(x.at_level(x.level(a.first) + share * (x.level(b.first) - x.level(a.first))), height);
  };
  const auto low = a.second < y.low ? at_height(y.low) : a;
  const auto high = b.second > y.high ? at_height(y.high) : b;
  return fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", x.place(low.first), y.place(low.second), x.place(high.first),
                     y.place(high.second));
}

/// A drawing in progress: the chart and its axes.
struct Frame {
  const Chart& chart;
  PlacedAxis x;
  PlacedAxis y;

  std::string path_of(const Series& series) const {
    std::string path;
    std::optional<std::pair<double, double>> last;
    for (const auto& point : series.points) {
      if (!is_drawn(point)) continue;
      if (series.drawn == Drawn::dots)
        path += fmt::format("M{:.1f} {:.1f}h0", x.place(point.first), y.place(point.second));
      else if (series.drawn == Drawn::guide)
        path += last ? clipped_segment(x, y, *last, point) : "";
      else
        path += fmt::format("{}{:.1f} {:.1f}", last ? "L" : "M", x.place(point.first), y.place(point.second));
      last = point;
    }
    return path;
  }

  std::string marks_of(const Series& series) const {
    std::string text;
    for (std::size_t i = 0; i < series.points.size(); ++i) {
      if (!is_drawn(series.points[i])) continue;
      const auto& [px, py] = series.points[i];
      const std::string name = i < series.names.size() ? series.names[i] : series.label;
      if (i < series.spreads.size() && std::isfinite(series.spreads[i]) && series.spreads[i] > 0)
        text += line(x.place(px), y.place(py - series.spreads[i]), x.place(px), y.place(py + series.spreads[i]),
                     "spread " + series.style);
      text += draw_mark({x.place(px), y.place(py), series.style,
                         fmt::format("{}: {} at {}", name, chart.y.format(py), chart.x.format(px))});
      if (i < series.captions.size())
        text += text_at(x.place(px), y.place(py) + 17, "tick middle", series.captions[i]);
    }
    return text;
  }

  std::string draw(const Series& series) const {
    std::string text;
    const std::string path = series.drawn == Drawn::marks ? "" : path_of(series);
    const char* kind = series.drawn == Drawn::dots ? "dots" : series.drawn == Drawn::line ? "curve line" : "curve";
    if (!path.empty()) text = fmt::format("<path class=\"{} {}\" d=\"{}\"/>\n", kind, series.style, path);
    if (series.drawn == Drawn::points || series.drawn == Drawn::marks) text += marks_of(series);
    return text;
  }

  std::string draw_y_axis() const {
    std::string svg;
    for (const double tick : y.ticks(chart.y.ticks)) {
      svg += line(x.from, y.place(tick), x.to, y.place(tick), "grid");
      svg += text_at(x.from - 6, y.place(tick) + 4, "tick end", chart.y.format(tick));
    }
    svg += line(x.from, y.from, x.from, y.to, "axis");
    return svg + text_at(12, (y.from + y.to) / 2, "tick middle", chart.y.label, kHeight,
                         fmt::format(" transform=\"rotate(-90 12 {:.1f})\"", (y.from + y.to) / 2));
  }

  /// Labels that have no room are left out, from the right.
  std::string draw_x_axis() const {
    std::string svg = line(x.from, y.from, x.to, y.from, "axis");
    double free_until = std::numeric_limits<double>::infinity();
    std::vector<double> ticks = x.ticks(chart.x.ticks);
    std::ranges::reverse(ticks);
    for (const double tick : ticks) {
      const std::string label = chart.x.format(tick);
      const double half = kCharacter * static_cast<double>(label.size()) / 2, at = x.place(tick);
      svg += line(at, y.from, at, y.from + 4, "axis");
      if (at + half + kTickRoom > free_until) continue;
      free_until = at - half;
      svg += text_at(std::min(at, kWidth - half), y.from + 17, "tick middle", label);
    }
    return svg + text_at((x.from + x.to) / 2, kHeight - 8, "tick middle", chart.x.label);
  }

  std::string draw_marks() const {
    std::string svg;
    double label_y = y.to + 10;
    for (const ChartMark& mark : chart.marks) {
      const double at = x.place(mark.x);
      svg += line(at, y.from, at, y.to, "cross " + mark.style);
      const bool is_right = at > (x.from + x.to) / 2;
      svg += text_at(at + (is_right ? -4 : 4), label_y, is_right ? "tick end" : "tick", mark.label);
      label_y += 13;
    }
    return svg;
  }
};

std::string draw_frame(const Chart& chart, const Range& xs, const Range& ys) {
  constexpr double kLabelRoom = 0.06;
  const Frame frame{chart, place_axis(chart.x, xs, kLeft, kWidth - kRight),
                    place_axis(chart.y, ys, kHeight - kBottom, kTop,
                               kLabelRoom * static_cast<double>(chart.marks.size()))};
  std::string svg = text_at(0, 18, "title", chart.title) + frame.draw_y_axis() + frame.draw_x_axis();
  svg += frame.draw_marks();
  for (const Series& series : chart.series) svg += frame.draw(series);
  return svg;
}

std::string sample_of(const std::string& style, Drawn drawn, double x, double y) {
  const bool is_line = drawn == Drawn::line || drawn == Drawn::guide || drawn == Drawn::points;
  std::string svg;
  if (is_line) svg += line(x, y, x + 32, y, fmt::format("curve{} {}", drawn == Drawn::line ? " line" : "", style));
  if (drawn == Drawn::dots)
    svg += fmt::format("<path class=\"dots {}\" d=\"M{:.1f} {:.1f}h0m12 0h0\"/>\n", style, x + 10, y);
  if (drawn == Drawn::points || drawn == Drawn::marks) svg += draw_mark({x + 16, y, style});
  return svg;
}

struct LegendEntry {
  std::string label;
  std::string style;
  Drawn drawn;
};

std::vector<LegendEntry> legend_of(const Chart& chart) {
  std::vector<LegendEntry> entries;
  for (const Series& series : chart.series)
    if (!series.label.empty()) entries.push_back({series.label, series.style, series.drawn});
  return entries;
}

double height_of(const std::vector<LegendEntry>& legend) {
  return legend.empty() ? 0 : kLegendRow * static_cast<double>(legend.size()) + 8;
}

std::string draw_legend(const std::vector<LegendEntry>& legend, double y) {
  std::string svg;
  for (const LegendEntry& entry : legend) {
    svg += sample_of(entry.style, entry.drawn, kLeft, y + kLegendRow / 2);
    svg += text_at(kLeft + 42, y + kLegendRow / 2 + 4, "label", entry.label, kWidth - kLeft - 42);
    y += kLegendRow;
  }
  return svg;
}

}  // namespace

std::string series_style(std::size_t place) {
  return fmt::format("v{}{}", place % kSeriesStyles, place < kSeriesStyles ? "" : " again");
}

std::string draw(const Chart& chart) {
  const Range xs = range_of(chart, false), ys = range_of(chart, true);
  if (ys.is_empty()) return fmt::format("<p class=\"none\">{}: nothing was measured</p>\n", escape(chart.title));
  const std::vector<LegendEntry> legend = chart.has_legend ? legend_of(chart) : std::vector<LegendEntry>{};
  return open_svg(kWidth, kHeight + height_of(legend), chart.title, chart.description) + draw_frame(chart, xs, ys) +
         draw_legend(legend, kHeight) + "</svg>\n";
}

std::string draw_alone(const Chart& chart) {
  const Range xs = range_of(chart, false), ys = range_of(chart, true);
  const std::vector<LegendEntry> legend = legend_of(chart);
  std::string svg = open_svg(kWidth, kHeight + height_of(legend), chart.title, chart.description);
  svg += ys.is_empty() ? text_at(kLeft, kHeight / 2, "tick", "nothing was measured") : draw_frame(chart, xs, ys);
  return stand_alone(svg + draw_legend(legend, kHeight) + "</svg>\n");
}

std::string draw_swatch(const std::string& style, Drawn drawn) {
  return fmt::format("<svg class=\"swatch\" viewBox=\"0 0 34 14\" aria-hidden=\"true\">{}</svg>",
                     sample_of(style, drawn, 1, 7));
}

std::string draw_bars(const std::string& title, const std::string& description, const std::vector<Bar>& bars,
                      const FormatNumber& format) {
  constexpr double kRow = 26, kLabel = 150, kNumber = 80;
  double largest = 0;
  for (const Bar& bar : bars) largest = std::max(largest, bar.value);
  std::string svg = open_svg(kWidth, kTop + kRow * static_cast<double>(bars.size()) + 8, title, description);
  svg += text_at(0, 18, "title", title);
  double y = kTop;
  for (const Bar& bar : bars) {
    const double length = bar.value > 0 ? std::max(1.0, bar.value / largest * (kWidth - kLabel - kNumber)) : 0;
    svg += text_at(kLabel - 6, y + 14, "tick end", bar.label, kLabel);
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"mark {}\"/>\n",
                       kLabel, y + 2, length, kRow - 8, bar.style);
    svg += text_at(kLabel + length + 6, y + 14, "tick", format(bar.value));
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string draw_rows(const std::string& title, const std::string& description, const std::vector<ValueRow>& rows,
                      const std::vector<std::string>& series, const FormatNumber& format) {
  constexpr double kRow = 24, kLabel = 170;
  Range values;
  for (const ValueRow& row : rows)
    for (const ValueRow::Value& value : row.values) {
      values.include(value.value - value.spread);
      values.include(value.value + value.spread);
    }
  if (values.is_empty()) return fmt::format("<p class=\"none\">{}: nothing was measured</p>\n", escape(title));
  const PlacedAxis x = place_axis({}, values, kLabel, kWidth - kRight);
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < series.size() && series.size() > 1; ++i)
    legend.push_back({series[i], series_style(i), Drawn::marks});
  const double bottom = kTop + kRow * static_cast<double>(rows.size());
  std::string svg = open_svg(kWidth, bottom + 28 + height_of(legend), title, description);
  svg += text_at(0, 18, "title", title);
  for (const double tick : x.ticks({})) {
    svg += line(x.place(tick), kTop, x.place(tick), bottom, "grid");
    svg += text_at(x.place(tick), bottom + 17, "tick middle", format(tick));
  }
  double y = kTop + kRow / 2;
  for (const ValueRow& row : rows) {
    svg += text_at(kLabel - 8, y + 4, "tick end", row.label, kLabel - 8);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const auto& [value, spread] = row.values[i];
      if (!std::isfinite(value)) continue;
      const double at = y + 5 * (static_cast<double>(i) - static_cast<double>(row.values.size() - 1) / 2);
      if (spread > 0)
        svg += line(x.place(value - spread), at, x.place(value + spread), at, "spread " + series_style(i));
      svg += draw_mark({x.place(value), at, series_style(i),
                        fmt::format("{}, {}: {}", row.label, series[i], format(value))});
    }
    y += kRow;
  }
  return svg + draw_legend(legend, bottom + 24) + "</svg>\n";
}

std::vector<std::size_t> even_places(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places;
  const std::size_t kept = std::min(count, most);
  for (std::size_t i = 0; i < kept; ++i) places.push_back(kept < 2 ? 0 : i * (count - 1) / (kept - 1));
  return places;
}

}  // namespace edgewise::report
