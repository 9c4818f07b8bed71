#pragma once

#include <map>
#include <string>

#include "get/archive.hpp"

namespace edgewise::app {

/// Whether an archive has the raw files of Yang, Cohen and Salakhutdinov 2016 for this network: ind.NAME.graph and so
/// on, pickles of NumPy and SciPy.
bool has_planetoid(const Archive& archive, const std::string& name);

/// These as the files of the catalogue: edges.csv, features.csv, labels.csv, split.csv, split.json. Node i of the test
/// part is the one that ind.NAME.test.index names in line i; nodes that no file has, as in CiteSeer, have no features
/// and the label -1. Edges are undirected, each once, without self loops. Throws DataError if a file is missing or
/// damaged, or if they do not fit each other.
std::map<std::string, std::string> planetoid_files(const Archive& archive, const std::string& name);

}  // namespace edgewise::app
