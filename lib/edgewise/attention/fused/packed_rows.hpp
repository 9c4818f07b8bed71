#pragma once

#include <bit>

#include "edgewise/attention/fused/layout.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/workspace.hpp"

/// @file
/// Tables as the driver reads them: as they are where the heads fill vectors, otherwise copies in which they do.
namespace edgewise::attention::fused {

/// How heads and widths are padded. A width above 8, or of a single head, is rounded up to whole vectors, a narrower
/// one to 4 or 8; then narrow heads, too, are added until the groups that they are worked on in are powers of two.
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
  /// Heads from `first` on that are worked on together.
  int group_size(int first) const;
};

/// Whether numbers that stay floats are rounded to what bfloat16 holds.
enum class Rounding { none, bfloat16 };

/// `rows` rows of [heads, width] in packed form, as `Element`s. `table` itself where nothing changes.
template <class Element>
const Element* pack_rows(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace,
                         Rounding rounding = Rounding::none);

/// Rows of one number per head, [rows, heads].
const float* pack_heads(const float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);

/// A packed table to write to: `table` itself, or a packed one of zeros.
float* packed_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);
float* packed_heads_target(float* table, std::size_t rows, const PackedShape& shape, Workspace& workspace);

/// What putting packed rows back does to the rows of a table.
enum class PutBack { replace, add };
/// Nothing where `packed` is `table` itself.
void put_back_rows(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how);
void put_back_heads(const float* packed, float* table, std::size_t rows, const PackedShape& shape, PutBack how);

}  // namespace edgewise::attention::fused
