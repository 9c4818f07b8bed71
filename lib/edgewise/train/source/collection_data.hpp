#pragma once

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Collections of graphs whose nodes are rows of a table: words in sentences, frames in recordings, pixels in images.
namespace edgewise::train {

/// Loads the collection that the request describes. The nodes have the labels if their table has the label column(s),
/// else the graphs do. Throws UsageError for a configuration that is incomplete or contradictory, DataError for errors
/// in the files.
Dataset load_collection(const DataConfig& request, const LoadOptions& options);

/// The catalogue's settings for reading a set, overridden by `given`.
DataConfig over_reading(const json::Value& reading, const DataConfig& given);

/// Loads a collection of the catalogue, read as its entry says; `data.reading` is completed accordingly. Throws as
/// `load_collection`, and DataError if the counts differ from the catalogue's.
void load_collection_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset,
                         const LoadOptions& options, Dataset& data);

/// Graph labels for a collection with labelled nodes, for splits that keep graphs whole: a graph is labelled if one of
/// its nodes is.
data::Labels labels_of_graphs(const Dataset& data);

/// Expands the roles of graphs to their nodes.
data::Split spread_over_nodes(const data::Split& graphs, std::span<const graph::Node> offsets);

/// The rows of node_table() for `items` of a collection: all nodes of the graphs, or `items` themselves if nodes have
/// the labels.
std::vector<graph::Node> nodes_of_items(const Dataset& data, std::span<const graph::Node> items);

}  // namespace edgewise::train
