#include "edgewise/attention/reference/gather_scatter.hpp"

#include "edgewise/attention/reference/opponents.hpp"

namespace edgewise::attention::reference {

Make gather_scatter(Score score, Normaliser normaliser) { return find<GatherScatter>(score, normaliser); }

}  // namespace edgewise::attention::reference
