#pragma once

#include <optional>

#include "edgewise/data/catalogue.hpp"
#include "edgewise/data/splits.hpp"
#include "edgewise/train/source/dataset.hpp"
#include "edgewise/train/source/load_options.hpp"

/// @file
/// Reading the data of graph-level jobs: molecules, and collections of graphs.
namespace edgewise::train {

/// Loads a set of molecules of the catalogue, or one of other graphs. `data.reading` says how to read it, and is
/// completed from the catalogue. Throws as the readers do.
void load_molecule_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                       Dataset& data);
void load_graph_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                    Dataset& data);

/// Loads the set in TU Dortmund layout that the request names. If there is a model, its numbering of node, edge and
/// graph labels is used; otherwise the labels found are stored in Dataset::reading.
Dataset load_tu_set(const DataConfig& request, const LoadOptions& options);

/// Positional encodings for a union of graphs: degree, random walk and Laplacian, as requested. The Laplacian columns,
/// whose signs are arbitrary, come last.
Matrix positional_encodings(const graph::Graph& graph, std::span<const graph::Node> offsets,
                            const EncodingConfig& encodings);

/// If no encoding is configured, enables the degree and random walks of 8 steps, with a note. For graphs whose nodes
/// have no features.
void encode_unknown_nodes(Dataset& data);

/// Loads the table of molecules or reactions that the request names. A molecule that cannot be parsed becomes an empty
/// graph without a label, with a note; with `DataConfig::strict` it is a DataError with its line.
Dataset load_molecules(const DataConfig& request, const LoadOptions& options);

/// Reads the table of molecules that the request names, or of a catalogue set, as texts: fills `table` and `graphs`
/// (names, SMILES, and problems of SDF records), and leaves the graph, the features and the labels empty. `texts` is
/// LoadOptions::texts.
std::optional<Dataset> read_molecule_texts(const DataConfig& request, const io::ReadAsText& texts);
Dataset read_molecule_texts(const data::Catalogue& catalogue, const data::CatalogueSet& dataset,
                            const DataConfig& request, const io::ReadAsText& texts);

/// The same for molecules that are not in a table: rows of nothing but SMILES, to be read as `reading` says. `file` is
/// what errors call them.
Dataset molecule_rows(const DataConfig& reading, std::vector<std::string> smiles, const std::string& file);

/// A job of `count` of the `rows` of `read_molecule_texts`, starting at `first`, without labels and numbered as in the
/// table. Problems of molecules that cannot be parsed are added to `rows`. Throws as `read_dataset`.
Dataset make_molecules(Dataset& rows, std::size_t first, std::size_t count);

/// A job of a single row, from 0, with its row of the table. Throws as `read_dataset`.
Dataset make_molecule(const Dataset& rows, std::size_t row);

/// Marks the labels of problem rows as unknown.
void forget_labels(const std::vector<std::string>& problems, data::Labels& labels);

/// Makes the predictions of problem rows NaN: they are empty graphs, about which a model says nothing. `predictions`
/// has a row per item, or is empty.
void fill_rows_with_nan(const std::vector<std::string>& problems, Matrix& predictions);

/// Adds a note, one line, about the molecules that could not be parsed, once all are made.
void note_bad_molecules(Dataset& rows);

/// A split of molecules, or of those whose atoms are the items, by their `labels`. `kind` is scaffold,
/// balanced_scaffold, butina or reaction_centre, of which only the second uses the seed. No scaffold, reaction centre
/// (data::reaction_centres), or cluster of data::butina_clusters (assigned as scaffolds are), is in two parts. `of`: of
/// several molecules in a row the column whose scaffolds they are. Throws UsageError if the items are not molecules.
data::Split scaffold_split_of(const Dataset& data, const data::Labels& labels, SplitKind kind,
                              const data::SplitShares& shares, std::uint64_t seed, std::string_view of = {});

}  // namespace edgewise::train
