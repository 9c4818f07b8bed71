#pragma once

#include <string>

/// @file
/// What charts and maps are drawn with. Texts are escaped here. Coordinates are those of the drawing.
namespace edgewise::report {

inline constexpr const char* kChartStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1c1e21; --soft: #5c6370; --grid: #e3e5e9;
  --v0: #0b62c4; --v1: #b4520a; --v2: #0a7d4f; --v3: #a02a8b; --v4: #4a4e57; --v5: #8a6d00;
  --r0: #d9a514; --r1: #d97a2b; --r2: #b9505f; --r3: #7d3c8c; --r4: #2f2f86; }
@media screen and (prefers-color-scheme: dark) { :root { --back: #16181c; --text: #e6e8ec; --soft: #9aa1ad;
  --grid: #2c3038; --v0: #6fb1ff; --v1: #f0a050; --v2: #4fcf97; --v3: #e58ad3; --v4: #c4c8d0; --v5: #d9c04a;
  --r0: #f6dd6b; --r1: #f2a45a; --r2: #e07a86; --r3: #ad84d0; --r4: #7f92f5; } }
svg text { fill: var(--text); font-size: 12px; } svg .title { font-size: 13px; font-weight: 600; }
.tick { fill: var(--soft); } .end { text-anchor: end; } .middle { text-anchor: middle; }
.grid { stroke: var(--grid); } .axis { stroke: var(--soft); }
.curve { fill: none; stroke-width: 1.8; } .mark { stroke: none; }
.dots { fill: none; stroke-width: 4.5; stroke-linecap: round; opacity: .55; }
.v0 { stroke: var(--v0); } .v1 { stroke: var(--v1); } .v2 { stroke: var(--v2); } .v3 { stroke: var(--v3); }
.v4 { stroke: var(--v4); } .v5 { stroke: var(--v5); }
.mark.v0 { fill: var(--v0); } .mark.v1 { fill: var(--v1); } .mark.v2 { fill: var(--v2); } .mark.v3 { fill: var(--v3); }
.mark.v4 { fill: var(--v4); } .mark.v5 { fill: var(--v5); }
.mark.r0 { fill: var(--r0); } .mark.r1 { fill: var(--r1); } .mark.r2 { fill: var(--r2); } .mark.r3 { fill: var(--r3); }
.mark.r4 { fill: var(--r4); } .mark.other { fill: var(--soft); }
.ties { fill: none; stroke: var(--soft); stroke-width: .6; opacity: .3; }
.ring { fill: none; stroke: var(--text); stroke-width: 1.3; }
.line.v1 { stroke-dasharray: 7 3; } .line.v2 { stroke-dasharray: 2 2.5; } .line.v3 { stroke-dasharray: 8 3 2 3; }
.line.v4 { stroke-dasharray: 12 4; } .line.v5 { stroke-dasharray: 5 2 1 2 1 2; }
.guide { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 4 4; }
.spread { stroke-width: 1; opacity: .6; } .again { stroke-dasharray: 5 3; }
)";

inline constexpr double kChartWidth = 460;

/// The start of an `<svg>` that says in words what it shows.
std::string open_svg(double width, double height, const std::string& title, const std::string& description);

/// A drawing with its style, for a file of its own.
std::string stand_alone(const std::string& svg);

/// Text that is cut if it has more characters than fit into `room`. `more`: attributes.
std::string text_at(double x, double y, const char* style, const std::string& text, double room = kChartWidth,
                    const std::string& more = "");

/// About how wide one character is.
inline constexpr double kCharacter = 6.6;

std::string line(double x1, double y1, double x2, double y2, const std::string& style);

/// A mark whose shape depends on its style, so that "v0" to "v5" differ by more than colour; others are discs.
struct Mark {
  double x;
  double y;
  std::string style;
  std::string title = {};  ///< Shown when it is pointed at.
  double radius = 3.5;
  double opacity = 1;
};
std::string draw_mark(const Mark& mark);

}  // namespace edgewise::report
