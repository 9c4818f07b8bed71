#include "edgewise/attention/fused/kernels.hpp"

#include <vector>

#include "edgewise/attention/fused/instances.hpp"
#include "edgewise/attention/fused/library_flags.hpp"
#include "edgewise/attention/scores/all.hpp"

namespace edgewise::attention {
namespace {

/// The kernels of each score, by normaliser.
template <class... Policies>
std::vector<std::vector<Kernels>> all_kernels(PolicyList<Policies...>) {
  return {fused::drivers<Policies>()...};
}

}  // namespace

template <>
void fused::require_flags_of_library<fused::kRegisterBits>() {}

const Kernels& kernels(Score score, Normaliser normaliser) {
  static const std::vector<std::vector<Kernels>> table = all_kernels(Scores());
  return table[static_cast<std::size_t>(score)][static_cast<std::size_t>(normaliser)];
}

}  // namespace edgewise::attention
