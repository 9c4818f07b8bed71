#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "edgewise/core/parallel.hpp"
#include "edgewise/core/spill_file.hpp"

namespace edgewise {

/// Sorts records by `row()`, an unsigned number, and within a row by `<`. They are spread over ranges of rows as they
/// are added; of each range no more than what fits `bytes` together is held in memory, and the rest in a temporary file
/// in `folder`. To be visited, one range at a time is in memory. Throws as SpillFile.
template <class Record>
class RecordSorter {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  static constexpr std::size_t kRowsOfRange = std::size_t{1} << 16;

  RecordSorter(std::string folder, std::uint64_t bytes, std::size_t rows_of_range = kRowsOfRange)
      : folder_(std::move(folder)),
        most_(std::max<std::size_t>(kFewest, bytes / (2 * sizeof(Record)))),  // lists grow to twice their size
        rows_of_range_(rows_of_range) {}

  void add(const Record& record) {
    const std::size_t range = record.row() / rows_of_range_;
    if (range >= ranges_.size()) ranges_.resize(range + 1);
    if (held_ == most_) write_held();
    ranges_[range].held.push_back(record);
    ++held_;
    ++size_;
  }
  std::uint64_t size() const { return size_; }
  bool is_spilled() const { return file_ != nullptr; }

  /// Calls visit(record) range by range, in a range in the order in which they were added.
  template <class Visit>
  void visit(const Visit& visit) const {
    std::vector<Record> records;
    for (const Range& range : ranges_) {
      load(range, records);
      for (const Record& record : records) visit(record);
    }
  }
  /// Calls visit(record) in ascending order.
  template <class Visit>
  void visit_sorted(const Visit& visit) const {
    std::vector<Record> records, sorted;
    for (std::size_t range = 0; range < ranges_.size(); ++range) {
      load(ranges_[range], records);
      sort_by_row(records, range * rows_of_range_, sorted);
      for (const Record& record : sorted) visit(record);
    }
  }

 private:
  static constexpr std::size_t kFewest = 64;  // small enough for tests of several pieces
  static constexpr std::size_t kRowGrain = 256;

  struct Piece {
    std::uint64_t begin;  // in the file
    std::size_t count;
  };
  struct Range {
    std::vector<Record> held;
    std::vector<Piece> written;
  };

  void write_held() {
    if (file_ == nullptr) file_ = std::make_unique<SpillFile>(folder_);
    for (Range& range : ranges_) {
      if (range.held.empty()) continue;
      const std::uint64_t begin = file_->append(range.held.data(), range.held.size() * sizeof(Record));
      range.written.push_back({begin, range.held.size()});
      std::vector<Record>().swap(range.held);
    }
    held_ = 0;
  }
  void load(const Range& range, std::vector<Record>& records) const {
    std::size_t count = range.held.size();
    for (const Piece& piece : range.written) count += piece.count;
    records.resize(count);
    Record* to = records.data();
    for (const Piece& piece : range.written) {
      file_->read(piece.begin, to, piece.count * sizeof(Record));
      to += piece.count;
    }
    std::ranges::copy(range.held, to);
  }
  void sort_by_row(const std::vector<Record>& records, std::size_t first, std::vector<Record>& sorted) const {
    std::vector<std::size_t> ends(rows_of_range_ + 1, 0);
    for (const Record& record : records) ++ends[record.row() - first + 1];
    std::partial_sum(ends.begin(), ends.end(), ends.begin());
    const std::vector<std::size_t> begins = ends;
    sorted.resize(records.size());
    for (const Record& record : records) sorted[ends[record.row() - first]++] = record;
    parallel_for(rows_of_range_, kRowGrain, [&](std::size_t from, std::size_t to) {
      for (std::size_t row = from; row < to; ++row)
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(begins[row]),
                  sorted.begin() + static_cast<std::ptrdiff_t>(begins[row + 1]));
    });
  }

  std::string folder_;
  std::size_t most_;
  std::size_t rows_of_range_;
  std::vector<Range> ranges_;
  std::size_t held_ = 0;
  std::unique_ptr<SpillFile> file_;
  std::uint64_t size_ = 0;
};

}  // namespace edgewise
