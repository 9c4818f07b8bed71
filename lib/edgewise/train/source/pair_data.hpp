#pragma once

#include "edgewise/data/catalogue.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Pairs of a source and its target: sentences and their translations, words and how they sound.
namespace edgewise::train {

/// The items are the pairs, called by their lines. Without `LoadOptions::needs_labels` they need no targets. Throws
/// UsageError for a configuration that is incomplete, DataError for errors in the files.
Dataset load_pairs(const DataConfig& request, const LoadOptions& options);

/// As above, for a set of the catalogue, with its split.
void load_pair_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                   Dataset& data);

/// Sources without targets, as if they were the lines of a file.
Dataset pairs_of_texts(const DataConfig& config, std::vector<std::string> sources);

}  // namespace edgewise::train
