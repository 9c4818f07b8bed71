#include "edgewise/train/source/graph_data.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>

#include "edgewise/core/error.hpp"
#include "edgewise/core/list.hpp"
#include "edgewise/core/parallel.hpp"
#include "edgewise/core/setting.hpp"
#include "edgewise/core/text.hpp"
#include "edgewise/data/butina.hpp"
#include "edgewise/data/append_columns.hpp"
#include "edgewise/data/bond_nodes.hpp"
#include "edgewise/data/encodings.hpp"
#include "edgewise/data/graph_dataset.hpp"
#include "edgewise/data/molecules.hpp"
#include "edgewise/data/node_labels.hpp"
#include "edgewise/data/reaction_centres.hpp"
#include "edgewise/data/scaffolds.hpp"
#include "edgewise/data/virtual_nodes.hpp"
#include "edgewise/io/categorical_column.hpp"
#include "edgewise/io/mixture_text.hpp"
#include "edgewise/io/molecule_table.hpp"
#include "edgewise/io/reaction_alignment.hpp"
#include "edgewise/io/tu_dataset.hpp"
#include "edgewise/train/config/tasks.hpp"
#include "edgewise/train/source/atom_table.hpp"
#include "edgewise/train/source/label_columns.hpp"
#include "edgewise/train/source/label_patterns.hpp"
#include "edgewise/train/source/molecule_descriptors.hpp"

namespace edgewise::train {
namespace {

constexpr std::size_t kProblemsShown = 3;

/// The targets in a table of molecules, which are the columns `data.reading.label`.
struct WantedLabels {
  std::optional<data::Task> task;
  bool is_required = true;
};

/// Moves the rows of `columns` to the new indices after each graph got one more node at its end; the new node's row is
/// zeros.
Matrix with_virtual_rows(const Matrix& columns, std::span<const graph::Node> offsets) {
  Matrix result = Matrix::Zero(columns.rows() + static_cast<Eigen::Index>(offsets.size() - 1), columns.cols());
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g)
    result.middleRows(offsets[g] + static_cast<Eigen::Index>(g), offsets[g + 1] - offsets[g]) =
        columns.middleRows(offsets[g], offsets[g + 1] - offsets[g]);
  return result;
}

/// Adds what the configuration asks for and moves everything into the job.
void take(data::GraphData&& graphs, Dataset& data) {
  const EncodingConfig& encodings = data.reading.encodings;
  if (encodings.virtual_node && encodings.distances > 0)
    throw UsageError("data.encodings: a virtual node and distances cannot be combined: no distance would be above 2");
  GraphItems& items = data.graphs.emplace();
  if (encodings.distances > 0)
    items.paths = data::shortest_paths(graphs.graph, graphs.offsets, static_cast<std::uint8_t>(encodings.distances));
  Matrix columns = positional_encodings(graphs.graph, graphs.offsets, encodings);
  if (!data.reading.bond_target.empty()) {
    columns = data::with_bond_rows(columns, graphs);
    graphs = data::add_bond_nodes(graphs);
  } else if (!data.reading.atom_target.empty()) {
    graphs.graph = graph::Graph(data::names_of_atoms(graphs), graphs.graph.edges());
  }
  if (encodings.virtual_node) {
    columns = with_virtual_rows(columns, graphs.offsets);
    graphs = data::add_virtual_nodes(graphs);
  }
  if (columns.cols() > 0) data::append_columns(columns, graphs.features.dense);
  items.sign_columns = encodings.laplacian;
  items.offsets = std::move(graphs.offsets);
  for (const std::string& name : graphs.names) items.names.add(name);
  data.graph = std::move(graphs.graph);
  data.features = std::move(graphs.features);
  if (!data.reading.labels_atoms()) data.features.names.clear();
  data.labels = std::move(graphs.labels);
  data.splits = std::move(graphs.splits);
  if (!graphs.node_labels.empty()) data.reading.node_labels = std::move(graphs.node_labels);
  if (!graphs.edge_labels.empty()) data.reading.edge_labels = std::move(graphs.edge_labels);
}

/// Takes over a set of graphs. If the nodes have no features, a new model gets positional encodings.
void take_set(data::GraphData&& graphs, const LoadOptions& options, Dataset& data) {
  const bool has_only_edges = graphs.features.names == std::vector<std::string>{data::kConstant};
  if (has_only_edges && !options.is_for_model()) encode_unknown_nodes(data);
  take(std::move(graphs), data);
}

data::KnownLabels known_labels_of(const DataConfig& config, const LoadOptions& options) {
  return {.nodes = config.node_labels, .edges = config.edge_labels, .graphs = options.known_labels};
}

/// Rows are called 1, 2, ...
io::NodeTable numbered_rows(io::MoleculeTable& molecules) {
  io::NodeTable table;
  table.file = molecules.file;
  for (std::size_t row = 1; row <= molecules.rows(); ++row) table.names.add(std::to_string(row));
  table.columns = std::move(molecules.columns);
  table.lines = std::move(molecules.lines);
  return table;
}

data::Labels labels_of(const WantedLabels& wanted, const LoadOptions& options, const Dataset& data) {
  const std::vector<std::string>& columns = data.reading.label;
  if (columns.empty()) {
    if (!wanted.is_required) return {};
    throw UsageError(fmt::format(
        "data.label: name the column(s) of the table of {} to be learnt ({}; '*': all that hold numbers)",
        data.reading.are_reactions() ? "reactions" : "molecules", setting("data.target")));
  }
  if (!wanted.is_required)
    for (const std::string& column : columns)
      if (data.table.find(column) == nullptr) return {};
  data::LabelOptions labels = label_options(data.reading, wanted.task, options);
  labels.noun = data.graphs->noun().one;
  return data::read_labels(data.table, labels);
}

/// Items of the kind that `reading` describes, without any.
GraphItems no_items_of(const DataConfig& reading) {
  GraphItems items;
  items.are_molecules = true;
  items.are_reactions = reading.are_reactions();
  if (const std::optional<data::MixtureOptions> mixtures = reading.mixtures())
    items.mixtures.emplace(MixtureItems{.names = mixtures->names, .is_sum = mixtures->is_sum});
  return items;
}

std::string cell_of(const io::Column* column, std::size_t row) {
  if (column == nullptr || column->is_missing(row)) return "";
  std::string text = column->text(row);
  return text == io::kNoMolecule ? "" : text;
}

/// Makes one text of the molecules and amounts of each row, of which `table` has the first as its key.
void join_molecules(const DataConfig& reading, io::MoleculeTable& table) {
  if (table.smiles_column.empty())
    throw DataError(fmt::format("{}: expected a table with {} columns of molecules, found SDF or SMI", table.file,
                                reading.smiles.size()));
  table.columns.insert(table.columns.begin(), io::categorical_column(table.smiles_column, table.smiles));
  std::vector<const io::Column*> columns, amounts;
  for (const std::string& name : reading.smiles) columns.push_back(&table.at(name));
  for (const std::string& name : reading.amount) amounts.push_back(&table.at(name));
  amounts.resize(columns.size(), nullptr);
  std::vector<std::string> names = reading.smiles;
  names.insert(names.end(), reading.amount.begin(), reading.amount.end());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<io::MixturePart> parts(columns.size());
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = {.smiles = cell_of(columns[i], row), .amount = cell_of(amounts[i], row), .place = i};
    table.problems[row] = io::set_shares(parts, names);
    if (!table.problems[row].empty())
      for (io::MixturePart& part : parts) part.amount.clear();  // what may be no number would be read as a SMILES
    table.smiles[row] = io::write_mixture(parts, reading.symmetric);
  }
}

/// Gives reactions without atom map numbers some, if that is asked for.
void align_reactions(GraphItems& items, Dataset& data) {
  if (!data.reading.align || !items.are_reactions) return;
  constexpr std::size_t kGrain = 8;
  std::vector<std::uint8_t> is_aligned(items.smiles.size());
  parallel_for(items.smiles.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      std::string aligned = io::align_reaction(items.smiles[row]);
      is_aligned[row] = aligned != items.smiles[row] ? 1 : 0;
      items.smiles[row] = std::move(aligned);
    }
  });
  const auto count = static_cast<std::size_t>(std::ranges::count(is_aligned, 1));
  if (count > 0)
    data.notes.push_back(fmt::format("{}: found the atom map numbers of {}", data.table.file,
                                     counted(count, "reaction")));
}

/// Fills the members described at `read_molecule_texts`.
void read_rows(const std::string& path, const std::string& smiles_column, io::ReadAsText texts, Dataset& data) {
  for (const std::vector<std::string>* lists : {&data.reading.atom_target, &data.reading.bond_target})
    texts.names.insert(texts.names.end(), lists->begin(), lists->end());
  for (const std::vector<std::string>* names : {&data.reading.smiles, &data.reading.amount})
    if (data.reading.are_mixtures()) texts.names.insert(texts.names.end(), names->begin(), names->end());
  if (data.reading.has_atom_rows())
    for (const std::string& name : molecule_columns()) texts.names.push_back(name);
  io::MoleculeTable table = io::read_molecule_table(
      path, {.smiles_column = smiles_column,
             .reactions = data.reading.are_reactions(),
             .texts = std::move(texts),
             .atom_lists = data.reading.atom_target,
             .merges_isotopes = !data.reading.hydrogens && data::merges_isotopes(data.reading.atom_features),
             .with_hydrogens = data.reading.hydrogens,
             .bond_lists = data.reading.bond_target,
             .with_orders = data.reading.has_atom_rows(),
             .missing = io::missing_texts(data.reading.missing)});
  const bool is_sdf = table.smiles_column.empty();
  if (smiles_column.empty() && !is_sdf && !io::is_usual_smiles_name(table.smiles_column))
    data.notes.push_back(fmt::format("{}: the {}s are read from the column \"{}\"", path,
                                     data.reading.are_reactions() ? "reaction" : "molecule", table.smiles_column));
  if (table.descriptions > 0)
    data.notes.push_back(fmt::format("{}: {} under the header describe the columns and are skipped (RESULT_...)", path,
                                     counted(table.descriptions, "row")));
  if (data.reading.are_mixtures())
    join_molecules(data.reading, table);
  else
    data.reading.smiles = is_sdf ? std::vector<std::string>() : std::vector{table.smiles_column};
  data.table = numbered_rows(table);
  GraphItems& items = data.graphs.emplace(no_items_of(data.reading));
  items.names = data.table.names;
  items.smiles = std::move(table.smiles);
  items.problems = std::move(table.problems);
  items.orders = std::move(table.orders);
  align_reactions(items, data);
}

/// Throws DataError if there are molecules and none can be read.
void check_readable(const Dataset& rows) {
  const std::vector<std::string>& problems = rows.graphs->problems;
  if (problems.empty() || std::ranges::count(problems, "") > 0) return;
  throw DataError(rows.table.where(0),
                  fmt::format("{}; none of the {} {} can be read", problems.front(), problems.size(),
                              rows.graphs->noun().many));
}

/// What is in rows without a molecule does not decide whether a column holds numbers.
void forget_unread_cells(const io::ReadAsText& texts, Dataset& data) {
  std::vector<std::size_t> unread;
  for (std::size_t row = 0; row < data.graphs->problems.size(); ++row)
    if (!data.graphs->problems[row].empty()) unread.push_back(row);
  if (unread.empty()) return;
  for (io::Column& column : data.table.columns)
    if (!texts.contains(column.name)) data::forget_cells(unread, column);
}

void load_table(const std::string& path, const std::string& smiles_column, const WantedLabels& wanted,
                const LoadOptions& options, Dataset& data) {
  read_rows(path, smiles_column, read_as_text(data.reading, options), data);
  Dataset made = make_molecules(data, 0, data.graphs->smiles.size());
  if (options.needs_labels) check_readable(data);
  note_bad_molecules(data);
  forget_unread_cells(read_as_text(data.reading, options), data);
  split_label_lists(options, data.table, data.reading);
  expand_labels(data);
  prepare_labels(data.reading.label, wanted.task, data.table, data.reading);
  data.graph = std::move(made.graph);
  data.features = std::move(made.features);
  data.labels = labels_of(wanted, options, data);
  data.labels.are_ranked = true;
  forget_labels(data.graphs->problems, data.labels);
  data.graphs->offsets = std::move(made.graphs->offsets);
  data.graphs->mixtures = std::move(made.graphs->mixtures);
  data.graphs->sign_columns = made.graphs->sign_columns;
  data.graphs->paths = std::move(made.graphs->paths);
  data.graphs->descriptors = std::move(made.graphs->descriptors);
}

/// For a set of molecules, `features` names those of the atoms.
void take_atom_features(DataConfig& config) {
  if (!config.features.empty()) config.atom_features = std::exchange(config.features, "");
}

/// The table of the set. Throws UsageError if another column of SMILES is asked for, or several molecules in a row.
std::string table_of(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const DataConfig& config) {
  if (config.symmetric || !config.amount.empty())
    throw UsageError(fmt::format("data.{}: is for {}", config.symmetric ? "symmetric" : "amount",
                                 purpose_of(DataGroup::mixtures)));
  if (!config.smiles.empty() && config.smiles != std::vector{dataset.smiles})
    throw UsageError(fmt::format("data.smiles: the SMILES of the data set \"{}\" are in its column \"{}\", got \"{}\"",
                                 dataset.name, dataset.smiles, fmt::join(config.smiles, ", ")));
  return data::require_file(catalogue, dataset, data::default_data_directories(), "molecules");
}

/// The cluster of each molecule, called by its centre.
const std::vector<std::string>& clusters_of(const GraphItems& items) {
  return items.clusters.get([&] {
    std::vector<std::string> names;
    for (const std::uint32_t centre : data::butina_clusters(items.smiles)) names.push_back(std::to_string(centre));
    return names;
  });
}

/// What changes in each reaction. Throws UsageError for molecules.
const std::vector<std::string>& centres_of(const GraphItems& items) {
  if (!items.are_reactions) throw UsageError("split.kind: only reactions have centres; use another kind");
  return items.centres.get([&] { return data::reaction_centres(items.smiles); });
}

/// How rows that are reactions are made graphs.
std::optional<data::ReactionMode> mode_of(const DataConfig& reading) {
  return reading.are_reactions() ? std::optional(reading.reaction_mode) : std::nullopt;
}

std::string file_name(const DataConfig& config) {
  return std::filesystem::path(config.molecule_table()).filename().string();
}

}  // namespace

void encode_unknown_nodes(Dataset& data) {
  constexpr std::int64_t kSteps = 8;
  if (data.reading.encodings != EncodingConfig{}) return;
  data.reading.encodings.degree = true;
  data.reading.encodings.random_walk = kSteps;
  data.notes.push_back(
      fmt::format("the nodes have no features: their degrees and the walks that return to them distinguish them ({} "
                  "{} {})",
                  setting("data.encodings.degree"), setting("data.encodings.random_walk"), kSteps));
}

Matrix positional_encodings(const graph::Graph& graph, std::span<const graph::Node> offsets,
                            const EncodingConfig& encodings) {
  Matrix columns(static_cast<Eigen::Index>(graph.node_count()), 0);
  if (encodings.degree) data::append_columns(data::degree_encoding(graph, offsets), columns);
  if (encodings.random_walk > 0)
    data::append_columns(data::random_walk_encoding(graph, offsets, static_cast<std::size_t>(encodings.random_walk)),
                         columns);
  if (encodings.laplacian > 0)
    data::append_columns(data::laplacian_encoding(graph, offsets, static_cast<std::size_t>(encodings.laplacian)),
                         columns);
  return columns;
}

void load_graph_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                    Dataset& data) {
  data.name = dataset.name;
  take_set(data::load_graph_dataset(catalogue, dataset, data::default_data_directories(),
                                    known_labels_of(data.reading, options), &data.notes),
           options, data);
}

void load_molecule_set(const data::Catalogue& catalogue, const data::CatalogueSet& dataset, const LoadOptions& options,
                       Dataset& data) {
  data.name = dataset.name;
  take_atom_features(data.reading);
  const auto is_target = [&](const std::string& label) {
    return std::ranges::any_of(dataset.targets, [&](const std::string& target) {
      return label == target || data::is_logarithm_of(label, target);
    });
  };
  data.reading.label = expand_patterns(data.reading.label, dataset.targets);
  for (const std::string& column : data.reading.label)
    if (!is_target(column))
      throw UsageError(fmt::format("data.label: the targets of \"{}\" are {}, got \"{}\"", dataset.name,
                                   fmt::join(dataset.targets, ", "), column));
  if (data.reading.label.empty()) data.reading.label = dataset.targets;
  const bool is_regression = dataset.task == "molecule regression";
  load_table(table_of(catalogue, dataset, data.reading), dataset.smiles,
             {.task = is_regression ? data::Task::regression : data::Task::multilabel}, options, data);
}

Dataset load_molecules(const DataConfig& config, const LoadOptions& options) {
  Dataset data;
  data.reading = config;
  data.name = file_name(config);
  const bool is_required = options.needs_labels && !is_pretraining(config) && !config.labels_atoms();
  if (config.labels_atoms()) data.reading.label.clear();  // those of molecules
  load_table(config.molecule_table(), config.smiles_column(),
             {.task = task_of(config, options), .is_required = is_required}, options, data);
  return data;
}

Dataset load_tu_set(const DataConfig& config, const LoadOptions& options) {
  Dataset data;
  data.reading = config;
  io::TuDataset set = io::read_tu_dataset(config.tu);
  data::use_known_labels(known_labels_of(config, options), set, data.notes);
  data.name = set.name;
  take_set(data::to_graph_data(std::move(set), task_of(config, options), options.needs_labels), options, data);
  if (options.needs_labels && data.labels.has_classes() && data.labels.names.size() == 1)
    throw DataError(fmt::format("{}: every graph has the label {}; expected two or more", data.name,
                                data.labels.names.front()));
  return data;
}

std::optional<Dataset> read_molecule_texts(const DataConfig& request, const io::ReadAsText& texts) {
  Dataset data;
  data.reading = request;
  data.name = file_name(request);
  read_rows(request.molecule_table(), request.smiles_column(), texts, data);
  return data;
}

Dataset read_molecule_texts(const data::Catalogue& catalogue, const data::CatalogueSet& dataset,
                            const DataConfig& request, const io::ReadAsText& texts) {
  Dataset data;
  data.reading = request;
  data.name = dataset.name;
  take_atom_features(data.reading);
  read_rows(table_of(catalogue, dataset, data.reading), dataset.smiles, texts, data);
  return data;
}

Dataset molecule_rows(const DataConfig& reading, std::vector<std::string> smiles, const std::string& file) {
  Dataset rows;
  rows.name = file;
  rows.table.file = file;
  rows.reading = reading;
  if (!reading.dataset.empty()) take_atom_features(rows.reading);
  GraphItems& items = rows.graphs.emplace(no_items_of(reading));
  items.smiles = std::move(smiles);
  align_reactions(items, rows);
  items.problems.resize(items.smiles.size());
  for (std::size_t row = 1; row <= items.smiles.size(); ++row) {
    rows.table.names.add(std::to_string(row));
    rows.table.lines.push_back(row);
  }
  items.names = rows.table.names;
  return rows;
}

Dataset make_molecules(Dataset& rows, std::size_t first, std::size_t count) {
  GraphItems& items = *rows.graphs;
  data::Molecules molecules = data::featurise_molecules(std::span(items.smiles).subspan(first, count),
                                                        {.features = rows.reading.atom_features,
                                                         .hydrogens = rows.reading.hydrogens,
                                                         .descriptors = wants_rdkit(rows.reading),
                                                         .reactions = mode_of(rows.reading),
                                                         .mixtures = rows.reading.mixtures()});
  data::GraphData graphs;
  for (std::size_t i = 0; i < count; ++i) {
    std::string& problem = items.problems[first + i];
    if (problem.empty()) problem = std::move(molecules.problems[i]);  // SDF problems are more informative
    if (!problem.empty() && rows.reading.strict)
      throw DataError(rows.table.where(first + i), fmt::format("{}: {}", items.noun().one, problem));
    graphs.names.push_back(std::to_string(first + i + 1));
  }
  graphs.graph = std::move(molecules.graph);
  graphs.offsets = std::move(molecules.offsets);
  graphs.features = std::move(molecules.features);
  Dataset made;
  made.name = rows.name;
  made.reading = rows.reading;
  take(std::move(graphs), made);
  made.graphs->are_molecules = true;
  made.graphs->are_reactions = items.are_reactions;
  if (items.mixtures)
    made.graphs->mixtures.emplace(MixtureItems{.names = items.mixtures->names,
                                               .is_sum = items.mixtures->is_sum,
                                               .offsets = std::move(molecules.part_offsets),
                                               .shares = std::move(molecules.shares)});
  made.graphs->smiles.assign(items.smiles.begin() + static_cast<std::ptrdiff_t>(first),
                             items.smiles.begin() + static_cast<std::ptrdiff_t>(first + count));
  made.graphs->descriptors = describe_molecules(rows, first, count, molecules.descriptors);
  return made;
}

Dataset make_molecule(const Dataset& rows, std::size_t row) {
  Dataset one;
  one.name = rows.name;
  one.reading = rows.reading;
  one.table = io::row_of(rows.table, row);
  GraphItems& item = one.graphs.emplace(no_items_of(one.reading));
  item.smiles = {rows.graphs->smiles[row]};
  item.problems = {rows.graphs->problems[row]};
  Dataset made = make_molecules(one, 0, 1);
  made.table = std::move(one.table);
  made.graphs->names = made.table.names;
  made.graphs->problems = std::move(one.graphs->problems);
  return made;
}

void forget_labels(const std::vector<std::string>& problems, data::Labels& labels) {
  if (labels.names.empty()) return;
  for (graph::Node row = 0; row < problems.size(); ++row)
    if (!problems[row].empty()) data::forget_label(row, labels);
}

void fill_rows_with_nan(const std::vector<std::string>& problems, Matrix& predictions) {
  if (predictions.size() == 0) return;
  for (std::size_t row = 0; row < problems.size(); ++row)
    if (!problems[row].empty())
      predictions.row(static_cast<Eigen::Index>(row)).setConstant(std::numeric_limits<float>::quiet_NaN());
}

void note_bad_molecules(Dataset& rows) {
  const std::vector<std::string>& problems = rows.graphs->problems;
  std::size_t count = 0;
  std::vector<std::string> shown;
  for (std::size_t row = 0; row < problems.size(); ++row) {
    if (problems[row].empty() || ++count > kProblemsShown) continue;
    shown.push_back(
        fmt::format("{} (row {}): {}", to_string(rows.table.where(row)), row + 1, problems[row]));
  }
  if (count == 0) return;
  if (count > kProblemsShown) shown.push_back(fmt::format("and {} more", count - kProblemsShown));
  rows.notes.push_back(fmt::format("{} of {} {} cannot be read and are left out: {}", count, problems.size(),
                                   rows.graphs->noun().many, fmt::join(shown, "; ")));
}

data::Split scaffold_split_of(const Dataset& data, const data::Labels& labels, SplitKind kind,
                              const data::SplitShares& shares, std::uint64_t seed, std::string_view of) {
  const GraphItems* molecules = data.molecules();
  if (molecules == nullptr)
    throw UsageError(fmt::format("split.kind: only molecules have {}; use another kind",
                                 kind == SplitKind::butina ? "clusters" : "scaffolds"));
  if (kind == SplitKind::reaction_centre) return data::scaffold_split(centres_of(*molecules), labels, shares);
  if (kind == SplitKind::butina) return data::scaffold_split(clusters_of(*molecules), labels, shares);
  const std::vector<std::string>& scaffolds = molecules->scaffolds.get([&] {
    return data::murcko_scaffolds(of.empty() ? molecules->smiles : molecules->smiles_of(of));
  });
  return kind == SplitKind::scaffold ? data::scaffold_split(scaffolds, labels, shares)
                                     : data::balanced_scaffold_split(scaffolds, labels, shares, seed);
}

}  // namespace edgewise::train
