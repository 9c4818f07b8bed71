#include "edgewise/attention/fused/kernels.hpp"

#include <array>
#include <vector>

#include "edgewise/attention/fused/instances.hpp"
#include "edgewise/attention/fused/library_flags.hpp"
#include "edgewise/attention/scores/all.hpp"

namespace edgewise::attention {
namespace {

/// The kernels of a score, by precision and normaliser.
using OfScore = std::array<std::vector<Kernels>, 2>;

template <class... Policies>
std::vector<OfScore> all_kernels(PolicyList<Policies...>) {
  return {OfScore{fused::drivers<Policies, float>(), fused::drivers<Policies, fused::Bfloat16>()}...};
}

}  // namespace

template <>
void fused::require_flags_of_library<fused::kRegisterBits>() {}

const Kernels& kernels(Score score, Normaliser normaliser, Precision precision) {
  static const std::vector<OfScore> table = all_kernels(Scores());
  return table[static_cast<std::size_t>(score)][static_cast<std::size_t>(precision)]
              [static_cast<std::size_t>(normaliser)];
}

}  // namespace edgewise::attention
