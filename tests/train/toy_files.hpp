#pragma once

#include <filesystem>
#include <fstream>

#include "edgewise/core/random.hpp"

namespace edgewise::test {

/// friends.csv and people.csv: `count` people in two groups who mostly know their own group, with an age, a city (some
/// of both missing), and whether they buy ("yes" for even numbers; every tenth is unknown).
inline void write_friends(const std::filesystem::path& directory, int count = 80) {
  Random random(11, Stream::generate);
  std::ofstream friends(directory / "friends.csv");
  friends << "source,target,weight\n";
  for (int v = 0; v < count; ++v)
    for (int k = 1; k <= 3; ++k) {
      const bool is_own_group = random.uniform() < 0.95;
      const auto pairs = static_cast<int>(random.below(static_cast<std::uint64_t>(count) / 4));
      const int step = 2 * pairs + (is_own_group ? 2 : 1);
      friends << 'p' << v << ",p" << (v + step) % count << ',' << 1 + random.below(5) << '\n';
    }
  std::ofstream people(directory / "people.csv");
  people << "id,age,city,buys\n";
  for (int v = 0; v < count; ++v) {
    const bool buys = v % 2 == 0;
    people << 'p' << v << ',';
    if (v % 9 != 0) people << 30 + (buys ? 5 : 0) + random.below(20);
    people << ',' << (v % 7 == 0 ? "" : random.uniform() < (buys ? 0.7 : 0.3) ? "Bern" : "Basel");
    people << ',' << (v % 10 == 9 ? "" : buys ? "yes" : "no") << '\n';
  }
}

}  // namespace edgewise::test
