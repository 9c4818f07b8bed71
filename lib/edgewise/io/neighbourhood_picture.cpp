#include "edgewise/io/neighbourhood_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/xml.hpp"

namespace edgewise::io {
namespace {

constexpr int kWidth = 640, kHeight = 440, kRowHeight = 22;  // pixels; the height is that of the circle of neighbours
constexpr std::size_t kMostNeighbours = 24, kMostFeatures = 6;
constexpr std::size_t kLongestName = 18;  // characters

/// The `most` with the largest weights, in the order given.
std::vector<WeighedName> largest(std::span<const WeighedName> all, std::size_t most) {
  std::vector<WeighedName> shown(all.begin(), all.end());
  if (shown.size() <= most) return shown;
  std::vector<double> sizes;
  for (const WeighedName& one : all) sizes.push_back(std::abs(one.weight));
  std::ranges::nth_element(sizes, sizes.begin() + static_cast<std::ptrdiff_t>(most - 1), std::greater());
  const double least = sizes[most - 1];
  std::size_t larger = 0;
  for (const WeighedName& one : all) larger += std::abs(one.weight) > least ? 1 : 0;
  std::size_t ties = most - larger;  // as many as fit
  std::erase_if(shown, [&](const WeighedName& one) {
    const double size = std::abs(one.weight);
    if (size != least) return size < least;
    return ties == 0 || ties-- == 0;
  });
  return shown;
}

std::string circle(double x, double y, double radius, const std::string& fill) {
  return fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='{}' fill='{}' stroke='#606060'/>\n", x, y, radius, fill);
}

std::string short_name(const std::string& name) { return printable(name, kLongestName); }

/// The node in the middle, and lines to its neighbours.
std::string star(const std::string& node, std::span<const WeighedName> neighbours, int top) {
  const double middle = kWidth / 2.0, centre = top + kHeight / 2.0;
  std::string lines, circles;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(neighbours.size());
    const double across = std::sin(angle), up = std::cos(angle);
    const double x = middle + 190 * across, y = centre - 180 * up;
    lines +=
        fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#A0A0A0'/>\n", middle, centre, x, y);
    circles += circle(x, y, 12, hex(picture_colour(neighbours[i].weight)));
    const bool is_beside = std::abs(across) > 0.05;
    circles += text_at(is_beside ? x + (across > 0 ? 18 : -18) : x, is_beside ? y + 4 : y - 18 * up + (up > 0 ? 0 : 10),
                       is_beside ? (across > 0 ? "start" : "end") : "middle", 12, short_name(neighbours[i].name));
  }
  return lines + circles + circle(middle, centre, 16, "#FFFFFF") +
         text_at(middle, centre + 34, "middle", 13, short_name(node));
}

std::string feature_line(const WeighedName& feature, double y) {
  return fmt::format("<rect x='40' y='{}' width='14' height='14' fill='{}' stroke='#606060'/>\n", y,
                     hex(picture_colour(feature.weight))) +
         text_at(62, y + 12, "start", 12, "feature " + feature.name);
}

std::string left_out(std::size_t all, std::size_t shown, const char* what) {
  return all == shown ? "" : counted(all - shown, what);
}

}  // namespace

std::string draw_neighbourhood(const std::string& node, std::span<const WeighedName> neighbours,
                               std::span<const WeighedName> features, const PictureText& text) {
  const std::vector<WeighedName> around = largest(neighbours, kMostNeighbours),
                                 below = largest(features, kMostFeatures);
  std::string left = left_out(neighbours.size(), around.size(), "neighbour");
  const std::string left_features = left_out(features.size(), below.size(), "feature");
  if (!left.empty() && !left_features.empty()) left += ", ";
  left += left_features;
  const int above = text.height_above(), rows = kRowHeight * static_cast<int>(below.size() + (left.empty() ? 0 : 1));
  const int height = above + kHeight + rows + text.height_below();
  std::string drawn = star(node, around, above);
  int y = above + kHeight;
  for (const WeighedName& feature : below) {
    drawn += feature_line(feature, y);
    y += kRowHeight;
  }
  if (!left.empty()) drawn += text_at(40, y + 12, "start", 12, "not shown, with smaller effects: " + left);
  return fmt::format(
      "<?xml version='1.0' encoding='iso-8859-1'?>\n<svg xmlns='http://www.w3.org/2000/svg' width='{0}' "
      "height='{1}' viewBox='0 0 {0} {1}' role='img'>\n<title>{2}</title>\n"
      "<rect width='{0}' height='{1}' fill='#FFFFFF'/>\n{3}{4}{5}</svg>\n",
      kWidth, height, detail::ascii_escape(detail::xml_escape("what the neighbours of " + node + " add")),
      title_of(text, kWidth), drawn, scale_of(text, true, kWidth, above + kHeight + rows));
}

}  // namespace edgewise::io
