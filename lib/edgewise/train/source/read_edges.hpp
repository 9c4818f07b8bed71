#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

namespace edgewise::train {

/// Columns of the edge list that `edges` were read from, one row for each edge. Throws DataError for a column that is
/// not there.
io::NodeTable read_edge_table(const DataConfig& config, const LoadOptions& options,
                              const std::vector<std::string>& columns, const io::EdgeListResult& edges);

/// Notes edges to nodes that the node table does not list, which were left out or brought new nodes.
void note_unknown_nodes(const io::UnknownNodeReport& unknown, const std::string& file, Dataset& data);

/// Notes columns of edges that become no features and do not split them.
void note_unused_columns(const std::string& file, std::vector<std::string> unused, const LoadOptions& options,
                         Dataset& data);

/// Reads the edge list in DataConfig::edges as configured, between `known` nodes if set. Edges between the same nodes
/// are combined as configured (see graph::combine_duplicates). Feature categories not in the configuration are added to
/// it, so that a model keeps them; notes list the columns that are ignored, and what makes the file doubtful. Throws as
/// `io::read_edge_list`.
io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, Dataset& data);

/// Reads the file in DataConfig::graph. Throws as `io::read_graph_file`.
io::GraphFile read_graph(const LoadOptions& options, Dataset& data);

/// The options for the graph in a file, which may say that it is directed.
graph::GraphOptions graph_options(const DataConfig& config, const io::GraphFile& file);

/// Combines its edges, takes their features and notes as `read_edges` does.
void take_edge_features(const LoadOptions& options, io::GraphFile& file, Dataset& data);

/// Where the user's edge is: "line 12".
using PlaceOfEdge = std::function<std::string(graph::EdgeIndex)>;

/// Notes what the user should check about a column that becomes a feature of edges.
void note_edge_column(const io::Column& column, Dataset& data);

/// Scales numbers to a common range: raw years or amounts would dominate everything else. The scale is fitted once and
/// kept in DataConfig::edge_scaler, to the edges in `rows` or else to all; a model without one uses raw numbers.
/// Missing numbers become 0.
void scale_edge_numbers(const std::vector<Eigen::Index>& columns,
                        const std::optional<std::vector<graph::EdgeIndex>>& rows, bool is_of_model, DataConfig& config,
                        graph::EdgeList& edges);

/// Notes edges of Dataset::graph that were dropped as duplicates although they differ from those that were kept.
void note_differing_duplicates(const std::string& file, const PlaceOfEdge& place_of, Dataset& data);

/// About how much memory a graph of an edge list takes, by the size of the files; 0 if there is none.
std::uint64_t memory_of_edges(const FileList& files);

/// The command that freezes the network of `data`, for messages.
std::string freeze_command(const DataConfig& data);

}  // namespace edgewise::train
