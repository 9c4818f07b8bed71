#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <type_traits>
#include <vector>

#include "edgewise/core/spill_file.hpp"

namespace edgewise {

/// Sorts records, of which no more than `bytes` are held in memory at once: the others are in sorted runs of a
/// temporary file in `folder`. Equal records keep no order. Throws as SpillFile.
template <class Record>
class RecordSorter {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  RecordSorter(std::string folder, std::uint64_t bytes)
      : folder_(std::move(folder)), most_(std::max<std::size_t>(kFewest, bytes / sizeof(Record))) {}

  void add(const Record& record) {
    if (held_.size() == most_) write_run();
    held_.push_back(record);
    ++size_;
  }
  std::uint64_t size() const { return size_; }
  bool has_runs() const { return !runs_.empty(); }

  /// Calls visit(record) in ascending order. May be called again; nothing can be added after the first time.
  template <class Visit>
  void visit_sorted(const Visit& visit) {
    if (!is_sorted_) finish();
    if (runs_.empty()) {
      for (const Record& record : held_) visit(record);
      return;
    }
    merge(visit);
  }

 private:
  static constexpr std::size_t kFewest = 64;  // small enough for tests of many runs

  struct Run {
    std::uint64_t begin, end;  // bytes
  };
  /// A run as it is read.
  struct Reader {
    Run left;
    std::vector<Record> records;
    std::size_t next = 0;
  };

  void finish() {
    is_sorted_ = true;
    if (!runs_.empty()) return write_run(), std::vector<Record>().swap(held_);
    std::sort(held_.begin(), held_.end());
  }
  void write_run() {
    if (held_.empty()) return;
    std::sort(held_.begin(), held_.end());
    if (file_ == nullptr) file_ = std::make_unique<SpillFile>(folder_);
    const std::uint64_t begin = file_->append(held_.data(), held_.size() * sizeof(Record));
    runs_.push_back({begin, file_->size()});
    held_.clear();
  }
  bool refill(Reader& reader, std::size_t count) const {
    const std::uint64_t bytes = std::min<std::uint64_t>(count * sizeof(Record), reader.left.end - reader.left.begin);
    reader.records.resize(bytes / sizeof(Record));
    reader.next = 0;
    if (bytes == 0) return false;
    file_->read(reader.left.begin, reader.records.data(), bytes);
    reader.left.begin += bytes;
    return true;
  }
  template <class Visit>
  void merge(const Visit& visit) const {
    const std::size_t count = std::max<std::size_t>(1, most_ / runs_.size());
    std::vector<Reader> readers(runs_.size());
    const auto record_of = [&](std::size_t r) -> const Record& { return readers[r].records[readers[r].next]; };
    const auto is_later = [&](std::size_t a, std::size_t b) { return record_of(b) < record_of(a); };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(is_later)> queue(is_later);
    for (std::size_t r = 0; r < readers.size(); ++r) {
      readers[r].left = runs_[r];
      if (refill(readers[r], count)) queue.push(r);
    }
    while (!queue.empty()) {
      const std::size_t r = queue.top();
      queue.pop();
      visit(record_of(r));
      if (++readers[r].next < readers[r].records.size() || refill(readers[r], count)) queue.push(r);
    }
  }

  std::string folder_;
  std::size_t most_;
  std::vector<Record> held_;
  std::unique_ptr<SpillFile> file_;
  std::vector<Run> runs_;
  std::uint64_t size_ = 0;
  bool is_sorted_ = false;
};

}  // namespace edgewise
