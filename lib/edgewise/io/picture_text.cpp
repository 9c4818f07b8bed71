#include "edgewise/io/picture_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "edgewise/core/text.hpp"
#include "edgewise/io/detail/xml.hpp"

namespace edgewise::io {
namespace {

constexpr int kLine = 20, kScale = 58;    // heights
constexpr std::size_t kLongestText = 64;  // characters
constexpr PictureColour kPositive = {1.0, 0.45, 0.1}, kNegative = {0.1, 0.45, 1.0};

}  // namespace

int PictureText::height_above() const { return kLine * static_cast<int>(title.size()); }

int PictureText::height_below() const { return high.empty() ? 0 : kScale; }

PictureColour picture_colour(double weight) {
  const PictureColour& full = weight > 0 ? kPositive : kNegative;
  const auto channel = [&](double of_full) { return 1 - std::abs(weight) * (1 - of_full); };
  return {channel(full.red), channel(full.green), channel(full.blue)};
}

std::string hex(const PictureColour& colour) {
  const auto byte = [](double channel) { return static_cast<int>(std::lround(255 * channel)); };
  return fmt::format("#{:02X}{:02X}{:02X}", byte(colour.red), byte(colour.green), byte(colour.blue));
}

std::string text_at(double x, double y, const char* anchor, int size, const std::string& text) {
  return fmt::format("<text x='{}' y='{}' text-anchor='{}' font-family='sans-serif' font-size='{}' fill='#000000'>{}"
                     "</text>\n",
                     x, y, anchor, size, detail::ascii_escape(detail::xml_escape(printable(text, kLongestText))));
}

std::string title_of(const PictureText& text, int width) {
  if (text.title.empty()) return "";
  std::string lines =
      fmt::format("<rect width='{}' height='{}' fill='#FFFFFF'/>\n", width, text.height_above());
  for (std::size_t i = 0; i < text.title.size(); ++i)
    lines += text_at(10, kLine * static_cast<double>(i + 1) - 4, "start", 13, text.title[i]);
  return lines;
}

std::string scale_of(const PictureText& text, bool is_signed, int width, double top) {
  if (text.high.empty()) return "";
  constexpr double kLeft = 115;
  const double bar = width - 2 * kLeft;
  std::string scale = fmt::format(
      "<defs><linearGradient id='scale'><stop offset='0' stop-color='{}'/>{}<stop offset='1' stop-color='{}'/>"
      "</linearGradient></defs>\n",
      is_signed ? hex(kNegative) : "#FFFFFF", is_signed ? "<stop offset='0.5' stop-color='#FFFFFF'/>" : "",
      hex(kPositive));
  scale += fmt::format(
      "<rect x='{}' y='{}' width='{}' height='14' fill='url(#scale)' stroke='#808080' stroke-width='0.5'/>\n", kLeft,
      top + 8, bar);
  scale += text_at(kLeft - 6, top + 20, "end", 12, text.low);
  scale += text_at(kLeft + bar + 6, top + 20, "start", 12, text.high);
  scale += text_at(width / 2.0, top + 42, "middle", 12, text.scale);
  return scale;
}

}  // namespace edgewise::io
