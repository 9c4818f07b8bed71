#include "edgewise/attention/reference/dense_tiled.hpp"

#include "edgewise/attention/reference/opponents.hpp"

namespace edgewise::attention::reference {

Make dense_tiled(Score score, Normaliser normaliser) { return find<DenseTiled>(score, normaliser); }

}  // namespace edgewise::attention::reference
