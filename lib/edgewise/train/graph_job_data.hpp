#pragma once

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/job_data.hpp"

/// @file
/// Reading what graph-level jobs learn from: molecules, and collections of graphs.
namespace edgewise::train {

/// A graph-level set of the catalogue. `data.config` says how it is to be read, and is completed with what the catalogue
/// knows. Throws as the readers do.
void load_graph_set(const data::Catalogue& catalogue, const data::Dataset& dataset, const LoadOptions& options,
                    JobData& data);

/// The table of molecules that `data.config` names. A molecule that cannot be read becomes an empty graph without a
/// label, and is noted; with `DataConfig::strict` it is a DataError with its line.
void load_molecules(const LoadOptions& options, JobData& data);

/// `kind` is "scaffold", which the seed does not change, or "balanced_scaffold". No scaffold in two parts. Throws UsageError when the items are no molecules.
data::Split scaffold_split_of(const JobData& data, const std::string& kind, const data::SplitShares& shares,
                              std::uint64_t seed);

}  // namespace edgewise::train
