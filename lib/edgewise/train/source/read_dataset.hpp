#pragma once

#include <optional>

#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

namespace edgewise::train {

struct Source;

/// Reads the data of a job from the source that it names (see sources.hpp). A node table defines the nodes: an edge to
/// any other node is an error. Throws UsageError if the configuration is incomplete or contradictory, DataError for
/// errors in the files.
Dataset read_dataset(const DataConfig& config, const LoadOptions& options = {});

/// The same from a given source, such as one that a program defines for its own files.
Dataset read_dataset(const Source& source, const DataConfig& config, const LoadOptions& options = {});

/// The rows of a table of molecules without their graphs: the result of `read_dataset` with empty graph, features and
/// labels. `make_molecules` then builds a few graphs at a time, so that a large table is never held with all its
/// features. `texts` is LoadOptions::texts. Nothing if `config` names no molecules.
std::optional<Dataset> read_molecule_rows(const DataConfig& config, const io::ReadAsText& texts = {});

}  // namespace edgewise::train
