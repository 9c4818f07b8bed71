#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgewise/io/column.hpp"
#include "edgewise/io/csv.hpp"

namespace edgewise::io {

/// Molecules and what is known of each, in the order of the file. The same molecule may have several rows.
struct MoleculeTable {
  std::string file;
  std::vector<std::string> smiles;    ///< As in the file, not parsed; "" where missing. SDF: canonical, or "" where bad.
  std::vector<std::string> problems;  ///< One a row: why an SDF record is no molecule; "" when all is well, and in CSV.
  std::vector<Column> columns;        ///< Without the SMILES column.
  std::vector<std::uint64_t> lines;   ///< Line in which each row starts, so that later errors can name it.
  std::string smiles_column;          ///< "" in SDF.

  std::size_t rows() const { return smiles.size(); }
  /// Place of a row, for messages.
  TextLocation where(std::size_t row) const;
  /// The column, or nullptr.
  const Column* find(std::string_view name) const;
  /// The column; DataError that lists what there is when it is missing.
  const Column& at(std::string_view name) const;
};

struct MoleculeTableOptions {
  Delimiter delimiter = Delimiter::automatic;
  /// `automatic` is `yes` here: tables name their columns. Without a header they are "column 1", "column 2", ...
  HeaderRow header = HeaderRow::automatic;
  /// A name in the header or a position counted from 1. When empty: the column called "smiles", "canonical_smiles",
  /// "isomeric_smiles", "smi", "mol", "molecule" or "structure" (any case, in this order), or the only one of a file
  /// without a header.
  std::string smiles_column = {};
  /// When not empty, only these columns are kept.
  std::vector<std::string> columns = {};
  /// Columns that are categorical even where all their values are numbers.
  std::vector<std::string> categorical = {};
  /// Columns that must be numeric: another value is then an error that names its line.
  std::vector<std::string> numeric = {};
  /// Texts that mean "not known", compared exactly; also of the SMILES.
  std::vector<std::string> missing = {"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"};
};

/// Reads a table of molecules: SDF when the name ends in .sdf, .sd or .mol (or one of them and .gz), else delimited
/// text, plain or gzip, with the rules of `read_node_table` for the columns. SMILES are not looked into here.
/// Throws DataError as `read_node_table` does for the columns; also when no column is the one of the SMILES.
MoleculeTable read_molecule_table(const std::string& path, const MoleculeTableOptions& options = {});

/// The column of a table of molecules that a model is asked about, which called it `known` ("" where that is not
/// known): the one of that name; else the one of that name in other letters (SMILES for smiles); else the first of the
/// usual names (MoleculeTableOptions); else the only column of whose first hundred values, but for missing ones, RDKit
/// reads four in five as SMILES, and of which not all are numbers. Nothing for SDF. Throws DataError that lists the
/// columns when there is none, or several; and when the name of that column is itself a molecule: the file has no
/// header.
std::optional<std::string> find_smiles_column(const std::string& path, const std::string& known);

/// Reads an SDF file (V2000 or V3000), plain or gzip. Each record becomes a row: its mol block as canonical SMILES with
/// stereochemistry (hydrogens merged), the first line of the block in the column "name" (if any record has one and no
/// property is called so), its properties in the others; a property that a record does not have is missing. A block
/// that RDKit cannot read is a row with a problem. Of the options `delimiter`, `header` and `smiles_column` say
/// nothing. Throws DataError for a file without any record, a property twice in a record, and other text among the
/// properties; the last record may lack its $$$$.
MoleculeTable read_sdf(const std::string& path, const MoleculeTableOptions& options = {});

}  // namespace edgewise::io
