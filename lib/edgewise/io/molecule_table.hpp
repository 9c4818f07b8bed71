#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// Molecules and their attributes, in file order. The same molecule may have several rows.
struct MoleculeTable {
  std::string file;
  std::vector<std::string> smiles;    ///< As in the file, unparsed; "" where missing. SDF: canonical; "" if invalid.
  std::vector<std::string> problems;  ///< One per row: why an SDF record is invalid; "" otherwise, and in CSV.
  std::vector<Column> columns;        ///< Without the SMILES column.
  std::vector<std::uint64_t> lines;   ///< Line on which each row starts, for later error messages.
  std::string smiles_column;          ///< "" in SDF.

  std::size_t rows() const { return smiles.size(); }
  /// Location of a row, for messages.
  TextLocation where(std::size_t row) const;
  /// The column, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column. If missing, throws DataError listing the columns.
  const Column& at(std::string_view name) const;
};

struct MoleculeTableOptions {
  Delimiter delimiter = Delimiter::automatic;
  /// `automatic` means `yes` here. Without a header, columns are named "column 1", "column 2", ...
  HeaderRow header = HeaderRow::automatic;
  /// A name in the header or a position counted from 1. If empty: the column called "smiles", "canonical_smiles",
  /// "isomeric_smiles", "smi", "mol", "molecule" or "structure" (any case, in this order), else the one whose values
  /// are SMILES (see `find_smiles_column`), or the only column of a file without a header.
  std::string smiles_column = {};
  /// If not empty, only these columns are kept.
  std::vector<std::string> columns = {};
  /// Columns that are categorical even if all their values are numbers.
  std::vector<std::string> categorical = {};
  ReadAsText texts = {};
  /// Columns that must be numeric; any other value is an error that names its line.
  std::vector<std::string> numeric = {};
  /// Texts that mean "not known", compared exactly; applies to the SMILES too.
  std::vector<std::string> missing = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
};

/// Reads a table of molecules: SDF if the name ends in .sdf, .sd or .mol (optionally followed by .gz), else delimited
/// text, plain or gzip, with the column rules of `read_node_table`. SMILES are parsed only to find their column. Throws
/// DataError as `read_node_table` does for the columns and `find_smiles_column` for the one with the SMILES.
MoleculeTable read_molecule_table(const std::string& path, const MoleculeTableOptions& options = {});

/// Whether a column with SMILES may be expected to have this name: see `MoleculeTableOptions::smiles_column`.
bool is_usual_smiles_name(std::string_view name);

/// Finds the SMILES column of a table. `known` is the column's name in training ("" if unknown, or if there is no model
/// yet). In order of preference:
/// - the column called `known`;
/// - the same name in another case (SMILES for smiles);
/// - the first of the usual names (see MoleculeTableOptions);
/// - the only column in which RDKit parses at least four in five of the non-missing values in the first hundred rows as
///   SMILES and which is not all numbers.
///
/// Returns nothing for SDF. Throws DataError listing the columns if none or several match, and if the column's name is
/// itself a molecule, which means the file has no header.
std::optional<std::string> find_smiles_column(const std::string& path, const std::string& known);

/// Reads an SDF file (V2000 or V3000), plain or gzip. Each record becomes a row: its mol block as canonical SMILES with
/// stereochemistry (hydrogens merged), the first line of the block in the column "name" (if any record has one and no
/// property has that name), and its properties in the other columns. A property absent from a record is missing. A
/// block that RDKit cannot read becomes a row with a problem. The options `delimiter`, `header` and `smiles_column` are
/// ignored. Throws DataError for a file without records, a repeated property within a record, and stray text among the
/// properties; the last record may lack its $$$$.
MoleculeTable read_sdf(const std::string& path, const MoleculeTableOptions& options = {});

}  // namespace edgewise::io
