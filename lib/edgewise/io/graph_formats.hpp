#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/graph_contents.hpp"

/// @file
/// Readers of files with a whole graph, each in a source of its own; `read_graph_file` chooses one.
namespace edgewise::io {

/// Reads GraphML with one graph per file, as NetworkX, igraph, graph-tool, Gephi, Cytoscape and yEd write it. Nodes are
/// named by their XML ids, in file order; nodes and edges of nested graphs (yEd's groups) are part of the graph, and
/// the groups are nodes. Attributes of type boolean and string are categorical, the texts of yEd's labels become the
/// attribute "label", and lists are not used. Numbers may be hexadecimal; NaN and infinities are missing. Throws
/// DataError for malformed XML, several graphs in one file, a repeated node, an edge to an undeclared node, a
/// hyperedge, and a value that does not match its type.
GraphFile read_graphml(const std::string& path, const GraphFileOptions& options = {});

/// Reads GEXF, as Gephi, NetworkX and others write it. Nodes are named by their ids; a label is the attribute "label"
/// unless it only repeats the names. Nested nodes belong to the graph; the module viz is ignored. A dynamic graph is
/// read as that of all times, with the last value of each attribute, and a note says so. Throws DataError with the line
/// for malformed XML, a repeated node, an edge to an undeclared node, a value of an undeclared attribute, and a value
/// that does not match its type.
GraphFile read_gexf(const std::string& path, const GraphFileOptions& options = {});

/// Reads GML as in M. E. J. Newman's network data:
/// graph [ directed 0 node [ id 1 label "a" ] node [ id 2 label "b" ] edge [ source 1 target 2 ] ].
/// Nodes are named by their labels if all have one and they are distinct, else by their ids (the labels then become a
/// column). Strings may contain XML entities. Attributes that a node or an edge has more than once are lists and not
/// used, nor is the "key" of an edge if the graph is a multigraph. Throws DataError with line and column.
GraphFile read_gml(const std::string& path, const GraphFileOptions& options = {});

/// Reads a Graphviz DOT file. Nodes are sorted by name; defaults and subgraphs are applied as in Graphviz, so `a -- {b
/// c}` makes an edge to each. The attribute "key" of an edge, which tells it from others between the same nodes, is not
/// used. Throws DataError for malformed text.
GraphFile read_graphviz(const std::string& path, const GraphFileOptions& options = {});

/// Reads node-link JSON as NetworkX writes it:
/// {"directed": false, "nodes": [{"id": ...}, ...], "links": [{"source": ..., "target": ...}, ...]},
/// with "links" or "edges". Ids are strings or numbers, which are names as they are spelt. Booleans and strings are
/// categorical attributes; lists and objects are ignored; null, NaN and Infinity are missing. Also reads
/// - nodes without ids, as D3 has them: they are named by "name" if all have one and these are unique, else by their
///   positions from 0;
/// - edges by position, if all endpoints are positions of nodes and none is the id of a node;
/// - {"nodes": [...], "adjacency": [[{"id": ...}, ...], ...]}, as `networkx.adjacency_data` writes it;
/// - {"elements": {"nodes": [{"data": {"id": ...}}], "edges": [{"data": {"source": ..., "target": ...}}]}} or the list
///   of elements alone, as Cytoscape and Cytoscape.js write it.
/// Throws DataError naming the location in the document.
GraphFile read_node_link_json(const std::string& path, const GraphFileOptions& options = {});

/// Reads a network of Pajek (.net): *Vertices, then any of *Edges, *Arcs, *Edgeslist, *Arcslist and *Matrix; a third
/// field of an edge is the attribute "weight". Nodes are named by their labels if all have one and these are unique,
/// else by their numbers. Pairs of a name and a value, as NetworkX writes them, are attributes; positions, shapes,
/// colours and fonts are skipped, and so are partitions, vectors and times, with a note. Several relations ("*Arcs :2
/// "likes"") become the attribute "relation". Throws DataError with the line for a missing *Vertices, a second network,
/// a vertex or an endpoint out of range, a repeated vertex, and a row of the wrong length in a matrix.
GraphFile read_pajek(const std::string& path, const GraphFileOptions& options = {});

/// Reads a square sparse matrix in Matrix Market format (.mtx), as SciPy, Julia, MATLAB and the SuiteSparse collection
/// write it: "coordinate" of "pattern", "integer" or "real" values, "general" or "symmetric". Nodes are named by their
/// rows, from 1, and exist without edges, too. An entry in row i and column j is the edge i -> j, its value the
/// attribute "weight" (also called by its position, "3"); a symmetric matrix is an undirected graph. Throws DataError
/// with the line for any other kind of matrix, one that is not square, an index out of range, a value that is not a
/// finite number, and a number of entries other than the one stated.
GraphFile read_matrix_market(const std::string& path, const GraphFileOptions& options = {});

/// Reads an adjacency list as NetworkX writes it (.adjlist): a line "a b c" has the edges from a to b and to c, "a" is
/// a node alone; lines with # are comments. The graph is undirected.
GraphFile read_adjacency_list(const std::string& path, const GraphFileOptions& options = {});

/// Reads a graph of METIS (.graph, .metis): "nodes edges [format [weights of a node]]", then a line with the neighbours
/// of each node, from 1; % begins a comment. Weights of edges are the attribute "weight"; those of nodes are "weight",
/// or "weight_1", "weight_2" and so on, and their sizes "size". Throws DataError with the line for a format it cannot
/// have, a line too many or too few, a neighbour out of range, and a number of edges other than the one stated.
GraphFile read_metis(const std::string& path, const GraphFileOptions& options = {});

/// Reads the formats of the Large Graph Layout, as igraph writes them; both are undirected. The weight is the
/// attribute "weight", also called by its position, "3".
/// .lgl: a line "# a", then "b" or "b 0.5" for each neighbour of a. A node without neighbours has only the first.
/// Throws DataError with the line for a neighbour before the first node, and for other numbers of fields.
GraphFile read_lgl(const std::string& path, const GraphFileOptions& options = {});
/// .ncol: an edge list "a b" or "a b 0.5" without a header.
GraphFile read_ncol(const std::string& path, const GraphFileOptions& options = {});

/// Reads the simple interaction format of Cytoscape (.sif): lines "a pp b c", a node, a relation and nodes that it is
/// related to, or a node alone. Fields are separated by blanks, or by tabs alone from the first line on that has some.
/// The relation is the attribute "interaction" of the edges. The graph is undirected. Throws DataError with the line
/// for two fields.
GraphFile read_sif(const std::string& path, const GraphFileOptions& options = {});

/// Reads an edge list as `networkx.write_edgelist` writes it: "a b {'weight': 4, 'kind': 'x'}", with the attributes of
/// the edge as a Python dictionary; lines with # are comments. Texts and truth values are categorical; None, lists and
/// the like are not used. The graph is undirected, as the file does not say. Throws DataError with the line for
/// anything else.
GraphFile read_python_edge_list(const std::string& path, const GraphFileOptions& options = {});

/// Whether a line is an edge with a dictionary.
bool is_python_edge(std::string_view line);

/// Reads a table in which Neo4j exports nodes and relationships together (apoc.export.csv.all): a row with a "_start"
/// and an "_end" is an edge, any other a node with its "_id". The other columns are attributes, among them "_labels"
/// (the kind of a node) and "_type" (that of an edge). The graph is directed. Throws DataError with the line for a row
/// without a node, a repeated node, and an edge to an unknown one.
GraphFile read_neo4j_export(const std::string& path, const GraphFileOptions& options = {});

/// Reads the table of edges that Cytoscape exports. The endpoints of an edge are in the column "shared name" (or
/// "name"), as "A (pp) B" with the "interaction" pp. The other columns are attributes of the edges, except Cytoscape's
/// own (SUID, names, selected). The graph is undirected. Throws DataError with the line for a name that does not split.
GraphFile read_cytoscape_edges(const std::string& path, const GraphFileOptions& options = {});

/// Whether the columns are those of the one or the other.
bool is_neo4j_export(const std::vector<std::string>& columns);
bool is_cytoscape_edges(const std::vector<std::string>& columns);

}  // namespace edgewise::io
