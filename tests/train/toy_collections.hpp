#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "edgewise/core/random.hpp"

namespace edgewise::test {

/// tokens.csv: `count` sentences of one to nine words. The tag of a word names the previous word ("start" for the
/// first), which a model only sees over a mask; "head" is the place of that word. sentences.csv says whether each
/// sentence is long.
inline void write_sentences(const std::filesystem::path& directory, int count = 60) {
  Random random(7, Stream::generate);
  std::ofstream tokens(directory / "tokens.csv"), sentences(directory / "sentences.csv");
  tokens << "sentence,position,word,tag,head\n";
  sentences << "sentence,length\n";
  const char* const kWords[] = {"ant", "bee", "cow"};
  for (int s = 1; s <= count; ++s) {
    const auto length = static_cast<int>(1 + random.below(9));
    sentences << 's' << s << ',' << (length > 4 ? "long" : "short") << '\n';
    std::string before = "start";
    for (int p = 1; p <= length; ++p) {
      const std::string word = kWords[random.below(3)];
      tokens << 's' << s << ',' << p << ',' << word << ',' << before << ',' << p - 1 << '\n';
      before = word;
    }
  }
}

/// reviews.csv: texts of four words, each with "good" or "bad".
inline void write_reviews(const std::filesystem::path& directory, int count = 60) {
  Random random(9, Stream::generate);
  std::ofstream reviews(directory / "reviews.csv");
  reviews << "text,label\n";
  const char* const kWords[] = {"film", "plot", "the", "NA"};
  for (int r = 0; r < count; ++r) {
    const bool is_good = r % 2 == 0;
    reviews << kWords[random.below(4)] << ' ' << (is_good ? "good" : "bad") << ' ' << kWords[random.below(4)] << " once"
            << r << ',' << (is_good ? "positive" : "negative") << '\n';
  }
}

/// images.csv: images of 3 x 4 pixels with horizontal or vertical bars.
inline void write_images(const std::filesystem::path& directory, int count = 60) {
  Random random(5, Stream::generate);
  std::ofstream images(directory / "images.csv");
  for (int p = 0; p < 12; ++p) images << 'p' << p << ',';
  images << "bar\n";
  for (int i = 0; i < count; ++i) {
    const bool is_lying = i % 2 == 0;
    const auto place = static_cast<int>(random.below(is_lying ? 3 : 4));
    for (int p = 0; p < 12; ++p)
      images << fmt::format("{:.2f},", ((is_lying ? p / 4 : p % 4) == place ? 1.0 : 0.0) + 0.1 * random.normal());
    images << (is_lying ? "lying" : "standing") << '\n';
  }
}

}  // namespace edgewise::test
