#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "edgewise/train/source/dataset.hpp"

/// @file
/// Numbers of whole molecules: RDKit's descriptors, and columns of the user's table.
namespace edgewise::train {

/// The name of RDKit's descriptors in DataConfig::descriptors; every other name is a column of the table.
inline constexpr const char* kRdkitDescriptors = "rdkit";

/// Whether the configuration asks for RDKit's descriptors.
bool wants_rdkit(const DataConfig& config);

/// The available descriptors named in DataConfig::descriptors, for `count` molecules starting at `first`. `rdkit` holds
/// RDKit's, if requested. Throws DataError, with the line, for a column with non-numeric values.
GraphDescriptors describe_molecules(const Dataset& rows, std::size_t first, std::size_t count, const Matrix& rdkit);

/// Those among the descriptors of a job that are columns of its table.
GraphDescriptors table_descriptors(const GraphItems& molecules);

/// RDKit's descriptors of molecules, NaN where it gives none. Computed once.
const GraphDescriptors& rdkit_descriptors(const GraphItems& molecules);

/// The same of other texts, of items of this kind.
Matrix rdkit_values(const GraphItems& kind, std::span<const std::string> texts);

}  // namespace edgewise::train
