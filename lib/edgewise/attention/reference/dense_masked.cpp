#include "edgewise/attention/reference/dense_masked.hpp"

#include "edgewise/attention/reference/opponents.hpp"

namespace edgewise::attention::reference {

Make dense_masked(Score score, Normaliser normaliser) { return find<DenseMasked>(score, normaliser); }

}  // namespace edgewise::attention::reference
