#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"
#include "edgewise/io/molecule_parser.hpp"

namespace edgewise::io {

/// Molecules and their attributes, in file order. The same molecule may have several rows.
struct MoleculeTable {
  std::string file;
  std::vector<std::string> smiles;    ///< As in the file, unparsed; "" where missing. SDF: canonical; "" if invalid.
  std::vector<std::string> problems;  ///< One per row: why an SDF record is invalid; "" otherwise, and in CSV.
  std::vector<Column> columns;        ///< Without the SMILES column.
  std::vector<std::uint64_t> lines;   ///< Line on which each row starts, for later error messages.
  std::string smiles_column;          ///< "" in SDF and SMI.
  std::size_t descriptions = 0;       ///< Rows under the header that describe the columns, as PubChem writes them.
  std::vector<AtomOrder> orders = {};  ///< SDF, if asked for: for each row the places of its atoms in the block.

  std::size_t rows() const { return smiles.size(); }
  /// Location of a row, for messages.
  TextLocation where(std::size_t row) const;
  /// The column. If missing, throws DataError listing the columns.
  const Column& at(std::string_view name) const;
};

struct MoleculeTableOptions {
  /// A name in the header or a position counted from 1. If empty: the column called "smiles", "canonical_smiles",
  /// "isomeric_smiles", "smi", "mol", "molecule" or "structure" (any case, in this order), or another one whose values
  /// are SMILES (see `find_smiles_column`).
  std::string smiles_column = {};
  /// The rows are reactions: the column is found by `find_reaction_column`.
  bool reactions = false;
  /// If not empty, only these columns are kept.
  std::vector<std::string> columns = {};
  /// Columns that are categorical even if all their values are numbers.
  std::vector<std::string> categorical = {};
  ReadAsText texts = {};
  /// SDF: properties with a value for each atom of the block, or for each but the merged hydrogens (see
  /// cell_lists.hpp), which are put in the order of the SMILES. A record whose order is not clear has a problem.
  std::vector<std::string> atom_lists = {};
  bool merges_isotopes = false;  ///< Whether hydrogens with an isotope are merged, too.
  bool with_hydrogens = false;  ///< The lists keep the values of hydrogens, atom by atom behind those of the others.
  std::vector<std::string> bond_lists = {};  ///< The same with a value for each bond of the block.
  bool with_orders = false;  ///< SDF: fill MoleculeTable::orders. A record whose order is not clear has a problem.
  /// Columns that must be numeric; any other value is an error that names its line.
  std::vector<std::string> numeric = {};
  /// Texts that mean "not known", compared exactly; applies to the SMILES too.
  std::vector<std::string> missing = default_missing_texts();
};

/// Reads a table of molecules: SDF if the name ends in .sdf, .sd or .mol (optionally followed by .gz), or has no ending
/// and the text starts with a mol block; SMI as `is_smi` says; else delimited text, plain or gzip, with the column
/// rules of `read_node_table`. Rows directly under the header whose first cell starts with RESULT_ describe the columns
/// of a file of PubChem and are skipped. SMILES are parsed only to find their column. Throws DataError as
/// `read_node_table` does for the columns and `find_smiles_column` for the one with the SMILES.
MoleculeTable read_molecule_table(const std::string& path, const MoleculeTableOptions& options = {});

/// Whether a table of molecules is delimited text, rather than SDF or SMI.
bool is_delimited(const std::string& path);

/// Whether a column with SMILES may be expected to have this name: see `MoleculeTableOptions::smiles_column`.
bool is_usual_smiles_name(std::string_view name);

/// Finds the SMILES column of a table. `known` is the column's name in training ("" if unknown, or if there is no model
/// yet). In order of preference:
/// - the column called `known`;
/// - the same name in another case (SMILES for smiles);
/// - the first of the usual names (see MoleculeTableOptions), unless another column that holds SMILES is called
///   isomeric, or the first rows of this one hold none and those of one other do;
/// - the only column in which RDKit parses at least four in five of the non-missing values in the first hundred rows as
///   SMILES and which is not all numbers.
///
/// Returns nothing for SDF and SMI. Throws DataError listing the columns if none or several match, if the one with the
/// usual name has no stereochemistry and another one has the same molecules with it, if the column's name
/// is itself a molecule, which means the file has no header, and if there is only a column of InChI.
std::optional<std::string> find_smiles_column(const std::string& path, const std::string& known);

/// Finds the column of reactions (`reactants>>products`) of a table. `known` is as above. In order of preference: the
/// column called `known`, in any case; the only one in which at least four in five of the non-missing values in the
/// first hundred rows are reactions; of several, or of all if there is none, the one called "reaction_smiles",
/// "rxn_smiles", "reaction" or "rxn". Returns nothing for SMI. Throws DataError listing the columns if there is none or
/// it is not clear, and for SDF.
std::optional<std::string> find_reaction_column(const std::string& path, const std::string& known);

/// Whether the file is SMI: its name ends in .smi, .smiles or .ism (optionally followed by .gz), and it does not start
/// like a table with a header; or its name has no ending, as that of a pipe, and it starts with a molecule.
bool is_smi(const std::string& path);

/// Reads SMI, plain or gzip: a SMILES per line (with a CXSMILES extension, if there is one), then a blank or a tab and
/// a name, the column "name". Further fields after tabs are "column 3", "column 4", ... Lines of blanks and a first
/// line "smiles ..." are skipped. Of the options, `texts` and `missing` count. Throws DataError for a file without
/// molecules.
MoleculeTable read_smi(const std::string& path, const MoleculeTableOptions& options = {});

/// Reads an SDF file (V2000 or V3000), plain or gzip. Each record becomes a row: its mol block as canonical SMILES with
/// stereochemistry (hydrogens merged), the first line of the block in the column "name" (if any record has one and no
/// property has that name), and its properties in the other columns. A property absent from a record is missing; its
/// text may have empty lines in it. A line that is not UTF-8 is read as Latin-1. A block that RDKit cannot read becomes
/// a row with a problem, and so does a record with other text before its properties, or with a property that has two
/// values. The option `smiles_column` is ignored. Throws DataError for a file without records and one that ends within
/// a property; the last record may lack its $$$$.
MoleculeTable read_sdf(const std::string& path, const MoleculeTableOptions& options = {});

}  // namespace edgewise::io
