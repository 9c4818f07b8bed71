#pragma once

#include "edgewise/io/edge_list.hpp"
#include "edgewise/io/graph_file.hpp"
#include "edgewise/train/jobs/job_data.hpp"

namespace edgewise::train {

/// Names that begin with # or % would be missing without a word.
void note_commented_rows(const std::string& file, const io::CommentedRows& rows, std::vector<std::string>& notes);

/// The edge list that DataConfig::edges names, read as the configuration says, between `known` nodes where these are
/// set. Categories of features that the configuration does not know are put into it, and so a model keeps them; notes
/// say what of the columns is left out. Throws as `io::read_edge_list`.
io::EdgeListResult read_edges(const LoadOptions& options, const graph::NodeNames* known, JobData& data);

/// The same of the file that DataConfig::graph names. Throws as `io::read_graph_file`.
io::GraphFile read_graph(const LoadOptions& options, JobData& data);

}  // namespace edgewise::train
