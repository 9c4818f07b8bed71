#pragma once

#include <edgewise/edgewise.hpp>
#include <string>
#include <vector>

/// Images of digits, 8 x 8 pixels from 0 to 1, from a table with the columns p00, p01, ..., p77 and digit.
struct DigitImages {
  static constexpr Eigen::Index kSide = 8;

  edgewise::Matrix pixels;  // [images, 64]
  std::vector<std::int32_t> digits;
};

inline DigitImages read_digits(const std::string& path) {
  const edgewise::io::NodeTable table = edgewise::io::read_node_table(path, {.is_numbered = true});
  DigitImages images;
  images.pixels.resize(static_cast<Eigen::Index>(table.rows()), DigitImages::kSide * DigitImages::kSide);
  for (Eigen::Index pixel = 0; pixel < images.pixels.cols(); ++pixel) {
    const Eigen::Index row = pixel / DigitImages::kSide, place = pixel % DigitImages::kSide;
    const edgewise::io::Column& column = table.at("p" + std::to_string(row) + std::to_string(place));
    for (std::size_t image = 0; image < table.rows(); ++image)
      images.pixels(static_cast<Eigen::Index>(image), pixel) = table.number(column, image) / 16;
  }
  for (std::size_t image = 0; image < table.rows(); ++image)
    images.digits.push_back(static_cast<std::int32_t>(table.number(table.at("digit"), image)));
  return images;
}
