#pragma once

#include "edgewise/attention/fused/traversal/row_blocks.hpp"

namespace edgewise::attention::fused {

/// Numbers per edge and head, [edges, heads], that a sweep keeps for a later one: scores or x gradients. If those of
/// all rows are kept, they are in the order in which the edges are traversed, in blocks of columns if there are any.
/// Those of a range of rows are in the order of the CSR, from edge `first` on.
struct KeptNumbers {
  float* data = nullptr;
  EdgeIndex first = 0;
  bool are_all = true;  ///< Of all rows.

  EDGEWISE_INLINE float* at(EdgeIndex edge, int heads) const {
    return data + (edge - first) * static_cast<EdgeIndex>(heads);
  }

  /// Copies those of a block from `numbers`.
  void put(const RowBlock& block, int heads, const float* numbers) const {
    for_each_run(block, heads, [numbers](float* kept, int begin, int count) EDGEWISE_INLINE_LAMBDA {
      int i = 0;
      for (; i + kLanes <= count; i += kLanes) store(kept + i, load(numbers + begin + i));
      if (i < count) simd::store_first(kept + i, load(numbers + begin + i), count - i);
    });
  }
  /// Copies those of a block to `numbers`, in whole vectors. Others may be written meanwhile: they are not read.
  void get(const RowBlock& block, int heads, float* numbers) const {
    for_each_run(block, heads, [numbers](const float* kept, int begin, int count) EDGEWISE_INLINE_LAMBDA {
      int i = 0;
      for (; i + kLanes <= count; i += kLanes) store(numbers + begin + i, load(kept + i));
      if (i < count) store(numbers + begin + i, simd::load_first(kept + i, count - i));
    });
  }

 private:
  /// Calls body(kept, begin, count) for those of the edges of a block, as few times as possible.
  template <class Body>
  EDGEWISE_INLINE void for_each_run(const RowBlock& block, int heads, const Body& body) const {
    if (are_all) return body(at(block.position, heads), 0, block.count * heads);
    for (const RowPart& part : block) body(at(part.slot, heads), part.begin * heads, (part.end - part.begin) * heads);
  }
};

}  // namespace edgewise::attention::fused
