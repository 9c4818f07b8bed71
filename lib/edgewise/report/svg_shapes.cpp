#include "edgewise/report/svg_shapes.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "edgewise/report/markup.hpp"

namespace edgewise::report {
namespace {

constexpr std::size_t kLongestMarkTitle = 120;

/// How many characters fit into this width.
std::size_t characters_in(double width) { return static_cast<std::size_t>(width / kCharacter); }

/// The element of these corners, but for its end.
std::string polygon(const std::vector<std::pair<double, double>>& corners) {
  std::string points;
  for (const auto& [x, y] : corners) points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", x, y);
  return fmt::format("<polygon points=\"{}\"", points);
}

/// The element of the mark, but for its end.
std::string shape_of(const Mark& mark) {
  const double x = mark.x, y = mark.y, r = mark.radius;
  const char number = mark.style.starts_with('v') && mark.style.size() > 1 ? mark.style[1] : '0';
  switch (number) {
    case '0': return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", x, y, r + 0.5);
    case '1':
      return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", x - r, y - r, 2 * r,
                         2 * r);
    case '2': return polygon({{x, y - r - 1}, {x + r + 1, y + r}, {x - r - 1, y + r}});
    case '3': return polygon({{x, y - r - 1.5}, {x + r + 1.5, y}, {x, y + r + 1.5}, {x - r - 1.5, y}});
    case '4': return polygon({{x - r - 1, y - r}, {x + r + 1, y - r}, {x, y + r + 1}});
    default: return polygon({{x - 2, y - r - 1}, {x + 2, y - r - 1}, {x + 2, y + r + 1}, {x - 2, y + r + 1}});
  }
}

}  // namespace

std::string open_svg(double width, double height, const std::string& title, const std::string& description) {
  return fmt::format(
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}{}{}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n",
      width, height, escape(title), description.empty() ? "" : ". ", escape(description));
}

std::string stand_alone(const std::string& svg) {
  const std::size_t start = svg.find(">\n") + 2;
  return fmt::format("{}<style>{}svg {{ background: var(--back); font-family: system-ui, sans-serif; }}</style>\n{}",
                     svg.substr(0, start), kChartStyle, svg.substr(start));
}

std::string text_at(double x, double y, const char* style, const std::string& text, double room,
                    const std::string& more) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\"{}>{}</text>\n", x, y, style, more,
                     escape(text, characters_in(room)));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n", x1, y1, x2, y2,
                     style);
}

std::string draw_mark(const Mark& mark) {
  const std::string shape = shape_of(mark), element = shape.substr(1, shape.find(' ') - 1);
  const std::string opacity = mark.opacity < 1 ? fmt::format(" opacity=\"{:.2f}\"", mark.opacity) : "";
  const std::string start = fmt::format("{} class=\"mark {}\"{}", shape, mark.style, opacity);
  if (mark.title.empty()) return start + "/>\n";
  return fmt::format("{}><title>{}</title></{}>\n", start, escape(mark.title, kLongestMarkTitle), element);
}

}  // namespace edgewise::report
