#pragma once

#include <cstddef>
#include <string>

#include "edgewise/data/node_data.hpp"
#include "generate/purchase_network.hpp"

namespace edgewise::app {

/// Splits the people whose answer is known into train, validation and test at 60, 20 and 20 %, drawn from `seed`.
data::Split purchase_split(const PurchaseNetwork& network, std::uint64_t seed);

/// A generated network ready for training, without going through files: people "p0", "p1", ..., a directed weighted
/// graph, the classes "no" and "yes", one split. With `features` 0 the features are the profile, 19 columns (age,
/// income and whether it is missing, city, plan). Otherwise they are a random projection of it to this many columns
/// (entries N(0, 1) / sqrt(19)), to measure the cost of wider features.
data::NodeData purchase_data(const PurchaseNetworkOptions& options, std::size_t features = 0);

/// Writes `directory`/friends.csv (source,target,weight) and people.csv (id,age,income,city,plan,buys,split), creating
/// the directory if needed. Unknown values are empty fields. Throws DataError if a file cannot be written.
void write_purchase_files(const std::string& directory, const PurchaseNetwork& network, std::uint64_t seed);

}  // namespace edgewise::app
