#include "edgewise/core/sparse_product.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "edgewise/core/detail/dropout_mask.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/detail/simd.hpp"

namespace edgewise {
namespace {

using detail::DropoutMask;
using simd::kNativeLanes;
using simd::Native;
using simd::NativeUint;

constexpr std::size_t kEntriesPerChunk = 4096;  // some ten microseconds
constexpr std::size_t kMaskWordsPerChunk = 4096;
constexpr std::size_t kDropGrain = 1 << 15;
constexpr std::uint32_t kPiece = 256;  // entries whose survivors stay in L1
constexpr std::uint32_t kPrefetchDistance = 8;
constexpr std::uint32_t kEntriesAhead = 512;
constexpr std::uint32_t kHeadsPerWord = 32;

/// Boundaries of chunks of slots from `first` to `last` with about kEntriesPerChunk entries; a slot counts as a few.
std::vector<std::uint32_t> chunks_of(const std::vector<std::uint32_t>& offsets, std::uint32_t first,
                                     std::uint32_t last) {
  constexpr std::size_t kWorkOfSlot = 4;
  std::vector<std::uint32_t> chunks = {first};
  std::size_t work = 0;
  for (std::uint32_t slot = first; slot + 1 < last; ++slot) {
    work += offsets[slot + 1] - offsets[slot] + kWorkOfSlot;
    if (work < kEntriesPerChunk) continue;
    chunks.push_back(slot + 1);
    work = 0;
  }
  chunks.push_back(last);
  return chunks;
}

/// Columns per panel of a matrix with `columns` columns: few enough for the cache, but enough for a row to have some
/// entries in each panel.
std::uint32_t panel_columns(std::size_t rows, std::size_t columns, std::size_t entries) {
  constexpr std::size_t kSmallestPanel = 4096;  // of 64 floats: a megabyte
  constexpr std::size_t kEntriesPerSlot = 32;
  const std::size_t slots = entries / kEntriesPerSlot;
  const std::size_t max_panels = std::max<std::size_t>(1, slots / std::max<std::size_t>(1, rows));
  return static_cast<std::uint32_t>(std::max(kSmallestPanel, (columns + max_panels - 1) / max_panels));
}

/// `body(slot, row, is_first)` for all slots, panel by panel, each in parallel; `is_first` in the first slot of a row.
template <class Body>
void for_each_slot(const CompressedRows& a, const Body& body) {
  for (std::size_t panel = 0; panel < a.chunks.size(); ++panel) {
    const std::vector<std::uint32_t>& chunks = a.chunks[panel];
    const auto first = static_cast<std::uint32_t>(panel) * a.rows;
    parallel_chunks(chunks.size() - 1, [&](std::size_t chunk) {
      for (std::uint32_t slot = chunks[chunk]; slot < chunks[chunk + 1]; ++slot) body(slot, slot - first, panel == 0);
    });
  }
}

/// The dense factor, from which rows are gathered.
struct Table {
  const float* data;
  std::size_t width;
  bool is_large;  // large enough to prefetch its rows

  explicit Table(const ConstMatrixRef& b)
      : data(b.data()), width(static_cast<std::size_t>(b.cols())), is_large(b.size() > (1 << 17)) {
    assert(b.outerStride() == b.cols());
  }
  const float* row(std::uint32_t r) const { return data + r * width; }
  /// Prefetches `floats` floats of the rows of two entries, a few after entry `e` of `count`. GCC 12 drops calls of a
  /// function that only prefetches, unless it is always inlined.
  [[gnu::always_inline]] void prefetch_pair(const std::uint32_t* rows, std::uint32_t e, std::uint32_t count,
                                            int floats) const {
    if (!is_large || e + kPrefetchDistance + 1 >= count) return;
    for (int i = 0; i < floats; i += 16) __builtin_prefetch(row(rows[e + kPrefetchDistance]) + i);
    for (int i = 0; i < floats; i += 16) __builtin_prefetch(row(rows[e + kPrefetchDistance + 1]) + i);
  }
};

/// Entries of a row: columns and values.
struct Entries {
  const std::uint32_t* columns;
  const float* values;
  std::uint32_t count;
};

/// Prefetches as many entries as a slot has, some way ahead of it. Entries are read sequentially, but with rows
/// gathered in between, so the hardware does not prefetch far enough.
[[gnu::always_inline]] inline void prefetch_entries(const CompressedRows& a, const float* values, bool with_elements,
                                                    std::uint32_t first, std::uint32_t count) {
  constexpr std::uint32_t kLine = 16;
  const std::size_t begin = std::size_t{first} + kEntriesAhead, end = std::min(begin + count, a.entries());
  for (std::size_t e = begin; e < end; e += kLine) {
    __builtin_prefetch(a.columns.data() + e);
    __builtin_prefetch(values + e);
    if (with_elements) __builtin_prefetch(a.elements.data() + e);
  }
}

/// `body(first, vectors, lanes)` over pieces of a row of `width` floats: `vectors` (an integral constant) whole vectors
/// from `first` on, or one that has only `lanes` lanes.
template <class Body>
void for_each_tile(std::size_t width, const Body& body) {
  std::size_t first = 0;
  const auto tiles = [&](auto vectors) {
    constexpr std::size_t kColumns = vectors() * kNativeLanes;
    for (; first + kColumns <= width; first += kColumns) body(first, vectors, kNativeLanes);
  };
  tiles(std::integral_constant<int, 4>());
  tiles(std::integral_constant<int, 2>());
  tiles(std::integral_constant<int, 1>());
  if (first < width) body(first, std::integral_constant<int, 1>(), static_cast<int>(width - first));
}

/// kVectors vectors of a row; a single one may have only `lanes` lanes.
template <int kVectors>
struct Tile {
  Native sum[kVectors];

  static Native load(const float* from, int v, int lanes) {
    if (kVectors == 1 && lanes < kNativeLanes) return simd::load_first(from, lanes);
    return simd::load_as<Native>(from + v * kNativeLanes);
  }

  Tile(const float* start, int lanes) {
    for (int v = 0; v < kVectors; ++v) sum[v] = start == nullptr ? Native{} : load(start, v, lanes);
  }

  void store(float* to, int lanes) const {
    if (kVectors == 1 && lanes < kNativeLanes) return simd::store_first(to, sum[0], lanes);
    for (int v = 0; v < kVectors; ++v) simd::store_as(to + v * kNativeLanes, sum[v]);
  }
};

/// out[first ...] = start[first ...] + the sum over the entries of value * table[column, first ...]. Even and odd
/// entries have separate sums, so that additions need not wait for one another.
template <int kVectors>
[[gnu::noinline]] void sum_entries(const Entries& entries, const Table& table, std::size_t first, int lanes,
                                   const float* start, float* out) {
  using Sums = Tile<kVectors>;
  Sums even(start == nullptr ? nullptr : start + first, lanes), odd(nullptr, lanes);
  const auto add = [&](Sums& sums, std::uint32_t e) __attribute__((always_inline)) {
    const float* row = table.row(entries.columns[e]) + first;
    const float value = entries.values[e];
    for (int v = 0; v < kVectors; ++v) sums.sum[v] += value * Sums::load(row, v, lanes);
  };
  std::uint32_t e = 0;
  for (; e + 2 <= entries.count; e += 2) {
    table.prefetch_pair(entries.columns, e, entries.count, kVectors * kNativeLanes);
    add(even, e);
    add(odd, e + 1);
  }
  if (e < entries.count) add(even, e);
  for (int v = 0; v < kVectors; ++v) even.sum[v] += odd.sum[v];
  even.store(out + first, lanes);
}

void sum_entries(const Entries& entries, const Table& table, const float* start, float* out) {
  for_each_tile(table.width, [&](std::size_t first, auto vectors, int lanes) {
    sum_entries<vectors()>(entries, table, first, lanes, start, out);
  });
}

/// The entries of a piece of a row that a mask keeps, multiplied by its scale.
class Survivors {
 public:
  Entries select(const CompressedRows& a, const float* values, const DropoutMask& mask, std::uint32_t first,
                 std::uint32_t count) {
    std::uint32_t kept_count = 0;
    for (std::uint32_t e = 0; e < count; e += kNativeLanes) {
      const int lanes = static_cast<int>(std::min<std::uint32_t>(kNativeLanes, count - e));
      const auto elements = load(a.elements, first + e, lanes);
      const std::uint32_t kept = mask.kept(std::bit_cast<NativeUint>(elements)) & ((1U << lanes) - 1);
      const Native scaled = simd::load_first(values + first + e, lanes) * mask.scale();
      simd::store_as(reinterpret_cast<float*>(columns_ + kept_count),
                     simd::compress(load(a.columns, first + e, lanes), kept));
      simd::store_as(values_ + kept_count, simd::compress(scaled, kept));
      kept_count += static_cast<std::uint32_t>(std::popcount(kept));
    }
    return {columns_, values_, kept_count};
  }

 private:
  static Native load(const std::vector<std::uint32_t>& from, std::uint32_t at, int lanes) {
    return simd::load_first(reinterpret_cast<const float*>(from.data() + at), lanes);
  }

  std::uint32_t columns_[kPiece + kNativeLanes];
  float values_[kPiece + kNativeLanes];
};

/// The initial values of the sums of a slot of the row `out`; nullptr: zeros.
const float* start_of(const RowStart& start, const float* out, bool is_first) {
  if (start.kind == RowStart::Kind::present || !is_first) return out;
  return start.kind == RowStart::Kind::row ? start.row : nullptr;
}

/// Which bits of the heads' word each lane of a row of H * D columns tests.
struct HeadLanes {
  std::vector<std::uint32_t> bits;   // [columns]: one bit set, that of the column's head
  std::vector<std::uint32_t> bases;  // the head of bit 0 for each vector
  bool has_one_word;

  HeadLanes(std::size_t columns, std::uint32_t heads) : has_one_word(heads <= kHeadsPerWord) {
    const auto width = static_cast<std::uint32_t>(columns / heads);
    for (std::uint32_t c = 0; c < columns; ++c) {
      if (c % kNativeLanes == 0) bases.push_back(has_one_word ? 0 : c / width);
      bits.push_back(1U << (c / width - bases.back()));
    }
    bits.resize(bits.size() + kNativeLanes);
  }
};

/// 32 bits from bit `at` on.
std::uint32_t bits_from(const std::uint32_t* words, std::uint64_t at) {
  std::uint64_t bits;
  std::memcpy(&bits, reinterpret_cast<const unsigned char*>(words) + at / 8, sizeof(bits));
  return static_cast<std::uint32_t>(bits >> at % 8);
}

/// The entries of a row, with a mask per head.
struct MaskedEntries {
  Entries entries;
  const std::uint32_t* elements;
  const std::uint32_t* bits;
  std::uint32_t heads;

  std::uint32_t word(std::uint32_t e, std::uint32_t head) const {
    return bits_from(bits, std::uint64_t{elements[e]} * heads + head);
  }
};

/// As `sum_entries`, but each lane sees only the entries that its head keeps, and the sum is multiplied by `scale`.
template <int kVectors, bool kHasOneWord>
[[gnu::noinline]] void sum_masked_entries(const MaskedEntries& masked, const Table& table, const HeadLanes& head_lanes,
                                          float scale, std::size_t first, int lanes, const float* start, float* out) {
  using Sums = Tile<kVectors>;
  Sums even(nullptr, lanes), odd(nullptr, lanes);
  NativeUint lane_bits[kVectors];
  for (int v = 0; v < kVectors; ++v)
    lane_bits[v] = std::bit_cast<NativeUint>(simd::load_as<Native>(
        reinterpret_cast<const float*>(head_lanes.bits.data() + first + static_cast<std::size_t>(v * kNativeLanes))));
  const std::uint32_t* bases = head_lanes.bases.data() + first / kNativeLanes;
  const auto add = [&](Sums& sums, std::uint32_t e) __attribute__((always_inline)) {
    const float* row = table.row(masked.entries.columns[e]) + first;
    const Native value = Native{} + masked.entries.values[e];
    NativeUint word = NativeUint{} + masked.word(e, bases[0]);
    for (int v = 0; v < kVectors; ++v) {
      if (v > 0 && !kHasOneWord) word = NativeUint{} + masked.word(e, bases[v]);
      sums.sum[v] = simd::add_product_where(word, lane_bits[v], value, Sums::load(row, v, lanes), sums.sum[v]);
    }
  };
  const std::uint32_t count = masked.entries.count;
  std::uint32_t e = 0;
  for (; e + 2 <= count; e += 2) {
    table.prefetch_pair(masked.entries.columns, e, count, kVectors * kNativeLanes);
    add(even, e);
    add(odd, e + 1);
  }
  if (e < count) add(even, e);
  Sums total(start == nullptr ? nullptr : start + first, lanes);
  for (int v = 0; v < kVectors; ++v) total.sum[v] += scale * (even.sum[v] + odd.sum[v]);
  total.store(out + first, lanes);
}

}  // namespace

CompressedRows compressed_rows(const SparseMatrix& matrix) {
  if (!matrix.isCompressed()) {
    SparseMatrix compressed = matrix;
    compressed.makeCompressed();
    return compressed_rows(compressed);
  }
  const auto count = static_cast<std::size_t>(matrix.nonZeros());
  CompressedRows rows;
  rows.rows = static_cast<std::uint32_t>(matrix.rows());
  rows.offsets.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.rows() + 1);
  rows.columns.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + count);
  rows.values.assign(matrix.valuePtr(), matrix.valuePtr() + count);
  rows.elements.resize(count);
  std::iota(rows.elements.begin(), rows.elements.end(), 0U);
  rows.chunks = {chunks_of(rows.offsets, 0, rows.rows)};
  return rows;
}

CompressedRows compressed_columns(const SparseMatrix& matrix) {
  const CompressedRows of = compressed_rows(matrix);
  CompressedRows columns;
  columns.rows = static_cast<std::uint32_t>(matrix.cols());
  columns.columns.resize(of.entries());
  columns.values.resize(of.entries());
  columns.elements.resize(of.entries());
  const std::uint32_t panel = panel_columns(columns.rows, of.rows, of.entries());
  const std::uint32_t panels = std::max<std::uint32_t>(1, (of.rows + panel - 1) / panel);
  const auto slot_of = [&](std::uint32_t row, std::uint32_t entry) {
    return row / panel * columns.rows + of.columns[entry];
  };
  columns.offsets.assign(std::size_t{panels} * columns.rows + 1, 0);
  for (std::uint32_t row = 0; row < of.rows; ++row)
    for (std::uint32_t entry = of.offsets[row]; entry < of.offsets[row + 1]; ++entry)
      ++columns.offsets[slot_of(row, entry) + 1];
  std::partial_sum(columns.offsets.begin(), columns.offsets.end(), columns.offsets.begin());
  std::vector<std::uint32_t> next(columns.offsets.begin(), columns.offsets.end() - 1);
  for (std::uint32_t row = 0; row < of.rows; ++row)
    for (std::uint32_t entry = of.offsets[row]; entry < of.offsets[row + 1]; ++entry) {
      const std::uint32_t at = next[slot_of(row, entry)]++;
      columns.columns[at] = row;
      columns.values[at] = of.values[entry];
      columns.elements[at] = entry;
    }
  for (std::uint32_t p = 0; p < panels; ++p)
    columns.chunks.push_back(chunks_of(columns.offsets, p * columns.rows, (p + 1) * columns.rows));
  return columns;
}

std::size_t head_mask_words(std::size_t entries, int heads) {
  return (entries * static_cast<std::size_t>(heads) + 31) / 32 + 2;  // words may be read from any byte on
}

void draw_head_mask(const EntryDropout& dropout, std::size_t entries, std::uint32_t* bits) {
  const DropoutMask mask(dropout.probability, dropout.key);
  parallel_for(head_mask_words(entries, dropout.heads), kMaskWordsPerChunk, [&](std::size_t begin, std::size_t end) {
    mask.draw_bits(32 * begin, end - begin, bits + begin);
  });
}

void multiply_sparse(const CompressedRows& a, const float* values, const EntryDropout& dropout, ConstMatrixRef b,
                     RowStart start, MatrixRef out) {
  assert(!dropout.is_by_head() && static_cast<std::size_t>(out.rows()) == a.rows && out.cols() == b.cols() &&
         out.outerStride() == out.cols());
  const Table table(b);
  const DropoutMask mask(dropout.probability, dropout.key);
  for_each_slot(a, [&](std::uint32_t slot, std::uint32_t row, bool is_first) {
    float* to = out.data() + row * table.width;
    const float* from = start_of(start, to, is_first);
    const std::uint32_t first = a.offsets[slot], count = a.offsets[slot + 1] - first;
    if (count == 0 && from == to) return;
    prefetch_entries(a, values, dropout.is_active(), first, count);
    if (!dropout.is_active())
      return sum_entries({a.columns.data() + first, values + first, count}, table, from, to);
    Survivors survivors;
    for (std::uint32_t e = 0; e == 0 || e < count; e += kPiece, from = to)
      sum_entries(survivors.select(a, values, mask, first + e, std::min(kPiece, count - e)), table, from, to);
  });
}

void multiply_sparse_by_head(const CompressedRows& a, const float* values, const EntryDropout& dropout,
                             const std::uint32_t* bits, ConstMatrixRef b, RowStart start, MatrixRef out) {
  assert(static_cast<std::size_t>(out.rows()) == a.rows && out.cols() == b.cols() && b.cols() % dropout.heads == 0 &&
         out.outerStride() == out.cols());
  const Table table(b);
  const float scale = DropoutMask(dropout.probability, dropout.key).scale();
  const auto heads = static_cast<std::uint32_t>(dropout.heads);
  const HeadLanes head_lanes(table.width, heads);
  for_each_slot(a, [&](std::uint32_t slot, std::uint32_t row, bool is_first) {
    float* to = out.data() + row * table.width;
    const float* from = start_of(start, to, is_first);
    const std::uint32_t first = a.offsets[slot], count = a.offsets[slot + 1] - first;
    if (count == 0 && from == to) return;
    prefetch_entries(a, values, true, first, count);
    const Entries entries{a.columns.data() + first, values + first, count};
    const MaskedEntries masked{entries, a.elements.data() + first, bits, heads};
    for_each_tile(table.width, [&](std::size_t column, auto vectors, int lanes) {
      if (head_lanes.has_one_word)
        sum_masked_entries<vectors(), true>(masked, table, head_lanes, scale, column, lanes, from, to);
      else
        sum_masked_entries<vectors(), false>(masked, table, head_lanes, scale, column, lanes, from, to);
    });
  });
}

void drop_entries(const CompressedRows& a, const float* values, const EntryDropout& dropout, float* dropped) {
  const DropoutMask mask(dropout.probability, dropout.key);
  parallel_for(a.elements.size(), kDropGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; i += kNativeLanes) {
      const int lanes = static_cast<int>(std::min<std::size_t>(kNativeLanes, end - i));
      const auto elements = simd::load_first(reinterpret_cast<const float*>(a.elements.data() + i), lanes);
      const std::uint32_t kept = mask.kept(std::bit_cast<NativeUint>(elements));
      for (int lane = 0; lane < lanes; ++lane)
        dropped[i + static_cast<std::size_t>(lane)] =
            (kept >> lane & 1) != 0 ? values[i + static_cast<std::size_t>(lane)] * mask.scale() : 0.0F;
    }
  });
}

}  // namespace edgewise
