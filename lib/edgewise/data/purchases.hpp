#pragma once

#include <cstddef>
#include <string>

#include "edgewise/data/node_data.hpp"
#include "edgewise/graph/generators.hpp"

namespace edgewise::data {

/// The roles of the people whose answer is known: train, validation and test at 60, 20 and 20 %, drawn from `seed`.
Split purchase_split(const graph::PurchaseNetwork& network, std::uint64_t seed);

/// A generated network as it is trained on, without a file between: people "p0", "p1", ..., a directed weighted graph,
/// the classes "no" and "yes", one split.
/// `features` 0: the profile itself, 19 columns (age, income and whether it is missing, city, plan). Otherwise a random
/// projection of these to this many columns (entries N(0, 1) / sqrt(19)), to see what wider features cost.
NodeData purchase_data(const graph::PurchaseNetworkOptions& options, std::size_t features = 0);

/// Writes `directory`/friends.csv (source,target,weight) and people.csv (id,age,income,city,plan,buys,split), making
/// the directory where it lacks. What is not known is an empty field. Throws DataError when a file cannot be written.
void write_purchase_files(const std::string& directory, const graph::PurchaseNetwork& network, std::uint64_t seed);

}  // namespace edgewise::data
