#pragma once

#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::train {

/// Adds a note about commented rows: otherwise nodes whose names begin with # or % would be silently missing.
void note_commented_rows(const std::string& file, const io::CommentedRows& rows, std::vector<std::string>& notes);

/// Reads the edge list in DataConfig::edges as configured, between `known` nodes if set. Feature categories not in the
/// configuration are added to it, so that a model keeps them; notes list the columns that are ignored. Throws as
/// `io::read_edge_list`.
io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, JobData& data);

/// The same for the file in DataConfig::graph. Throws as `io::read_graph_file`.
io::GraphFile read_graph(const LoadOptions& options, JobData& data);

}  // namespace edgewise::train
