#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace edgewise::app {

/// A shop: people, products, who bought what, and who knows whom. A network of two kinds of nodes.
struct ShopOptions {
  std::size_t people = 1500;
  std::size_t products = 200;
  double purchases = 6;  ///< Of a person, on average; everybody has one or more.
  double friends = 3;    ///< Ties that a person starts, on average.
  double faults = 0.7;   ///< How much of the decision to leave is owed to what was bought, from 0 to 1.
  std::uint64_t seed = 7;
};

/// Writes people.csv (person, age, plan, churned, split), products.csv (product, category, price, stars), purchases.csv
/// (person, product) and friends.csv (person, friend) to `directory`, which it creates if needed. Persons and products
/// are both called 1, 2, ..., so that only their kind tells them apart.
///
/// Each product has hidden faults, of which the stars say something; people buy mostly from one category. A person
/// leaves ("yes") by the mean faults of what they bought, a little by their age and plan, and by chance; friends buy
/// alike, but have no influence. So purchases say more than a person's own columns, and friends hardly anything beyond
/// them. A fifth of the answers is not known. Throws UsageError naming the option that is out of range, DataError if a
/// file cannot be written.
void write_shop(const std::string& directory, const ShopOptions& options);

}  // namespace edgewise::app
