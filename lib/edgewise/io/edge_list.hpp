#pragma once

#include "edgewise/io/edge_list_options.hpp"
#include "edgewise/io/edge_list_result.hpp"

namespace edgewise::io {

/// Streams edges from delimited text (see CsvReader, also for several files), plain or gzip. The first row is a header
/// if it contains "source" and "target" (or "src", "dst"; "from", "to"), a name requested or preferred by the options,
/// or two names that usually mean the ends of edges and that no other row has ("citing", "cited"; "node_1", "node_2").
/// It is also a header if it contains no number while both endpoints, or another field, of the second row are numbers,
/// or if its first field is empty, above row numbers. A table in memory has one.
///
/// After a header, every line is an edge. In a list without a header, or with a commented one ("#node1<TAB>node2"),
/// lines that start with # or % are comments, unless the nodes are given and such a line is an edge between two of
/// them; `commented_rows` counts them. Nodes are identified by their text: "7" and "07" are two nodes. Throws DataError
/// with file and line for an endpoint that is empty, unknown, or one of `missing` and not among the known nodes, a
/// weight or numeric feature that is missing or not a finite number, more than 1000 categories, rows of different
/// lengths, fewer than two columns, a file without any rows, and one that is recognised as another format (a matrix, an
/// adjacency list, JSON, ...). A header alone is a list of no edges.
EdgeListResult read_edge_list(const FileList& files, const EdgeListOptions& options = {});

}  // namespace edgewise::io
