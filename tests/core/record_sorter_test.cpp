#include "edgewise/core/record_sorter.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/random.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise {
namespace {

TEST_CASE("records are sorted with memory for a small share of them", "[core][record_sorter]") {
  const test::TemporaryDirectory folder;
  const std::size_t count = GENERATE(0, 1, 63, 64, 65, 128, 10'000);
  const std::uint64_t bytes = GENERATE(0, 4'000, 1'000'000);
  CAPTURE(count, bytes);
  RecordSorter<std::uint64_t> sorter(folder.path().string(), bytes);
  std::vector<std::uint64_t> expected;
  Random random(3, Stream::generate);
  for (std::size_t i = 0; i < count; ++i) expected.push_back(random.below(500));
  for (const std::uint64_t value : expected) sorter.add(value);
  std::ranges::sort(expected);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<std::uint64_t> found;
    sorter.visit_sorted([&](std::uint64_t value) { found.push_back(value); });
    CHECK(found == expected);
  }
  CHECK(sorter.has_runs() == (count > std::max<std::size_t>(64, bytes / 8)));
}

}  // namespace
}  // namespace edgewise
