#pragma once

#include "edgewise/attention/fused/lanes/layout.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Tables in the form that the driver reads: as they are if their heads fill vectors, otherwise as padded copies.
namespace edgewise::attention::fused {

/// How heads are padded, in width and in number. A width above 8, or that of a single head, is rounded up to whole
/// vectors, a smaller one to 4 or 8. Narrow heads are then added so that each group of them is a power of two.
struct PackedShape {
  int heads;
  int width;
  int packed_width;
  int packed_heads;

  PackedShape(int heads, int width);

  std::size_t columns() const { return static_cast<std::size_t>(heads) * static_cast<std::size_t>(width); }
  std::size_t packed_columns() const {
    return static_cast<std::size_t>(packed_heads) * static_cast<std::size_t>(packed_width);
  }
  bool is_packed() const { return packed_heads != heads || packed_width != width; }
  /// The number of heads from `first` on that are processed together.
  int group_size(int first) const;
};

/// `rows` rows of [heads, width] in packed form. Returns `table` itself if nothing changes.
const float* pack_rows(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);

/// Likewise for one number per head, [rows, heads].
const float* pack_heads(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);

/// A packed table to write to: `table` itself if it needs no packing, otherwise zeros.
float* packed_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);
float* packed_heads_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);

/// Whether unpacked rows replace the rows of a table or are added to them.
enum class PutBack { replace, add };
/// Unpacks `packed` into `table`. Does nothing if both are the same.
void put_back_rows(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how);
void put_back_heads(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how);

}  // namespace edgewise::attention::fused
