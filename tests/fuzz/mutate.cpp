#include "fuzz/mutate.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace edgewise::fuzz {
namespace {

constexpr std::size_t kLongest = std::size_t{1} << 16;
constexpr std::array<std::string_view, 40> kWords = {
    "\"", "'", ",", ";", "\t", "\n", "\r\n", "#", "{", "}", "[", "]", "<", ">", "/>", "&#0;", "--", "->", "=", ":",
    "0", "-1", "1e39", "nan", "2147483648", "18446744073709551616", "null", "true", "\xff", "\xc3\xa9",
    "\xef\xbb\xbf", "id", "source", "weight", "node", "graph", "subgraph", "\x1f\x8b", "$$$$", "M  END"};

std::size_t place(const std::vector<char>& bytes, Random& random) { return random.below(bytes.size() + 1); }

/// A random range of at most `most` bytes.
std::pair<std::size_t, std::size_t> range(const std::vector<char>& bytes, std::size_t most, Random& random) {
  const std::size_t begin = place(bytes, random);
  return {begin, begin + random.below(std::min(most, bytes.size() - begin) + 1)};
}

void insert(std::vector<char>& bytes, std::size_t at, std::string_view text) {
  bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), text.begin(), text.end());
}

void change(std::vector<char>& bytes, const std::vector<char>& other, Random& random) {
  const auto [begin, end] = range(bytes, 64, random);
  const std::string_view piece(bytes.data() + begin, end - begin);
  switch (random.below(8)) {
    case 0:
      if (!bytes.empty()) bytes[random.below(bytes.size())] ^= static_cast<char>(1 << random.below(8));
      return;
    case 1:
      if (!bytes.empty()) bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
      return;
    case 2:
      bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(begin), bytes.begin() + static_cast<std::ptrdiff_t>(end));
      return;
    case 3: return insert(bytes, place(bytes, random), std::string(piece));
    case 4: {
      std::string many;
      for (std::size_t i = 0, times = 1 + random.below(256); i < times; ++i) many += piece;
      return insert(bytes, end, many);
    }
    case 5: {
      const auto [from, to] = range(other, 256, random);
      return insert(bytes, begin, std::string(other.data() + from, to - from));
    }
    default: return insert(bytes, begin, kWords[random.below(kWords.size())]);
  }
}

}  // namespace

std::vector<char> mutate(const std::vector<std::vector<char>>& pool, Random& random) {
  std::vector<char> bytes = pool[random.below(pool.size())];
  for (std::size_t i = 0, times = 1 + random.below(8); i < times; ++i)
    change(bytes, pool[random.below(pool.size())], random);
  if (bytes.size() > kLongest) bytes.resize(kLongest);
  return bytes;
}

}  // namespace edgewise::fuzz
