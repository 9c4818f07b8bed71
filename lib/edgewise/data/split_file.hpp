#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "edgewise/data/node_data.hpp"
#include "edgewise/io/node_table.hpp"

namespace edgewise::data {

/// Reads splits from delimited text with a header, plain or gzip. The nodes are in the column "node" (or "id", or
/// else the first), the roles in one of
/// - "split": train, validation (or val, valid), test, none (or nothing): one split;
/// - "split_codes": a text for each node whose character k is its role in split k: t train, v validation, e test, -
///   none: as many splits as characters.
/// A node that is not in the file has no role. Throws DataError with file and line for a node that is not in `names` or
/// is listed twice, an unknown role and codes of different lengths; also when a split trains on no node.
std::vector<Split> read_splits(const std::string& path, const graph::NodeNames& names);

/// Writes `node,split` with the user's names, whole or not at all; `read_splits` gives the same back.
void write_split(const std::string& path, const graph::NodeNames& names, const Split& split);

/// The roles in a column of a node table, rows as in the table. Throws DataError with file and line for an unknown
/// role, and when no node is to be trained on.
Split split_from_column(const io::NodeTable& table, std::string_view column);

}  // namespace edgewise::data
