#pragma once

#include <string>
#include <vector>

/// @file
/// What is written around a picture in SVG, and its colours: from blue (-1) over white (0) to orange (1), which people
/// without full colour vision can tell apart.
namespace edgewise::io {

/// Plain texts, escaped here.
struct PictureText {
  std::vector<std::string> title = {};  ///< Lines above it.
  std::string low = {};                 ///< At the left end of the scale of colours; no scale without `high`.
  std::string high = {};                ///< At its right end.
  std::string scale = {};               ///< Below the scale: what the colours mean.

  int height_above() const;  ///< Pixels of the title.
  int height_below() const;  ///< Pixels of the scale with its texts.
};

/// Of a weight from -1 to 1, each channel from 0 to 1.
struct PictureColour {
  double red, green, blue;
};
PictureColour picture_colour(double weight);
/// "#FF7219"
std::string hex(const PictureColour& colour);

/// An element with `text`, which is cut if it is long. `anchor` is "start", "middle" or "end".
std::string text_at(double x, double y, const char* anchor, int size, const std::string& text);
/// The elements of the title, on white. "" without one.
std::string title_of(const PictureText& text, int width);
/// Those of a bar with the colours between its two texts, and what they mean below. `is_signed`: whether it has a blue
/// side. "" without one.
std::string scale_of(const PictureText& text, bool is_signed, int width, double top);

}  // namespace edgewise::io
