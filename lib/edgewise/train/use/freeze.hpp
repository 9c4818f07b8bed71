#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "edgewise/data/freeze_network.hpp"
#include "edgewise/train/config/config.hpp"
#include "edgewise/train/loop/fit.hpp"

/// @file
/// Freezing the network of a job in a file (data/frozen_network.hpp).
namespace edgewise::train {

struct FreezeRequest {
  Config config;       ///< "data", "split" and "training.seed" count.
  std::string out;
  std::size_t parts = 0;     ///< 0: some that suit the size.
  std::uint64_t memory = 0;  ///< For edges; 0: half of what is available.
  std::string features_of = {};  ///< A model file whose features are frozen, in place of new ones.
  bool half_features = false;    ///< With 16 bits instead of 32, unless they are sparse.
};

/// Reads the data as training would, splits it, fits the features to the training nodes and writes all. Edges of an
/// edge list that would not fit the memory are read in passes. Throws as read_dataset and data::freeze_network do, and
/// UsageError for data that is not the nodes of one graph, or whose nodes have no features.
data::FrozenCounts freeze_data(const FreezeRequest& request, const NoteHook& note);

/// For so many edges, read in passes. They are told apart by their numbers modulo 2^32: throws DataError if there are
/// more of which it matters who comes first.
void check_edges_in_passes(const DataConfig& config, std::uint64_t edges, bool is_weighted);

}  // namespace edgewise::train
