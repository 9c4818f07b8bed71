#include "edgewise/core/record_sorter.hpp"

#include <catch2/catch.hpp>

#include "edgewise/core/random.hpp"
#include "support/temporary_directory.hpp"

namespace edgewise {
namespace {

struct SortedRecord {
  std::uint32_t at, value;
  std::uint32_t row() const { return at; }
  friend auto operator<=>(const SortedRecord&, const SortedRecord&) = default;
};

TEST_CASE("records are sorted with memory for a small share of them", "[core][record_sorter]") {
  const test::TemporaryDirectory folder;
  const std::size_t count = GENERATE(0, 1, 63, 64, 65, 128, 10'000);
  const std::uint64_t bytes = GENERATE(0, 4'000, 1'000'000);
  const std::size_t rows_of_range = GENERATE(std::size_t{1}, std::size_t{16}, RecordSorter<SortedRecord>::kRowsOfRange);
  CAPTURE(count, bytes, rows_of_range);
  RecordSorter<SortedRecord> sorter(folder.path().string(), bytes, rows_of_range);
  std::vector<SortedRecord> expected;
  Random random(3, Stream::generate);
  for (std::size_t i = 0; i < count; ++i)
    expected.push_back({static_cast<std::uint32_t>(random.below(500)), static_cast<std::uint32_t>(random.below(4))});
  for (const SortedRecord& record : expected) sorter.add(record);
  std::ranges::sort(expected);
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<SortedRecord> found;
    sorter.visit_sorted([&](const SortedRecord& record) { found.push_back(record); });
    CHECK(found == expected);
  }
  std::vector<SortedRecord> unsorted;
  sorter.visit([&](const SortedRecord& record) { unsorted.push_back(record); });
  CHECK(std::ranges::is_permutation(unsorted, expected));
  CHECK(sorter.size() == count);
  CHECK(sorter.is_spilled() == (count > std::max<std::size_t>(64, bytes / (2 * sizeof(SortedRecord)))));
}

}  // namespace
}  // namespace edgewise
