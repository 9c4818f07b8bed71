#include "edgewise/attention/fused/passes/forward.hpp"

namespace edgewise::attention::fused {

std::vector<Node> finish_rows(const Group& group, Node begin, Node end) {
  const int heads = group.layout.heads();
  const EdgeIndex* offsets = group.mask.incoming.offsets.data();
  std::vector<Node> again;
  const auto find_unsafe = [&](Node row, Node after) {
    for (; row < after; ++row) {
      const float* sums = group.row_statistics[row];
      const bool are_safe = std::all_of(sums, sums + heads, [](float sum) { return SafeSums::contain(sum); });
      if (!are_safe && offsets[row] < offsets[row + 1]) again.push_back(row);
    }
  };
  const bool are_together = group.row_statistics.stride == static_cast<std::size_t>(heads);
  const Node together = are_together ? static_cast<Node>(group.layout.edges()) : 1;
  for (Node row = begin; row < end; row += together) {
    const Node rows = std::min(together, end - row);
    const int count = static_cast<int>(rows) * heads;
    const Floats sum = simd::load_first(group.row_statistics[row], count);
    const Ints is_safe = (sum >= SafeSums::kSmallest) & (sum <= SafeSums::kLargest);
    if (simd::lanes_at_least(std::bit_cast<simd::NativeUint>((kLane < count) & ~is_safe), 1) != 0)
      find_unsafe(row, row + rows);
    const Floats log_sum = sum == 0.0F ? Floats{} - std::numeric_limits<float>::infinity() : simd::log(sum);
    simd::store_first(group.row_statistics[row], log_sum, count);
    simd::store_first(group.row_maxima[row], Floats{}, count);
  }
  return again;
}

}  // namespace edgewise::attention::fused
