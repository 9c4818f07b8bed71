#pragma once

#include <string>
#include <vector>

#include "edgewise/data/catalogue.hpp"

namespace edgewise::app {

struct WrittenFile {
  std::string path;
  bool is_catalogued = false;  ///< Whether it holds what the catalogue describes.
};

/// Puts the files of a data set, from what somebody downloaded, below `directory`: files of the same name, compressed or
/// not, also with the prefix that SNAP gives those of MUSAE; the only file of a set, whatever its name; or the raw files
/// of Planetoid, which are converted. Files that the archive does not have are left out if models can do without.
/// Throws DataError if others are missing, and as `Archive` does.
std::vector<WrittenFile> get_dataset(const data::CatalogueSet& dataset, const std::string& archive,
                                     const std::string& directory);

}  // namespace edgewise::app
