#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

/// Reads splits from delimited text with a header, plain or gzip. The nodes are in the column "node" (or "id", or else
/// the first), the roles in one of
/// - "split": train, validation (or val, valid, dev), test, none (or empty): one split; words as in `parse_role`;
/// - "split_codes": one text per node, with its role in split k as character k: t train, v validation, e test, - none:
///   one split per character.
///
/// A node that is not in the file has no role. Throws DataError with file and line for a node that is not in `names` or
/// is listed twice, an unknown role and codes of different lengths; also if a split has no training nodes.
std::vector<Split> read_splits(const std::string& path, const graph::NodeNames& names);

/// Writes `node,split` with the user's names, atomically; `read_splits` reads it back.
void write_split(const std::string& path, const graph::NodeNames& names, const Split& split);

/// Reads the roles from a column of a node table, rows as in the table. Throws DataError with file and line for an
/// unknown role, and if there are no training nodes.
Split split_from_column(const io::NodeTable& table, std::string_view column);

}  // namespace edgewise::data
