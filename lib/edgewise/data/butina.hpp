#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "edgewise/data/molecule_profiles.hpp"

namespace edgewise::data {

/// Clusters by Butina, "Unsupervised Data Base Clustering Based on Daylight's Fingerprint and Tanimoto Similarity" (J.
/// Chem. Inf. Comput. Sci. 1999): the molecule with most others of at least `similarity` to it becomes the centre of a
/// cluster with all of these that are in none yet, and so on; of equal ones the first. Returns the row of the centre
/// for each row. O(rows^2) time, O(rows) memory, parallel over rows.
std::vector<std::uint32_t> butina_clusters(std::span<const MoleculeBits> molecules, double similarity);

/// The same for SMILES, with the similarity of DeepChem's split by clusters, 0.4. Rows that RDKit cannot read are a
/// cluster.
std::vector<std::uint32_t> butina_clusters(std::span<const std::string> smiles);

}  // namespace edgewise::data
