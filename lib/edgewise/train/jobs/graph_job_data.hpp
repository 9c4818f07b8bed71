#pragma once

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/jobs/job_data.hpp"

/// @file
/// Reading what graph-level jobs learn from: molecules, and collections of graphs.
namespace edgewise::train {

/// A graph-level set of the catalogue. `data.config` says how it is to be read, and is completed with what the
/// catalogue knows. Throws as the readers do.
void load_graph_set(const data::Catalogue& catalogue, const data::Dataset& dataset, const LoadOptions& options,
                    JobData& data);

/// The set in the layout of the TU Dortmund collection that `data.config` names. Its labels of nodes, edges and graphs
/// are numbered as a model knows them, where there is one; else `data.config` is told what they are.
void load_tu_set(const LoadOptions& options, JobData& data);

/// Columns for the nodes of graphs side by side: degree, random walk, Laplacian, as far as they are asked for. Those of
/// the Laplacian, whose signs are arbitrary, are the last.
Matrix encode_places(const graph::Graph& graph, std::span<const graph::Node> offsets, const EncodingConfig& encodings);

/// Where no encoding is asked for: asks for the degree and for walks of 8 steps, and says so. For graphs of whose nodes
/// nothing is known but their edges.
void encode_unknown_nodes(JobData& data);

/// The table of molecules that `data.config` names. A molecule that cannot be read becomes an empty graph without a
/// label, and is noted; with `DataConfig::strict` it is a DataError with its line.
void load_molecules(const LoadOptions& options, JobData& data);

/// The rows of the table of molecules that `data.config` names, or that of a set of the catalogue, as texts: fills
/// `table` and `graphs` (names, SMILES, and the problems of records of SDF), and leaves the graph, the features and the
/// labels empty.
void read_molecule_texts(JobData& data);
void read_molecule_texts(const data::Catalogue& catalogue, const data::Dataset& dataset, JobData& data);

/// `count` rows of `rows`, of `read_molecule_texts`, from `first` on as a job of their own without labels, numbered as
/// in the table. Why some cannot be read is added to the problems of `rows`. Throws as `load_job_data`.
JobData make_molecules(JobData& rows, std::size_t first, std::size_t count);

/// The labels of rows with a problem are not known.
void forget_labels(const std::vector<std::string>& problems, data::Labels& labels);

/// Adds to its notes which molecules cannot be read, once all are made.
void note_bad_molecules(JobData& rows);

/// `kind` is "scaffold", which the seed does not change, or "balanced_scaffold". No scaffold in two parts. Throws
/// UsageError when the items are no molecules.
data::Split scaffold_split_of(const JobData& data, const std::string& kind, const data::SplitShares& shares,
                              std::uint64_t seed);

}  // namespace edgewise::train
