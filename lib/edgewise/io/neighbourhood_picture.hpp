#pragma once

#include <span>
#include <string>

#include "edgewise/io/picture_text.hpp"

namespace edgewise::io {

/// Something with a colour.
struct WeighedName {
  std::string name;
  double weight = 0;  ///< From -1 to 1, see picture_text.hpp.
};

/// Draws a node as SVG, with its neighbours around it and its features below, coloured by weight. Shows the 24
/// neighbours and the 6 features with the largest weights, and says how many are left out.
std::string draw_neighbourhood(const std::string& node, std::span<const WeighedName> neighbours,
                               std::span<const WeighedName> features, const PictureText& text);

}  // namespace edgewise::io
