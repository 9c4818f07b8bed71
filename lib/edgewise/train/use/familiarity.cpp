#include "edgewise/train/use/familiarity.hpp"

#include <string>

namespace edgewise::train {

Familiarity familiarity_of(const TrainedModel& trained, const Dataset& data) {
  const KnownGround& ground = trained.known_ground;
  const bool are_molecules = data.graphs && data.graphs->are_molecules;
  if (data.frozen || ground.is_empty() || ground.is_of_molecules() != are_molecules || (data.graphs && !are_molecules)) return {};
  Familiarity familiarity = are_molecules ? ground.compare(data.graphs->smiles) : ground.compare(data.graph);
  const auto add = [&](std::size_t item, const std::string& reason) { familiarity.add(item, reason); };
  for (const TrainedModel* kind : kinds_of(trained))
    are_molecules ? kind->descriptors.find_unlike(data.table, add) : kind->features.find_unlike(data, add);
  return familiarity;
}

}  // namespace edgewise::train
