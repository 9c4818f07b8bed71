#pragma once

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Collections of graphs whose nodes stand in a table: words in sentences, frames in recordings, pixels in images.
namespace edgewise::train {

/// The collection that `data.config` describes. Nodes have the labels where their table has the column(s), else the
/// graphs. Throws UsageError for a configuration that says too little or too much, DataError for what is wrong in the
/// files.
void load_collection(const LoadOptions& options, JobData& data);

/// A collection of the catalogue, read as its entry says; `data.config` is completed with that.
/// Throws as `load_collection`, and DataError when the counts differ from the catalogue's.
void load_collection_set(const data::Catalogue& catalogue, const data::Dataset& dataset, const LoadOptions& options,
                         JobData& data);

/// Labels of the graphs of a collection whose nodes have labels, for splits that take graphs whole: a graph is
/// labelled where one of its nodes is.
data::Labels labels_of_graphs(const JobData& data);

/// The roles of the nodes of graphs that have these roles.
data::Split spread_over_nodes(const data::Split& graphs, std::span<const graph::Node> offsets);

/// The graphs of a collection, `items` of it, as rows of node_table(): themselves where nodes have the labels.
std::vector<graph::Node> nodes_of_items(const JobData& data, std::span<const graph::Node> items);

}  // namespace edgewise::train
